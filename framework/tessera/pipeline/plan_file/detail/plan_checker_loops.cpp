// SPDX-License-Identifier: BSD-3-Clause
// Checks of the arrays that loops feed to each other, and of the steps that swap them.
#include <algorithm>
#include <set>

#include "tessera/pipeline/algorithm/feed_chains.hpp"
#include "tessera/pipeline/plan_file/detail/plan_checker.hpp"

namespace tessera::detail {

void PlanChecker::check_feeds(const plan::Repeat& step, const LoopDeclaration& loop) const {
  if (step.loop < 0) return;
  std::vector<plan::Swap> swaps, expected;
  for (const PlanNode& child : step.children) {
    if (const auto* swap = std::get_if<plan::Swap>(&child.step)) swaps.push_back(*swap);
    if (const auto* sequence = std::get_if<plan::Sequence>(&child.step))
      require(std::ranges::none_of(
                  sequence->children,
                  [](const PlanNode& inner) { return std::holds_alternative<plan::Swap>(inner.step); }),
              "step {}, inside of the loop '{}', has a swap", child.id, loop.name);
  }
  for (const auto& chain : feed_chains(loop))
    for (const auto& [from, to] : chain) expected.push_back({to, from});
  const auto is_same = [](const plan::Swap& one, const plan::Swap& other) {
    return one.first == other.first && one.second == other.second;
  };
  const auto text = [this](const std::vector<plan::Swap>& all) {
    std::string text;
    for (const plan::Swap& swap : all) {
      check_array(swap.first);
      check_array(swap.second);
      text += fmt::format("{}'{}' with '{}'", text.empty() ? "" : ", ", pipeline_[swap.first].name,
                          pipeline_[swap.second].name);
    }
    return text.empty() ? std::string("nothing") : text;
  };
  require(std::ranges::equal(swaps, expected, is_same), "it swaps {}, but the feeds of the loop '{}' swap {}",
          text(swaps), loop.name, text(expected));
  check_fed_buffers(step, loop);
}

void PlanChecker::check_fed_buffers(const plan::Repeat& step, const LoopDeclaration& loop) const {
  std::set<int> fed;
  for (const auto& [from, to] : loop.feeds)
    for (int array : {from, to})
      for (const auto side : {&ArrayRegions::written_buffer, &ArrayRegions::read_buffer}) {
        buffer_in_use(array, side);
        fed.insert(stage(array).*side);
      }
  for (const PlanNode& child : step.children)
    walk(child, [&](const PlanNode& node) {
      if (const auto* free = std::get_if<plan::Free>(&node.step))
        require(!fed.contains(free->buffer), "step {} frees buffer {}, whose array the loop '{}' feeds",
                node.id, free->buffer, loop.name);
    });
}

void PlanChecker::check_step(const plan::Swap& step) {
  check_array(step.first);
  check_array(step.second);
  const ArrayDeclaration &first = pipeline_[step.first], &second = pipeline_[step.second];
  require(first.type == second.type && first.dimensions == second.dimensions,
          "'{}' and '{}' are not of one type", first.name, second.name);
  for (const auto side : {&ArrayRegions::written_buffer, &ArrayRegions::read_buffer}) {
    const Buffer &mine = buffer_in_use(step.first, side), &other = buffer_in_use(step.second, side);
    require(stage(step.first).written_buffer == stage(step.first).read_buffer &&
                stage(step.second).written_buffer == stage(step.second).read_buffer,
            "'{}' and '{}' are not read where they are written", first.name, second.name);
    require(mine.box == other.box && mine.aligned_x == other.aligned_x, "'{}' and '{}' are not of one shape",
            first.name, second.name);
  }
}

}  // namespace tessera::detail
