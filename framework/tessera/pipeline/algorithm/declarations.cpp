// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/algorithm/declarations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/kernel/periodic_stage.hpp"

namespace tessera {
namespace {

const LoopDeclaration::Feed* feed_with(const LoopDeclaration& loop, ArrayId LoopDeclaration::Feed::*end,
                                       ArrayId array) {
  const auto found = std::ranges::find(loop.feeds, array, end);
  return found == loop.feeds.end() ? nullptr : &*found;
}

}  // namespace

const LoopDeclaration::Feed* LoopDeclaration::feed_to(ArrayId array) const {
  return feed_with(*this, &Feed::to, array);
}

const LoopDeclaration::Feed* LoopDeclaration::feed_from(ArrayId array) const {
  return feed_with(*this, &Feed::from, array);
}

bool ArrayDeclaration::has_periodic_side() const {
  for (int d = 0; d < dimensions; ++d)
    if (boundary.is_periodic(d)) return true;
  return false;
}

Box ArrayDeclaration::with_whole_lines(Box box) const {
  // The box of a reduction holds points of its input, and `whole` is about its result.
  if (is_reduction()) return box;
  for (int d = 0; d < box.dimensions; ++d)
    if (const Range lines = whole[static_cast<std::size_t>(d)]; !lines.empty()) box[d] = lines;
  return box;
}

namespace {

std::span<const ArrayDeclaration> outputs_of(const IdVector<ArrayId, ArrayDeclaration>& arrays,
                                             ArrayId stage) {
  return {&arrays[stage], static_cast<std::size_t>(arrays[stage].output_count)};
}

/// Returns the first output of a stage that is bounded and has a periodic side; null if there is none.
const ArrayDeclaration* periodic_output(std::span<const ArrayDeclaration> outputs) {
  const auto found = std::ranges::find_if(
      outputs, [](const ArrayDeclaration& part) { return part.is_bounded() && part.has_periodic_side(); });
  return found == outputs.end() ? nullptr : &*found;
}

/// Whether `other` has the same period as `array` in all periodic dimensions of `array`.
bool has_periods_of(const ArrayDeclaration& array, const ArrayDeclaration& other) {
  for (int d = 0; d < array.dimensions; ++d)
    if (array.boundary.is_periodic(d) && (d >= other.dimensions || !other.boundary.is_periodic(d) ||
                                          other.domain[d].size() != array.domain[d].size()))
      return false;
  return true;
}

/// Whether the stage computes all points along one of its periodic dimensions together.
bool has_periodic_lines(const ArrayDeclaration& stage, const ArrayDeclaration& periodic) {
  for (int d = 0; d < periodic.dimensions; ++d)
    if (periodic.boundary.is_periodic(d) && !stage.whole[static_cast<std::size_t>(d)].empty()) return true;
  return false;
}

PeriodicStage::Operand operand(const ArrayDeclaration& array) {
  return {array.element_bytes(), array.is_everywhere()};
}

}  // namespace

std::string reason_against_ghosts(const IdVector<ArrayId, ArrayDeclaration>& arrays, ArrayId stage) {
  const auto outputs = outputs_of(arrays, stage);
  const ArrayDeclaration* periodic = periodic_output(outputs);
  if (periodic == nullptr) return "";
  if (has_periodic_lines(outputs.front(), *periodic))
    return fmt::format("'{}' computes whole lines, which end at periodic sides", periodic->name);
  for (const ArrayDeclaration& other : outputs)
    if (other.is_bounded() && !(has_periods_of(*periodic, other) && has_periods_of(other, *periodic)))
      return fmt::format(
          "'{}' has a periodic side, but '{}', which is computed with it, has none with the same period",
          periodic->name, other.name);
  for (ArrayId id : outputs.front().inputs) {
    const ArrayDeclaration& input = arrays[id];
    if (!input.is_everywhere() && !(input.ends_at_domain() && has_periods_of(*periodic, input)))
      return fmt::format("'{}' has a periodic side, but '{}', which it reads, has none with the same period",
                         periodic->name, input.name);
  }
  return "";
}

void compute_beyond_periodic_sides(IdVector<ArrayId, ArrayDeclaration>& arrays, ArrayId stage) {
  const auto outputs = outputs_of(arrays, stage);
  const ArrayDeclaration* periodic = periodic_output(outputs);
  if (periodic == nullptr) return;
  std::vector<PeriodicStage::Operand> read, written;
  for (ArrayId input : outputs.front().inputs) read.push_back(operand(arrays[input]));
  for (const ArrayDeclaration& output : outputs) written.push_back(operand(output));
  ArrayDeclaration& lead = arrays[stage];
  lead.kernel = std::make_shared<PeriodicStage>(lead.kernel, periodic->domain, periodic->boundary,
                                                std::move(read), std::move(written));
}

std::vector<std::vector<LoopDeclaration::Feed>> feed_chains(const LoopDeclaration& loop) {
  std::vector<std::vector<LoopDeclaration::Feed>> chains;
  for (const auto& last : loop.feeds) {
    if (loop.feed_from(last.to) != nullptr) continue;
    auto& chain = chains.emplace_back();
    for (const auto* feed = &last; feed != nullptr; feed = loop.feed_to(feed->from)) chain.push_back(*feed);
  }
  return chains;
}

std::vector<ArrayId> carried_arrays(const Algorithm& pipeline, const LoopDeclaration& loop) {
  std::vector<ArrayId> arrays;
  for (const LoopDeclaration& inner : pipeline.loops()) {
    if (!loop.contains(inner)) continue;
    for (const auto& feed : inner.feeds)
      if (feed.to < loop.first && std::ranges::find(arrays, feed.to) == arrays.end())
        arrays.push_back(feed.to);
  }
  return arrays;
}

namespace {

/// Returns the reason why other loops forbid an overlapped test of `loop`, or an empty text. A reason is a
/// loop inside `loop`. Another reason is a loop that takes an array of `loop` which an additional turn would
/// change.
std::string reason_by_other_loops(const Algorithm& pipeline, const LoopDeclaration& loop,
                                  const IdVector<ArrayId, bool>& follows) {
  for (const LoopDeclaration& other : pipeline.loops()) {
    if (&other > &loop && other.last <= loop.last)
      return fmt::format("the loop '{}' has the loop '{}' in it", loop.name, other.name);
    if (&other == &loop) continue;
    std::vector<ArrayId> taken = other.residuals;
    taken.push_back(other.condition);
    for (const auto& feed : other.feeds) taken.push_back(feed.from);
    for (ArrayId array : taken)
      if (loop.contains(array) && !follows[array])
        return fmt::format("the loop '{}' takes '{}', which would be computed for one turn more", other.name,
                           pipeline[array].name);
  }
  return "";
}

}  // namespace

IdVector<ArrayId, bool> following_from_reductions(const Algorithm& pipeline) {
  IdVector<ArrayId, bool> follows;
  // The inputs of an array have lower ids than the array itself.
  for (ArrayId id : pipeline.ids()) {
    const ArrayDeclaration& declaration = pipeline[id];
    const int loop = pipeline.loop_of(id);
    const auto input_follows = [&](ArrayId input) {
      return pipeline.loop_of(input) == loop && follows[input];
    };
    follows.push_back(loop >= 0 && declaration.is_everywhere() &&
                      (declaration.is_reduction() || std::ranges::any_of(declaration.inputs, input_follows)));
  }
  return follows;
}

std::string reason_against_overlap(const Algorithm& pipeline, const LoopDeclaration& loop) {
  const IdVector<ArrayId, bool> all_follow = following_from_reductions(pipeline);
  const auto follows = [&](ArrayId array) { return all_follow[array]; };
  if (const std::string reason = reason_by_other_loops(pipeline, loop, all_follow); !reason.empty())
    return reason;
  std::vector<ArrayId> tested = loop.residuals;
  if (loop.condition != no_array) tested.push_back(loop.condition);
  if (tested.empty()) return fmt::format("the loop '{}' has neither condition nor residual", loop.name);
  for (ArrayId value : tested)
    if (!follows(value)) return fmt::format("'{}' does not follow from a reduction", pipeline[value].name);
  for (const auto& feed : loop.feeds)
    if (follows(feed.from))
      return fmt::format("'{}' is fed: the next turn needs it", pipeline[feed.from].name);
  for (ArrayId id : pipeline.ids())
    for (ArrayId input : pipeline[id].inputs) {
      const bool reads_test = loop.contains(input) && follows(input);
      const bool is_later = id >= loop.last;
      // A reduction cannot be delayed until the test is known, because it takes in points while they are
      // computed.
      if (loop.contains(id) && reads_test && (pipeline[id].is_reduction() || !follows(id)))
        return fmt::format("'{}' reads '{}': the next turn needs it", pipeline[id].name,
                           pipeline[input].name);
      if (is_later && loop.contains(input) && !reads_test)
        return fmt::format("'{}' reads '{}' after the loop, where it would be computed for one turn more",
                           pipeline[id].name, pipeline[input].name);
      const bool changes = loop.contains(input) ? !reads_test : (loop.feed_to(input) != nullptr);
      if (loop.contains(id) && pipeline[id].is_value() && follows(id) && changes)
        return fmt::format("'{}' reads '{}', which the next turn changes", pipeline[id].name,
                           pipeline[input].name);
    }
  for (ArrayId id : loop.arrays())
    if (pipeline[id].is_output && !follows(id))
      return fmt::format("'{}' is an output, and would be computed for one turn more", pipeline[id].name);
  return "";
}

}  // namespace tessera
