// SPDX-License-Identifier: BSD-3-Clause
#include "build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "tessera/expressions/expression.hpp"
#include "tessera/operators/expression.hpp"

namespace chain {
namespace {

using namespace tessera;
using operators::Image;

/// Returns call(). An error that the operator of the step throws becomes an InputError that tells the place
/// in the deck.
template <class Call>
Image with_place(const Step& step, const Call& call) {
  try {
    return call();
  } catch (const operators::ParameterError& error) {
    const auto setting = std::ranges::find(step.settings, error.parameter, &Setting::name);
    throw InputError(fmt::format(
        "{}: step {}", setting == step.settings.end() ? step.location : setting->location, error.what()));
  } catch (const operators::OperandError& error) {
    const auto i = static_cast<std::size_t>(error.operand);
    throw InputError(fmt::format(
        "{}: step {}", i < step.operands.size() ? step.operands[i].location : step.location, error.what()));
  }
}

operators::ParameterValues values_of(const Step& step) {
  operators::ParameterValues values;
  for (const Setting& setting : step.settings) values[setting.name] = setting.value;
  return values;
}

/// Returns the borders of an iterate: the nearest point in x and y, and none along channels.
BoundaryConditions clamped_in_the_plane() {
  BoundaryConditions borders(Boundary::clamp);
  for (std::size_t d = 2; d < max_dimensions; ++d) borders.side[d] = {};
  return borders;
}

/// Adds inputs, steps and outputs to a pipeline, and keeps the image of each input and step.
class Builder {
 public:
  Builder(BuiltChain& built, const Chain& chain, const Box& domain)
      : built_(built), chain_(chain), domain_(domain) {}

  void add_input(const std::string& name, ElementType type) {
    images_[name] = operators::input(built_.pipeline, name, type, domain_);
  }

  /// Adds the stages of a step, whose operands were added before. Throws InputError if it is faulty.
  void add(const Step& step) {
    try {
      images_[step.name] = step.loop        ? add_loop(step)
                           : step.operation ? add_operator(step)
                                            : add_expression(step);
    } catch (const InternalError&) {
      // The pipeline refuses two stages of the same name, which the names of steps in the deck may cause.
      fail_if_names_clash(step);
      throw;
    }
  }

  /// Returns whether the result of a step is a single number.
  bool is_number(const std::string& step) const {
    const Image& image = images_.at(step);
    return image.dimensions() == 1 && image.domain[0].size() == 1;
  }

  /// Makes outputs of steps that are single numbers.
  void add_numbers(const std::vector<std::string>& numbers) {
    for (const std::string& number : numbers) operators::output(built_.pipeline, images_.at(number));
    built_.numbers = numbers;
  }

  /// Makes outputs of steps, except for the output of the chain, which add_output() adds.
  void add_results(const std::set<std::string>& steps) {
    for (const std::string& step : steps)
      if (step != chain_.output) operators::output(built_.pipeline, images_.at(step));
  }

  /// Adds the output of the chain. Throws InputError if it is not an image.
  void add_output() {
    const Image& image = images_.at(chain_.output);
    if (image.dimensions() < 2)
      throw InputError(fmt::format(
          "{}: the output is step '{}', which is {}: name an image in output.step",
          chain_.output_location.empty() ? chain_.find(chain_.output)->location : chain_.output_location,
          chain_.output,
          is_number(chain_.output) ? "a number"
                                   : fmt::format("a list of {} values", image.domain[0].size())));
    operators::output(built_.pipeline, image);
  }

 private:
  Image add_operator(const Step& step) {
    std::vector<Image> operands;
    for (const Operand& operand : step.operands) operands.push_back(images_.at(operand.name));
    return with_place(
        step, [&] { return step.operation->apply(built_.pipeline, operands, values_of(step), step.name); });
  }

  Image add_expression(const Step& step) {
    try {
      return operators::expression(built_.pipeline, step.expression, images_,
                                   {.type = step.type, .domain = domain_, .name = step.name});
    } catch (const expressions::ExpressionError& error) {
      throw InputError(fmt::format("{}: step '{}': {}",
                                   step.operands.empty() ? step.location : step.operands.front().location,
                                   step.name, error.what()));
    }
  }

  /// Adds a loop, and returns its iterate, an array that has the result after the last turn.
  Image add_loop(const Step& step) {
    const Loop& loop = *step.loop;
    const Image& begin = images_.at(loop.begin.name);
    if (begin.dimensions() < 2)
      throw InputError(fmt::format("{}: loop '{}' begins with '{}', which is no image", loop.begin.location,
                                   step.name, loop.begin.name));
    const ElementType type = loop.has_type ? loop.type : begin.type;
    const Image iterate = operators::expression(built_.pipeline, "begin", {{"begin", begin}},
                                                {.type = type, .name = step.name});
    built_.pipeline.bound(iterate.id, iterate.domain, clamped_in_the_plane());
    images_[step.name] = iterate;
    built_.pipeline.repeat(step.name, loop.turns, [&](const Pipeline::Loop& turns) {
      for (const Step& inner : loop.steps) add(inner);
      const Image& next = images_.at(loop.next.name);
      check_next(step, iterate, next);
      turns.feed(Array<float, 2>{next.id}, Array<float, 2>{iterate.id});
      if (!loop.until.empty()) turns.until(add_condition(step));
    });
    return iterate;
  }

  /// Throws InputError unless the next iterate has the same points and the same type as the iterate.
  static void check_next(const Step& step, const Image& iterate, const Image& next) {
    const Operand& operand = step.loop->next;
    if (!(next.domain == iterate.domain))
      throw InputError(
          fmt::format("{}: loop '{}': '{}' has {} points, but the iterate has {}: they must be the same",
                      operand.location, step.name, operand.name, operators::extents_text(next),
                      operators::extents_text(iterate)));
    if (next.type != iterate.type)
      throw InputError(fmt::format(
          "{}: loop '{}': '{}' is {}, but the iterate is {}: give the loop 'type: {}'", operand.location,
          step.name, operand.name, name_of(next.type), name_of(iterate.type), name_of(next.type)));
  }

  /// Adds the condition that ends a loop, and returns its value.
  Array<std::uint8_t, 1> add_condition(const Step& step) {
    try {
      return operators::condition(built_.pipeline, step.loop->until, images_, step.name + "_ends");
    } catch (const expressions::ExpressionError& error) {
      throw InputError(fmt::format("{}: loop '{}': {}", step.loop->until_location, step.name, error.what()));
    }
  }

  /// Throws InputError if the name of a step or of one of its inner steps, and another name of the chain, are
  /// such that one is the other with an ending that begins with '_', as names of stages are.
  void fail_if_names_clash(const Step& step) const {
    const std::vector<std::string> own = names_of_steps({step}), steps = names_of_steps(chain_.steps);
    std::set<std::string> all(steps.begin(), steps.end());
    all.insert(chain_.inputs.begin(), chain_.inputs.end());
    all.insert(main_input);
    const auto is_own = [&](const std::string& name) { return std::ranges::find(own, name) != own.end(); };
    for (const std::string& longer : all)
      for (const std::string& shorter : all)
        if (longer.starts_with(shorter + "_") && (is_own(longer) || is_own(shorter)))
          throw InputError(fmt::format(
              "{}: '{}' and '{}' would have stages of the same name: give one of them a name that does not "
              "begin with the other and '_'",
              step.location, shorter, longer));
  }

  BuiltChain& built_;
  const Chain& chain_;
  const Box& domain_;
  std::map<std::string, Image> images_;
};

/// Adds those inputs and steps that `wanted` needs.
void add_steps(Builder& builder, const Chain& chain, ElementType type, const std::set<std::string>& wanted) {
  const std::set<std::string> needed = needed_by(chain, wanted);
  builder.add_input(main_input, type);
  for (const std::string& name : chain.inputs)
    if (needed.contains(name)) builder.add_input(name, type);
  for (const Step& step : chain.steps)
    if (needed.contains(step.name)) builder.add(step);
}

}  // namespace

void check_operator(const Step& step) {
  const std::size_t count = step.operands.size();
  const bool accepts_count = count >= static_cast<std::size_t>(step.operation->required_inputs) &&
                             count <= step.operation->inputs.size();
  with_place(step, [&]() -> Image {
    Pipeline scratch;
    // Operators check their parameters first, and then the number of images. If that is accepted, no images
    // are given, and the error about their number is ignored.
    try {
      return step.operation->apply(scratch, std::vector<Image>(accepts_count ? 0 : count), values_of(step),
                                   step.name);
    } catch (const operators::OperandError&) {
      if (!accepts_count) throw;
    }
    return {};
  });
}

std::vector<std::string> names_of_steps(const std::vector<Step>& steps) {
  std::vector<std::string> names;
  for (const Step& step : steps) {
    names.push_back(step.name);
    if (step.loop)
      for (const Step& inner : step.loop->steps) names.push_back(inner.name);
  }
  return names;
}

std::vector<std::string> unread_numbers(const Chain& chain, ElementType type, const Box& domain) {
  std::set<std::string> used{chain.output};
  for (const Step& step : chain.steps)
    for (const Operand& operand : step.operands) used.insert(operand.name);
  std::vector<std::string> numbers;
  for (const Step& step : chain.steps) {
    if (used.contains(step.name) || step.operation == nullptr) continue;
    BuiltChain scratch;
    Builder builder(scratch, chain, domain);
    try {
      add_steps(builder, chain, type, {step.name});
    } catch (const InputError&) {
      continue;  // The error is reported if the step is needed.
    }
    if (builder.is_number(step.name)) numbers.push_back(step.name);
  }
  return numbers;
}

std::set<std::string> needed_by(const Chain& chain, const std::set<std::string>& wanted) {
  std::set<std::string> needed = wanted;
  for (auto step = chain.steps.rbegin(); step != chain.steps.rend(); ++step)
    if (needed.contains(step->name))
      for (const Operand& operand : step->operands) needed.insert(operand.name);
  return needed;
}

BuiltChain build(const Chain& chain, ElementType type, const Box& domain, const std::set<std::string>& wanted,
                 const std::set<std::string>& results) {
  const std::vector<std::string> numbers = unread_numbers(chain, type, domain);
  std::set<std::string> all = wanted;
  all.insert(numbers.begin(), numbers.end());
  BuiltChain built;
  Builder builder(built, chain, domain);
  add_steps(builder, chain, type, all);
  builder.add_numbers(numbers);
  builder.add_results(results);
  builder.add_output();
  return built;
}

}  // namespace chain
