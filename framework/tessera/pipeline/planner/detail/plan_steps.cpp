// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/detail/planner.hpp"

#include <algorithm>

namespace tessera {

int PlanSteps::begin_loop(plan::Repeat loop) {
  open_loops_.push_back(add(std::move(loop)));
  levels_.emplace_back();
  return open_loops_.back();
}

int PlanSteps::end_loop() {
  std::vector<PlanNode> children = std::move(levels_.back());
  levels_.pop_back();
  std::get<plan::Repeat>(levels_.back().back().step).children = std::move(children);
  loops_.emplace_back(open_loops_.back(), size_);
  open_loops_.pop_back();
  return size_++;
}

void PlanSteps::unite(const std::vector<BufferId>& buffers) {
  Lifetime all;
  for (BufferId buffer : buffers)
    if (const Lifetime& one = lifetimes_[buffer]; one.first <= one.last) {
      all.use(one.first);
      all.use(one.last);
    }
  for (BufferId buffer : buffers) lifetimes_[buffer] = all;
}

const IdVector<BufferId, Lifetime>& PlanSteps::settle_lifetimes() {
  for (const auto& [begin, end] : loops_)
    for (Lifetime& lifetime : lifetimes_) {
      const bool is_inside = begin < lifetime.first && lifetime.last < end;
      const bool is_outside = lifetime.last < begin || end < lifetime.first;
      if (is_inside || is_outside) continue;
      lifetime.use(begin);
      lifetime.use(end);
    }
  return lifetimes_;
}

int PlanSteps::node_of(int step) const {
  const auto ends = std::ranges::count_if(loops_, [step](const auto& loop) { return loop.second <= step; });
  return step - static_cast<int>(ends);
}

namespace {

/// A message with one box, and the number of bytes of this box in a packed message.
struct PackedBox {
  Message* message = nullptr;
  std::int64_t bytes = 0;

  int partner() const { return message->partner; }
};

/// Marks the boxes [first, last) as parts of one packed message. Returns the number of bytes of the buffer of
/// this message.
template <class Iterator>
std::int64_t pack(Iterator first, Iterator last) {
  std::int64_t bytes = 0;
  for (; first != last; ++first) {
    first->message->in_place = false;
    bytes += first->bytes;
  }
  return aligned_bytes(bytes);
}

}  // namespace

std::int64_t merge_messages(plan::Exchange& exchange, const Algorithm& pipeline) {
  std::vector<PackedBox> boxes;
  std::int64_t bytes = 0;
  for (const bool sends : {true, false}) {
    boxes.clear();
    for (plan::ArrayMessages& array : exchange.arrays) {
      const std::int64_t size = pipeline[array.array].element_bytes();
      for (Message& message : sends ? array.lists.sends : array.lists.receives)
        boxes.push_back({&message, packed_bytes(message.box, size)});
    }
    std::ranges::stable_sort(boxes, {}, &PackedBox::partner);
    for (auto first = boxes.begin(); first != boxes.end();) {
      const auto last = std::find_if(first, boxes.end(),
                                     [&](const PackedBox& box) { return box.partner() != first->partner(); });
      if (last - first > 1 || !first->message->in_place) bytes += pack(first, last);
      first = last;
    }
  }
  return bytes;
}

}  // namespace tessera
