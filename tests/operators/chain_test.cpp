// SPDX-License-Identifier: BSD-3-Clause
// Chains of operators give the bits that their operators give one by one, with each result stored and read
// again.
#include <cmath>
#include <variant>

#include "operators/operator_run.hpp"
#include "tessera/operators/operators.hpp"

namespace tessera::test {
namespace {

using operators::Image;
using operators::Operator;
using operators::Parameter;
using operators::ParameterKind;
using operators::ParameterValue;
using operators::ParameterValues;
using AnyArray = std::variant<WholeArray<std::uint8_t>, WholeArray<std::uint16_t>, WholeArray<float>>;

/// A step of a chain: the operator, its parameters, and the numbers of the steps before that are its inputs.
struct Step {
  std::string name;
  ParameterValues values;
  std::vector<std::size_t> inputs;
};

template <class T>
Image add_input(Pipeline& pipeline, const WholeArray<T>& array, const std::string& name, Boundary boundary) {
  return array.box.dimensions == 2
             ? operators::image_of(pipeline, pipeline.input<T, 2>(name, array.box, boundary))
             : operators::image_of(pipeline, pipeline.input<T, 3>(name, array.box, boundary));
}

/// Runs a pipeline whose inputs are arrays of one type.
AnyArray run(Random& random, const Pipeline& pipeline, const std::vector<AnyArray>& inputs,
             const Image& output, Scheduling how, std::string& text) {
  return std::visit(
      [&]<class T>(const WholeArray<T>&) -> AnyArray {
        std::vector<WholeArray<T>> arrays;
        std::vector<std::string> names;
        for (const AnyArray& input : inputs) {
          names.push_back("input" + std::to_string(names.size()));
          arrays.push_back(std::get<WholeArray<T>>(input));
        }
        const auto made = [&]<class Out>(std::type_identity<Out>) -> AnyArray {
          const OperatorRun<T, Out> done(random, pipeline, names, arrays, output, how);
          text = done.text;
          return done.result;
        };
        if (output.type == ElementType::uint8) return made(std::type_identity<std::uint8_t>());
        if (output.type == ElementType::uint16) return made(std::type_identity<std::uint16_t>());
        return made(std::type_identity<float>());
      },
      inputs[0]);
}

/// Evaluates one step by itself.
AnyArray evaluated(Random& random, const Step& step, const std::vector<AnyArray>& known) {
  Pipeline pipeline;
  std::vector<Image> images;
  std::vector<AnyArray> inputs;
  for (const std::size_t input : step.inputs) {
    const std::string name = "input" + std::to_string(inputs.size());
    inputs.push_back(known[input]);
    images.push_back(std::visit(
        [&](const auto& array) { return add_input(pipeline, array, name, Boundary::none); }, known[input]));
  }
  const Image result = operators::find_operator(step.name).apply(pipeline, images, step.values, "result");
  operators::output(pipeline, result);
  std::string text;
  return run(random, pipeline, inputs, result, Scheduling::plain, text);
}

/// A number that the parameter permits, and which keeps images and windows small.
double random_number(Random& random, const Parameter& parameter, double span) {
  const double low = std::max(parameter.least, -9.0);
  return random.real(low, std::min(parameter.greatest, std::max(low, 0.0) + span));
}
double random_whole(Random& random, const Parameter& parameter) {
  const double whole = std::ceil(random_number(random, parameter, 24));
  return parameter.odd && std::fmod(whole, 2) == 0 ? whole - 1 : whole;
}
std::vector<double> random_list(Random& random, const Parameter& parameter, int count) {
  std::vector<double> list;
  for (int i = 0; i < count; ++i) list.push_back(random_number(random, parameter, 4));
  return list;
}

/// A value that the parameter permits. The operator may refuse it together with others.
ParameterValue random_value(Random& random, const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::boolean:
      return random.chance(50);
    case ParameterKind::integer:
      return static_cast<std::int64_t>(random_whole(random, parameter));
    case ParameterKind::number:
      return random_number(random, parameter, random.one_of<double>({1, 4, 100}));
    case ParameterKind::word:
      return random.one_of(parameter.choices);
    case ParameterKind::pair:
      return std::vector<double>{random_whole(random, parameter), random_whole(random, parameter)};
    case ParameterKind::list:
      return random_list(random, parameter, 256);
    case ParameterKind::matrix:
      break;
  }
  operators::Matrix matrix;
  const int rows = random.one_of<int>({1, 3, 5}), columns = random.one_of<int>({1, 3, 5});
  for (int row = 0; row < rows; ++row) matrix.push_back(random_list(random, parameter, columns));
  return matrix;
}

/// A step with any operator. Its inputs are among the last of the `known` images.
Step random_step(Random& random, std::size_t known) {
  const Operator& one = random.one_of(operators::all_operators());
  Step step{one.name, {}, {}};
  step.inputs.resize(
      static_cast<std::size_t>(random.small(one.required_inputs, static_cast<int>(one.inputs.size()))));
  for (std::size_t& input : step.inputs)
    input = known - 1 - static_cast<std::size_t>(random.small(0, std::min(static_cast<int>(known) - 1, 2)));
  for (const Parameter& parameter : one.parameters)
    if (random.chance(parameter.default_value || parameter.optional ? 40 : 100))
      step.values[parameter.name] = random_value(random, parameter);
  return step;
}

/// Adds a step to a chain. Returns false if the operator refuses it, or its result is no image.
bool add_step(Pipeline& pipeline, const Step& step, const std::string& name, std::vector<Image>& images) {
  std::vector<Image> inputs;
  for (const std::size_t input : step.inputs) inputs.push_back(images[input]);
  try {
    const Image result = operators::find_operator(step.name).apply(pipeline, inputs, step.values, name);
    if (result.dimensions() < 2 || result.domain.size() > 20000) return false;
    images.push_back(result);
  } catch (const InputError&) {
    return false;
  }
  return true;
}

/// Tells which steps lead to the last one. A pipeline has no others.
std::vector<bool> needed_steps(const std::vector<Step>& steps) {
  std::vector<bool> needed(steps.size());
  needed.back() = true;
  for (std::size_t i = steps.size() - 1; i > 0; --i)
    if (needed[i])
      for (const std::size_t input : steps[i].inputs) needed[input] = true;
  return needed;
}

Image begin(Pipeline& pipeline, const AnyArray& input) {
  return std::visit([&](const auto& array) { return add_input(pipeline, array, "input0", Boundary::mirror); },
                    input);
}

/// A chain with the result of each step. The first step is the input.
struct Chain {
  std::vector<Step> steps;
  std::vector<AnyArray> results;
};

Chain random_chain(Random& random, const AnyArray& input, std::size_t length) {
  Pipeline trial;
  std::vector<Image> images = {begin(trial, input)};
  Chain chain{{{}}, {input}};
  // Steps that are refused may have added stages, so each trial has new names.
  for (int number = 0; images.size() < length; ++number) {
    const Step step = random_step(random, images.size());
    if (!add_step(trial, step, "trial" + std::to_string(number), images)) continue;
    chain.results.push_back(evaluated(random, step, chain.results));
    chain.steps.push_back(step);
  }
  return chain;
}

/// Adds the steps that lead to the last one, which is returned, and writes their names to `names`.
Image add_chain(Pipeline& pipeline, const Chain& chain, std::string& names) {
  const std::vector<bool> needed = needed_steps(chain.steps);
  std::vector<Image> images = {begin(pipeline, chain.results[0])};
  for (std::size_t i = 1; i < chain.steps.size(); ++i) {
    if (!needed[i]) {
      images.push_back({});
      continue;
    }
    add_step(pipeline, chain.steps[i], "step" + std::to_string(i), images);
    names += " " + chain.steps[i].name;
  }
  operators::output(pipeline, images.back());
  return images.back();
}

bool same_bits(const AnyArray& one, const AnyArray& other) {
  return std::visit(
      [&]<class T>(const WholeArray<T>& array) { return array.same_bits(std::get<WholeArray<T>>(other)); },
      one);
}

TEST(Chains, GiveTheBitsOfTheirSteps) {
  Random random(1);
  for (int number = 0; number < 150; ++number) {
    const Box box = random.one_of<Box>({{{0, 31}, {0, 19}}, {{0, 12}, {0, 9}, {0, 3}}, {{0, 5}, {0, 40}}});
    const AnyArray input = random.chance(50) ? AnyArray(random_pixels<std::uint8_t>(random, box))
                                             : AnyArray(random_pixels<float>(random, box));
    const Chain chain = random_chain(random, input, static_cast<std::size_t>(random.small(3, 9)));
    Pipeline pipeline;
    std::string names, text;
    const Image output = add_chain(pipeline, chain, names);
    for (int runs = 0; runs < 2; ++runs) {
      const AnyArray made = run(random, pipeline, {input}, output, Scheduling::random, text);
      ASSERT_TRUE(same_bits(made, chain.results.back()))
          << "chain " << number << ":" << names << "; " << text;
    }
  }
}

}  // namespace
}  // namespace tessera::test
