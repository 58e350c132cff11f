// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/expressions/detail/steps.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "tessera/expressions/detail/arithmetic.hpp"

namespace tessera::expressions::detail {
namespace {

std::span<const std::int16_t> arguments_of(const Step& step) {
  return {step.instruction.arguments, static_cast<std::size_t>(argument_count(step.instruction.operation))};
}

/// Returns whether a step after `step` reads its result from the register.
bool is_read(std::span<const Step> steps, std::size_t step) {
  const std::int16_t result = steps[step].instruction.to;
  for (std::size_t later = step + 1; later < steps.size(); ++later) {
    const auto arguments = arguments_of(steps[later]);
    for (std::size_t k = 0; k < arguments.size(); ++k)
      if (arguments[k] == result && (later > step + 1 || static_cast<int>(k) != steps[later].carried))
        return true;
    if (steps[later].instruction.to == result) return false;
  }
  return false;
}

}  // namespace

std::vector<Step> make_steps(const Program& program, ElementType type) {
  std::vector<Step> steps(static_cast<std::size_t>(program.instruction_count));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].instruction = program.instructions[i];
    const bool carries = is_elementwise(steps[i].instruction.operation) &&
                         (i + 1 < steps.size() || is_last_carried(program, type));
    if (i == 0 || !carries) continue;
    const auto arguments = arguments_of(steps[i]);
    const auto carried = std::ranges::find(arguments, steps[i - 1].instruction.to);
    if (carried != arguments.end()) steps[i].carried = static_cast<int>(carried - arguments.begin());
  }
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].is_kept = is_read(steps, i);
  return steps;
}

}  // namespace tessera::expressions::detail
