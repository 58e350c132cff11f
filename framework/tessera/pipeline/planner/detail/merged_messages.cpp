// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/detail/merged_messages.hpp"

#include <algorithm>

namespace tessera {
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
