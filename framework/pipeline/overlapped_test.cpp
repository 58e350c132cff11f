// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/overlapped_test.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

/// A reduction of the loop that the array is in, or a value that follows from one.
bool is_of_test(const Pipeline& pipeline, int array) {
  const StageDeclaration& declaration = pipeline[array];
  const int loop = pipeline.loop_of(array);
  if (loop < 0 || !declaration.is_everywhere()) return false;
  return declaration.reduction != nullptr || std::ranges::any_of(declaration.inputs, [&](int input) {
           return pipeline.loop_of(input) == loop && is_of_test(pipeline, input);
         });
}

bool is_fed(const LoopDeclaration& loop, int array) {
  return std::ranges::any_of(loop.feeds, [array](const auto& feed) { return feed.to == array; });
}

bool is_inside(const LoopDeclaration& loop, int array) { return loop.first <= array && array < loop.last; }

/// Loops within the loop, and what loops around it take from its turns.
std::string reason_by_other_loops(const Pipeline& pipeline, const LoopDeclaration& loop) {
  for (const LoopDeclaration& other : pipeline.loops()) {
    if (&other > &loop && other.last <= loop.last)
      return fmt::format("the loop '{}' has the loop '{}' in it", loop.name, other.name);
    if (&other == &loop) continue;
    std::vector<int> taken = other.residuals;
    taken.push_back(other.condition);
    for (const auto& feed : other.feeds) taken.push_back(feed.from);
    for (int array : taken)
      if (is_inside(loop, array) && !is_of_test(pipeline, array))
        return fmt::format("the loop '{}' takes '{}', which would be that of a turn more", other.name,
                           pipeline[array].name);
  }
  return "";
}

}  // namespace

TurnPart part_of(const Pipeline& pipeline, const PlanNode& step) {
  if (std::holds_alternative<plan::Swap>(step.step)) return TurnPart::swaps;
  if (std::holds_alternative<plan::Reduce>(step.step)) return TurnPart::reductions;
  const auto* compute = std::get_if<plan::Compute>(&step.step);
  const bool is_value = compute != nullptr && pipeline[compute->stage].is_value;
  return is_value && is_of_test(pipeline, compute->stage) ? TurnPart::values : TurnPart::points;
}

std::string reason_against_overlap(const Pipeline& pipeline, const LoopDeclaration& loop) {
  if (const std::string reason = reason_by_other_loops(pipeline, loop); !reason.empty()) return reason;
  std::vector<int> tested = loop.residuals;
  if (loop.condition >= 0) tested.push_back(loop.condition);
  if (tested.empty()) return fmt::format("the loop '{}' has neither condition nor residual", loop.name);
  for (int value : tested)
    if (!is_of_test(pipeline, value))
      return fmt::format("'{}' does not follow from a reduction", pipeline[value].name);
  for (const auto& feed : loop.feeds)
    if (is_of_test(pipeline, feed.from))
      return fmt::format("'{}' is fed: the next turn needs it", pipeline[feed.from].name);
  for (int id = 0; id < pipeline.size(); ++id)
    for (int input : pipeline[id].inputs) {
      const bool reads_test = is_inside(loop, input) && is_of_test(pipeline, input);
      const bool is_later = id >= loop.last;
      // A reduction takes its points in while they are computed.
      if (is_inside(loop, id) && reads_test &&
          (pipeline[id].reduction != nullptr || !is_of_test(pipeline, id)))
        return fmt::format("'{}' reads '{}': the next turn needs it", pipeline[id].name,
                           pipeline[input].name);
      if (is_later && is_inside(loop, input) && !reads_test)
        return fmt::format("'{}' reads '{}' after the loop, where it is that of a turn more",
                           pipeline[id].name, pipeline[input].name);
      const bool changes = is_inside(loop, input) ? !reads_test : is_fed(loop, input);
      if (is_inside(loop, id) && pipeline[id].is_value && is_of_test(pipeline, id) && changes)
        return fmt::format("'{}' reads '{}', which the next turn changes", pipeline[id].name,
                           pipeline[input].name);
    }
  for (int id = loop.first; id < loop.last; ++id)
    if (pipeline[id].is_output && !is_of_test(pipeline, id))
      return fmt::format("'{}' is an output, and would be that of a turn more", pipeline[id].name);
  return "";
}

}  // namespace tessera
