// SPDX-License-Identifier: BSD-3-Clause
// The steps of a plan before the first turn of a loop, and at the end of every turn.
#include <algorithm>

#include "tessera/pipeline/algorithm/carried_arrays.hpp"
#include "tessera/pipeline/algorithm/feed_chains.hpp"
#include "tessera/pipeline/planner/detail/planner.hpp"

namespace tessera::detail {

void Planner::begin_loops(int id) {
  const auto& loops = pipeline_.loops();
  for (std::size_t l = 0; l < loops.size(); ++l)
    if (loops[l].first == id) begin_loop(static_cast<int>(l), loops[l]);
}

void Planner::end_loops(int id) {
  while (!open_loops_.empty() && open_loops_.back().declaration->last == id + 1) end_loop();
}

void Planner::begin_loop(int number, const LoopDeclaration& loop) {
  OpenLoop open{&loop, 0, {}};
  std::vector<int> now;
  const std::vector<int> changing = carried_arrays(pipeline_, loop);
  for (int id : pending_) {
    if (std::ranges::find(changing, id) != changing.end()) continue;
    // Turns of the loop after the rounds may run before more rounds (see Bindings::look), so that nothing may
    // be exchanged between the two loops.
    const bool is_read = std::ranges::any_of(scheduled_[id].consumers, [&](int consumer) {
      return loop.contains(consumer) ||
             (loop.rounds_of >= 0 && pipeline_.loops()[index(loop.rounds_of)].contains(consumer));
    });
    (is_read ? now : open.pending_later).push_back(id);
  }
  pending_ = std::move(now);
  if (!pending_.empty()) exchange_pending();
  plan::Repeat repeat;
  repeat.loop = number;
  repeat.maximum = loop.maximum;
  repeat.turns = loop.turns;
  repeat.rounds_of = loop.rounds_of;
  repeat.overlaps_test = loop.overlaps_test;
  repeat.continues = std::ranges::any_of(
      pipeline_.loops(), [number](const LoopDeclaration& other) { return other.rounds_of == number; });
  // The condition and the residuals are tested after the swaps.
  repeat.condition = after_swaps(loop, loop.condition);
  for (int residual : loop.residuals) repeat.residuals.push_back(after_swaps(loop, residual));
  open.begin = steps_.begin_loop(std::move(repeat));
  for (int id : changing) await(id);
  open_loops_.push_back(std::move(open));
}

void Planner::end_loop() {
  OpenLoop open = std::move(open_loops_.back());
  open_loops_.pop_back();
  const LoopDeclaration& loop = *open.declaration;
  add_swaps(loop);
  const int end = steps_.end_loop();
  const auto use_all_along = [&](int id) {
    for (int buffer : {stage(id).written_buffer, stage(id).read_buffer})
      for (int step : {open.begin, end}) use(buffer, step);
  };
  for (const auto& [from, to] : loop.feeds) {
    use_all_along(from);
    use_all_along(to);
  }
  if (loop.condition >= 0) use_all_along(loop.condition);
  for (int residual : loop.residuals) use_all_along(residual);
  std::erase_if(pending_, [&](int id) { return loop.feed_from(id) != nullptr; });
  for (int id : open.pending_later) await(id);
  for (int id : carried_arrays(pipeline_, loop)) await(id);
}

int Planner::after_swaps(const LoopDeclaration& loop, int value) {
  const LoopDeclaration::Feed* feed = loop.feed_from(value);
  return feed == nullptr ? value : feed->to;
}

void Planner::add_swaps(const LoopDeclaration& loop) {
  // The old points of the array at the end of a chain are not needed any more.
  for (const auto& chain : feed_chains(loop))
    for (const auto& [from, to] : chain) add(plan::Swap{to, from});
}

}  // namespace tessera::detail
