// SPDX-License-Identifier: BSD-3-Clause
// Chains of operators give the bits that their operators give one by one, with each result stored and read
// again.
#include <variant>

#include "operators/operator_run.hpp"
#include "tessera/operators/operators.hpp"

namespace tessera::test {
namespace {

using operators::Image;
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
             const Image& output, std::string& text) {
  return std::visit(
      [&]<class T>(const WholeArray<T>&) -> AnyArray {
        std::vector<WholeArray<T>> arrays;
        std::vector<std::string> names;
        for (const AnyArray& input : inputs) {
          names.push_back("input" + std::to_string(names.size()));
          arrays.push_back(std::get<WholeArray<T>>(input));
        }
        const auto made = [&]<class Out>(std::type_identity<Out>) -> AnyArray {
          const OperatorRun<T, Out> done(random, pipeline, names, arrays, output);
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
  return run(random, pipeline, inputs, result, text);
}

Step random_step(Random& random, std::size_t known) {
  const std::string border =
      random.one_of<std::string>({"clamp", "clamp", "mirror", "mirror_interior", "constant", "periodic"});
  const std::vector<double> window{double(2 * random.small(0, 3) + 1), double(2 * random.small(0, 3) + 1)};
  const auto number = std::int64_t{random.small(0, 100)};
  const std::vector<Step> steps = {
      {"add", {{"value", number}}, {}},
      {"multiply", {{"value", 1.3}}, {}},
      {"invert", {}, {}},
      {"threshold", {{"value", number}}, {}},
      {"levels", {{"black", 0.1}, {"white", 0.8}, {"exponent", 0.7}}, {}},
      {"cast",
       {{"to", random.one_of<std::string>({"uint8", "uint16", "float32"})}, {"full_range", true}},
       {}},
      {"convolution",
       {{"kernel", operators::Matrix{{0, -1, 0}, {-1, 5, -1}, {0, -1, 0}}}, {"border", border}},
       {}},
      {"gaussian", {{"sigma", 0.8}, {"border", border}}, {}},
      {"box", {{"window", window}, {"border", border}}, {}},
      {"sobel", {{"border", border}}, {}},
      {"unsharp", {{"sigma", 0.7}, {"border", border}}, {}},
      {"thin_edges", {{"sigma", 0.6}, {"border", border}}, {}},
      {"erode", {{"window", window}, {"border", border}}, {}},
      {"top_hat", {{"window", window}, {"border", border}}, {}},
      {"median", {{"window", window}, {"border", border}}, {}},
      {"percentile", {{"percent", 70.0}, {"window", window}, {"border", border}}, {}},
      {"variance", {{"window", window}, {"border", border}}, {}},
      {"shift", {{"by", std::vector<double>{3, -2}}, {"border", border}}, {}},
      {"flip", {}, {}},
      {"rotate", {}, {}},
      {"pad", {{"columns", std::vector<double>{2, 1}}, {"border", border}}, {}},
      {"resize", {{"size", std::vector<double>{23, 17}}, {"method", "cubic"}}, {}},
      {"pyramid_down", {{"border", border}}, {}},
      {"stretch", {}, {}},
      {"add", {}, {0, 0}},
      {"difference", {}, {0, 0}},
      {"maximum", {}, {0, 0}},
  };
  Step step = random.one_of(steps);
  step.inputs.resize(std::max<std::size_t>(step.inputs.size(), 1));
  for (std::size_t& input : step.inputs)
    input = known - 1 - static_cast<std::size_t>(random.small(0, std::min(static_cast<int>(known) - 1, 2)));
  return step;
}

/// Adds a step to a chain. Returns false if its images do not fit.
bool add_step(Pipeline& pipeline, const Step& step, std::vector<Image>& images) {
  std::vector<Image> inputs;
  for (const std::size_t input : step.inputs) inputs.push_back(images[input]);
  try {
    images.push_back(operators::find_operator(step.name).apply(pipeline, inputs, step.values,
                                                               "step" + std::to_string(images.size())));
  } catch (const operators::OperandError&) {
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

TEST(Chains, GiveTheBitsOfTheirSteps) {
  Random random(1);
  for (int chain = 0; chain < 40; ++chain) {
    const Box box = random.one_of<Box>({{{0, 31}, {0, 19}}, {{0, 12}, {0, 9}, {0, 3}}, {{0, 5}, {0, 40}}});
    const AnyArray input = random.chance(50) ? AnyArray(random_pixels<std::uint8_t>(random, box))
                                             : AnyArray(random_pixels<float>(random, box));
    const auto begin = [&](Pipeline& pipeline) {
      return std::visit(
          [&](const auto& array) { return add_input(pipeline, array, "input0", Boundary::mirror); }, input);
    };
    Pipeline trial;
    std::vector<Image> tried = {begin(trial)};
    std::vector<AnyArray> known = {input};
    std::vector<Step> steps = {{}};
    const auto length = static_cast<std::size_t>(random.small(3, 9));
    while (tried.size() < length) {
      const Step step = random_step(random, tried.size());
      if (!add_step(trial, step, tried)) continue;
      known.push_back(evaluated(random, step, known));
      steps.push_back(step);
    }
    const std::vector<bool> needed = needed_steps(steps);
    Pipeline pipeline;
    std::vector<Image> images = {begin(pipeline)};
    std::string names;
    for (std::size_t i = 1; i < steps.size(); ++i) {
      if (!needed[i]) {
        images.push_back({});
        continue;
      }
      add_step(pipeline, steps[i], images);
      names += " " + steps[i].name;
    }
    if (!needed[0]) continue;
    operators::output(pipeline, images.back());
    for (int runs = 0; runs < 3; ++runs) {
      std::string text;
      const AnyArray made = run(random, pipeline, {input}, images.back(), text);
      const bool same = std::visit(
          [&]<class T>(const WholeArray<T>& array) {
            return array.same_bits(std::get<WholeArray<T>>(known.back()));
          },
          made);
      ASSERT_TRUE(same) << "chain " << chain << ":" << names << "; " << text;
    }
  }
}

}  // namespace
}  // namespace tessera::test
