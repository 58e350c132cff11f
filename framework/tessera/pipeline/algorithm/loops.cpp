// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/algorithm/loops.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

std::vector<std::vector<LoopDeclaration::Feed>> feed_chains(const LoopDeclaration& loop) {
  std::vector<std::vector<LoopDeclaration::Feed>> chains;
  for (const auto& last : loop.feeds) {
    if (loop.feed_from(last.to) != nullptr) continue;
    auto& chain = chains.emplace_back();
    for (const auto* feed = &last; feed != nullptr; feed = loop.feed_to(feed->from)) chain.push_back(*feed);
  }
  return chains;
}

std::vector<int> carried_arrays(const Algorithm& pipeline, const LoopDeclaration& loop) {
  std::vector<int> arrays;
  for (const LoopDeclaration& inner : pipeline.loops()) {
    if (!loop.contains(inner)) continue;
    for (const auto& feed : inner.feeds)
      if (feed.to < loop.first && std::ranges::find(arrays, feed.to) == arrays.end())
        arrays.push_back(feed.to);
  }
  return arrays;
}

namespace {

/// Returns the reason why other loops forbid an overlapped test of `loop`, or an empty text. Such a reason is
/// a loop inside `loop`, or another loop that takes an array of `loop` which an additional turn would change.
std::string reason_by_other_loops(const Algorithm& pipeline, const LoopDeclaration& loop,
                                  const std::vector<bool>& follows) {
  for (const LoopDeclaration& other : pipeline.loops()) {
    if (&other > &loop && other.last <= loop.last)
      return fmt::format("the loop '{}' has the loop '{}' in it", loop.name, other.name);
    if (&other == &loop) continue;
    std::vector<int> taken = other.residuals;
    taken.push_back(other.condition);
    for (const auto& feed : other.feeds) taken.push_back(feed.from);
    for (int array : taken)
      if (loop.contains(array) && !follows[static_cast<std::size_t>(array)])
        return fmt::format("the loop '{}' takes '{}', which would be that of a turn more", other.name,
                           pipeline[array].name);
  }
  return "";
}

}  // namespace

std::vector<bool> following_from_reductions(const Algorithm& pipeline) {
  std::vector<bool> follows;
  // The inputs of an array have lower ids than the array itself.
  for (int id = 0; id < pipeline.size(); ++id) {
    const ArrayDeclaration& declaration = pipeline[id];
    const int loop = pipeline.loop_of(id);
    const auto input_follows = [&](int input) {
      return pipeline.loop_of(input) == loop && follows[static_cast<std::size_t>(input)];
    };
    follows.push_back(
        loop >= 0 && declaration.is_everywhere() &&
        (declaration.reduction != nullptr || std::ranges::any_of(declaration.inputs, input_follows)));
  }
  return follows;
}

std::string reason_against_overlap(const Algorithm& pipeline, const LoopDeclaration& loop) {
  const std::vector<bool> all_follow = following_from_reductions(pipeline);
  const auto follows = [&](int array) { return all_follow[static_cast<std::size_t>(array)]; };
  if (const std::string reason = reason_by_other_loops(pipeline, loop, all_follow); !reason.empty())
    return reason;
  std::vector<int> tested = loop.residuals;
  if (loop.condition >= 0) tested.push_back(loop.condition);
  if (tested.empty()) return fmt::format("the loop '{}' has neither condition nor residual", loop.name);
  for (int value : tested)
    if (!follows(value)) return fmt::format("'{}' does not follow from a reduction", pipeline[value].name);
  for (const auto& feed : loop.feeds)
    if (follows(feed.from))
      return fmt::format("'{}' is fed: the next turn needs it", pipeline[feed.from].name);
  for (int id = 0; id < pipeline.size(); ++id)
    for (int input : pipeline[id].inputs) {
      const bool reads_test = loop.contains(input) && follows(input);
      const bool is_later = id >= loop.last;
      // A reduction cannot be delayed until the test is known, because it takes in points while they are
      // computed.
      if (loop.contains(id) && reads_test && (pipeline[id].reduction != nullptr || !follows(id)))
        return fmt::format("'{}' reads '{}': the next turn needs it", pipeline[id].name,
                           pipeline[input].name);
      if (is_later && loop.contains(input) && !reads_test)
        return fmt::format("'{}' reads '{}' after the loop, where it is that of a turn more",
                           pipeline[id].name, pipeline[input].name);
      const bool changes = loop.contains(input) ? !reads_test : (loop.feed_to(input) != nullptr);
      if (loop.contains(id) && pipeline[id].is_value && follows(id) && changes)
        return fmt::format("'{}' reads '{}', which the next turn changes", pipeline[id].name,
                           pipeline[input].name);
    }
  for (int id = loop.first; id < loop.last; ++id)
    if (pipeline[id].is_output && !follows(id))
      return fmt::format("'{}' is an output, and would be that of a turn more", pipeline[id].name);
  return "";
}

}  // namespace tessera
