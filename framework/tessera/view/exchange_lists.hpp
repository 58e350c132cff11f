// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/domain/boundary.hpp"
#include "tessera/domain/rank_search.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera {

/// A box of one array that goes to, or comes from, another rank. `box` is where the receiver holds it; the
/// sender reads it `shift` further on: not zero where a periodic array wraps around.
struct Message {
  int partner = 0;
  Box box;
  Point shift = {};
  /// Both ranks hold the box as one range of memory of the same shape: it is sent in place, padding included.
  bool in_place = false;

  Box source() const { return shifted(box, shift); }
  bool operator==(const Message&) const = default;
};

/// What one rank sends and receives so that every rank holds what it needs. In rising order of partners; the
/// boxes that go from one rank to another are in the same order on both.
struct ExchangeLists {
  std::vector<Message> sends;
  std::vector<Message> receives;
  /// What the rank itself owns and needs elsewhere; `partner` is the rank.
  std::vector<Message> copies;
};

/// Appends the boxes of the need of `partner` that `owned`, a rank's block, has points for. The
/// need, in pieces, may reach beyond the domain of the array; of what lies outside, only what repeats points
/// of periodic dimensions is had from other ranks.
void append_messages(int partner, const Box& owned, const std::vector<PeriodicPiece>& need,
                     std::vector<Message>& messages);

/// What `rank` receives and copies when it needs `need`: `lists` without the sends.
ExchangeLists receive_lists(const BlockDistribution& owners, const BoundaryConditions& conditions, int rank,
                            const Box& need);

/// The messages of `rank` for an array with these owners. `need(first, last)` is a box that holds what the
/// ranks [first, last) need of the array, and for one rank just that; `search` is one over all ranks that may
/// need something, and is best used for all arrays. What a rank owns and needs where it is counts among its
/// copies, with a shift of zero. Costs the number of partners times the logarithm of the rank count, not the
/// rank count, and for further arrays with like partners no more than their number.
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

/// The same for the ghosts of one array, among `rank_count` ranks, that holds what its rank owns and needs:
/// what is there already is not copied.
template <class Need>
ExchangeLists exchange_lists(const BlockDistribution& owners, const BoundaryConditions& conditions, int rank,
                             int rank_count, const Need& need) {
  RankSearch search(rank_count);
  ExchangeLists lists = transfer_lists(owners, conditions, rank, search, need);
  std::erase_if(lists.copies, [](const Message& copy) { return copy.shift == Point{}; });
  return lists;
}

/// Bytes of the buffer through which one side of the messages of one array travels: each partner's share
/// begins on 64 bytes, and what is sent in place needs none.
std::int64_t buffer_bytes(const std::vector<Message>& messages, std::int64_t element_size);

/// Bytes of one box in a message; the next one begins at a multiple of 16, whatever its elements.
constexpr std::int64_t packed_bytes(const Box& box, std::int64_t element_size) {
  return (box.size() * element_size + 15) / 16 * 16;
}

/// True when `box` lies in an array of this layout as one range of memory that may be sent as it is: between
/// its rows there is nothing but padding, and points outside the domain that the boundary conditions fill in
/// after every exchange.
bool is_slab_of(const Box& box, const BlockLayout& layout, const Box& domain,
                const BoundaryConditions& conditions);

/// True when rows, planes and so on of `box` are equally far apart in both layouts.
bool have_common_strides(const Box& box, const BlockLayout& a, const BlockLayout& b);

/// Marks the messages of an array on `domain` that can be sent in place, being slabs of the same shape on
/// both ranks. `mine(written)` is how this rank holds what it sends (true) or receives (false), `theirs(rank,
/// written)` how another one does. Boxes that travel together with others to or from the same partner are not
/// marked: they are packed into one message.
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

/// The same where ranks hold all of the array in one buffer: layout(rank).
template <class Layout>
void mark_in_place(ExchangeLists& lists, int rank, const Layout& layout, const Box& domain,
                   const BoundaryConditions& conditions) {
  mark_in_place(
      lists, [&](bool) { return layout(rank); }, [&](int other, bool) { return layout(other); }, domain,
      conditions);
}

}  // namespace tessera
