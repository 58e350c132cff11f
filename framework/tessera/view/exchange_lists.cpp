// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/view/exchange_lists.hpp"

namespace tessera {
namespace {

/// Returns the highest dimension with more than one point, or 0 if there is none.
int top_dimension(const Box& box) {
  int top = box.dimensions - 1;
  while (top > 0 && box[top].size() == 1) --top;
  return top;
}

Point opposite(const Point& shift) {
  Point back;
  for (int d = 0; d < max_dimensions; ++d) back[d] = -shift[d];
  return back;
}

}  // namespace

void append_messages(int partner, const Box& owned, const std::vector<PeriodicPiece>& need,
                     std::vector<Message>& messages) {
  for (const PeriodicPiece& piece : need) {
    const Box source = intersection(shifted(piece.box, piece.shift), owned);
    if (!source.empty()) messages.push_back({partner, shifted(source, opposite(piece.shift)), piece.shift});
  }
}

ExchangeLists receive_lists(const BlockDistribution& owners, const BoundaryConditions& conditions, int rank,
                            const Box& need) {
  std::vector<Message> messages;
  for (const PeriodicPiece& piece : periodic_pieces(need, owners.domain(), conditions)) {
    const Point back = opposite(piece.shift);
    for (const OwnedPart& part : owners.owned_parts(shifted(piece.box, piece.shift)))
      messages.push_back({part.rank, shifted(part.box, back), piece.shift});
  }
  // The messages of each partner stay in the order of the pieces, which is their order at the sender.
  if (!std::ranges::is_sorted(messages, {}, &Message::partner))
    std::ranges::stable_sort(messages, {}, &Message::partner);
  ExchangeLists lists;
  lists.receives.reserve(messages.size());
  lists.sends.reserve(messages.size());  // usually as many as receives
  for (const Message& message : messages)
    (message.partner == rank ? lists.copies : lists.receives).push_back(message);
  return lists;
}

bool is_slab_of(const Box& box, const BlockLayout& layout, const Box& domain,
                const BoundaryConditions& conditions) {
  for (int d = 0; d < top_dimension(box); ++d) {
    const bool is_whole_row = box[d] == layout.box[d];
    const bool is_whole_row_inside =
        !conditions.is_periodic(d) && box[d] == intersection(layout.box[d], domain[d]);
    if (!is_whole_row && !is_whole_row_inside) return false;
  }
  return true;
}

bool have_common_strides(const Box& box, const BlockLayout& a, const BlockLayout& b) {
  for (int d = 1; d <= top_dimension(box); ++d)
    if (a.strides[d] != b.strides[d]) return false;
  return true;
}

}  // namespace tessera
