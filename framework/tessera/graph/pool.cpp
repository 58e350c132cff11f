// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/pool.hpp"

#include <algorithm>
#include <map>
#include <ranges>

#include "tessera/graph/detail/execution.hpp"

namespace tessera::graph::detail {

void PoolState::allocate() {
  high_water_ = 0;
  while (std::ssize(slots_) > count && !free_.empty()) {
    std::erase_if(slots_, [&](const auto& slot) { return slot.get() == free_.back(); });
    free_.pop_back();
  }
  while (std::ssize(slots_) < count) {
    slots_.push_back(std::make_unique<PoolSlot>());
    slots_.back()->pool = this;
    slots_.back()->buffer = make_();
    free_.push_back(slots_.back().get());
  }
}

bool PoolState::may_grant(int wanted, std::uint64_t age, std::uint64_t oldest) const {
  const int left = free_count() - wanted;
  if (left < 0 || age == oldest) return left >= 0;
  if (left >= per_item) return true;
  // The oldest item may need `per_item` buffers, less those that it holds.
  const auto held = std::ranges::count_if(
      slots_, [&](const auto& slot) { return slot->age == oldest && slot->holders.load() > 0; });
  return left >= per_item - static_cast<int>(held);
}

PoolSlot* PoolState::take(std::uint64_t age) {
  PoolSlot* slot = free_.back();
  free_.pop_back();
  slot->age = age;
  slot->holders.store(1);
  high_water_ = std::max(high_water_, static_cast<int>(slots_.size()) - free_count());
  return slot;
}

std::pair<TaskId, int> PoolState::greatest_holder() const {
  std::map<TaskId, int> held;
  for (const auto& slot : slots_)
    if (slot->holders.load() > 0) ++held[slot->holder.load()];
  if (held.empty()) return {no_task, 0};
  return *std::ranges::max_element(held, {}, [](const auto& entry) { return entry.second; });
}

bool PoolState::is_held_outside() const {
  return std::ranges::any_of(
      slots_, [](const auto& slot) { return slot->holders.load() > 0 && slot->holder.load() == no_task; });
}

void PoolState::give_back(PoolSlot* slot) {
  // The run gets the buffer under the lock, because it may be destroyed as soon as its items are done.
  const std::lock_guard lock(core_->mutex);
  free_.push_back(slot);
  if (core_->run != nullptr) core_->run->buffer_returned();
}

}  // namespace tessera::graph::detail
