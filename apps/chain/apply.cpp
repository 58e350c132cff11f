// SPDX-License-Identifier: BSD-3-Clause
#include "apply.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace chain {
namespace {

using namespace tessera;
using operators::Image;

/// Returns call(), and tells the place in the deck if the operator of the step throws an error.
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

}  // namespace

Image apply(Pipeline& pipeline, const Step& step, const std::vector<Image>& images) {
  return with_place(step,
                    [&] { return step.operation->apply(pipeline, images, values_of(step), step.name); });
}

void check_operator(const Step& step) {
  const std::size_t count = step.operands.size();
  const bool is_count = count >= static_cast<std::size_t>(step.operation->required_inputs) &&
                        count <= step.operation->inputs.size();
  with_place(step, [&]() -> Image {
    Pipeline none;
    // Operators check their parameters first, then the number of the images, and then the images.
    try {
      return step.operation->apply(none, std::vector<Image>(is_count ? 0 : count), values_of(step),
                                   step.name);
    } catch (const operators::OperandError&) {
      if (!is_count) throw;
    }
    return {};
  });
}

}  // namespace chain
