// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/domain/boundary.hpp"
#include "tessera/domain/rank_search.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera {

/// A box of one array that goes to, or comes from, another rank.
struct Message {
  /// The other rank.
  int partner = 0;
  /// The points of the receiver, in global coordinates.
  Box box;
  /// The sender reads the box `shift` further on. It is zero unless a periodic array wraps around.
  Point shift = {};
  /// True when both ranks hold the box as one range of memory of the same shape: it is then sent in place,
  /// padding included.
  bool in_place = false;

  /// The points that the sender reads.
  Box source() const { return shifted(box, shift); }
  /// Returns true when all members are equal.
  bool operator==(const Message&) const = default;
};

/// The boxes that one rank sends and receives, so that every rank holds the points that it needs. They are in
/// rising order of partners, and the boxes that go from one rank to another are in the same order on both.
struct ExchangeLists {
  /// The boxes that the rank sends.
  std::vector<Message> sends;
  /// The boxes that the rank receives.
  std::vector<Message> receives;
  /// The boxes that the rank both owns and needs, possibly elsewhere; `partner` is the rank itself.
  std::vector<Message> copies;
};

/// Appends to `messages` the boxes of the need of `partner` whose points lie in `owned`, a rank's block. The
/// need is given in pieces, see periodic_pieces. It may reach beyond the domain of the array; of the points
/// outside, only those that repeat points in periodic dimensions come from other ranks.
void append_messages(int partner, const Box& owned, const std::vector<PeriodicPiece>& need,
                     std::vector<Message>& messages);

/// Returns the boxes that `rank` receives and copies when it needs the box `need`. The list of sends is
/// empty.
ExchangeLists receive_lists(const BlockDistribution& owners, const BoundaryConditions& conditions, int rank,
                            const Box& need);

/// Returns the messages of `rank` for an array with these owners. need(first, last) must return a box that
/// holds all points that the ranks [first, last) need of the array, and for one rank exactly the box that it
/// needs. `search` must be a search among all ranks that may need something, and is best shared by all
/// arrays. Points that a rank owns and needs at the same place are among its copies, with a shift of zero.
///
/// The cost is that of the number of partners times the logarithm of the rank count, and for further arrays
/// with like partners that of their number alone.
template <class Need>
ExchangeLists transfer_lists(const BlockDistribution& owners, const BoundaryConditions& conditions, int rank,
                             RankSearch& search, const Need& need) {
  ExchangeLists lists = receive_lists(owners, conditions, rank, need(rank, rank + 1));
  const Box mine = owners.owned(rank);
  search.find(
      [&](int first, int last) {
        return periodic_touches(need(first, last), mine, owners.domain(), conditions);
      },
      [&](int partner) {
        if (partner != rank)
          append_messages(partner, mine,
                          periodic_pieces(need(partner, partner + 1), owners.domain(), conditions),
                          lists.sends);
      });
  return lists;
}

/// Returns the messages for the ghosts of one array, among `rank_count` ranks, where each rank holds what it
/// owns and needs in one buffer. Points that are in place already are not copied. The arguments are those of
/// transfer_lists.
template <class Need>
ExchangeLists exchange_lists(const BlockDistribution& owners, const BoundaryConditions& conditions, int rank,
                             int rank_count, const Need& need) {
  RankSearch search(rank_count);
  ExchangeLists lists = transfer_lists(owners, conditions, rank, search, need);
  std::erase_if(lists.copies, [](const Message& copy) { return copy.shift == Point{}; });
  return lists;
}

/// Returns the size in bytes of the buffer through which the messages of one array travel in one direction.
/// Each partner's share begins at a multiple of buffer_alignment, and boxes that are sent in place need no
/// space.
std::int64_t buffer_bytes(const std::vector<Message>& messages, std::int64_t element_size);

/// Returns the bytes that one box takes in a message, rounded up to a multiple of 16, where the next box
/// begins.
constexpr std::int64_t packed_bytes(const Box& box, std::int64_t element_size) {
  return (box.size() * element_size + 15) / 16 * 16;
}

/// Returns true when `box` lies in an array of this layout as one range of memory that may be sent as it is.
/// Between its rows there may be padding, and points outside the domain that the boundary conditions fill in
/// after every exchange.
bool is_slab_of(const Box& box, const BlockLayout& layout, const Box& domain,
                const BoundaryConditions& conditions);

/// Returns true when the rows, planes and so on of `box` are equally far apart in both layouts.
bool have_common_strides(const Box& box, const BlockLayout& a, const BlockLayout& b);

/// Marks the messages of an array on `domain` that can be sent in place, because they are slabs of the same
/// shape on both ranks. mine(written) returns how this rank holds the array that it sends (true) or receives
/// (false), and theirs(rank, written) how another rank does. Boxes that travel together with others to or
/// from the same partner are not marked, as they are packed into one message.
template <class Mine, class Theirs>
void mark_in_place(ExchangeLists& lists, const Mine& mine, const Theirs& theirs, const Box& domain,
                   const BoundaryConditions& conditions) {
  for (auto* messages : {&lists.sends, &lists.receives}) {
    if (messages->empty()) continue;
    const bool sends = messages == &lists.sends;
    const BlockLayout here = mine(sends);
    for (std::size_t i = 0; i < messages->size(); ++i) {
      Message& message = (*messages)[i];
      const auto shares_partner = [&](std::size_t k) {
        return k < messages->size() && (*messages)[k].partner == message.partner;
      };
      if (shares_partner(i - 1) || shares_partner(i + 1)) continue;
      if (!is_slab_of(sends ? message.source() : message.box, here, domain, conditions)) continue;
      const BlockLayout there = theirs(message.partner, !sends);
      message.in_place = is_slab_of(sends ? message.box : message.source(), there, domain, conditions) &&
                         have_common_strides(message.box, here, there);
    }
  }
}

/// Marks messages in place for ranks that hold all of their part in one buffer, with the layout layout(rank).
template <class Layout>
void mark_in_place(ExchangeLists& lists, int rank, const Layout& layout, const Box& domain,
                   const BoundaryConditions& conditions) {
  mark_in_place(
      lists, [&](bool) { return layout(rank); }, [&](int other, bool) { return layout(other); }, domain,
      conditions);
}

}  // namespace tessera
