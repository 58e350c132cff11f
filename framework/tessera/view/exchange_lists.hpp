// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/domain/boundary.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera {

/// A box of one array that a rank sends to another rank or receives from another rank.
struct Message {
  /// The rank that receives the box, or that sends it.
  int partner = 0;
  /// The points that the receiver gets, in global coordinates.
  Box box;
  /// The shift from the points that the receiver gets to the points that the sender reads. It is zero, except
  /// for points outside the domain that repeat points of the domain in periodic dimensions.
  Point shift = {};
  /// True when the box lies in one range of memory, with the same strides, on both ranks. It can then be sent
  /// in place: directly from array to array, including padding, without being packed into a buffer.
  bool in_place = false;

  /// The points that the sender reads, in global coordinates.
  Box source() const { return shifted(box, shift); }
  /// Returns true when all members are equal.
  bool operator==(const Message&) const = default;
};

/// The boxes that one rank sends and receives, so that every rank gets the points that it needs. Each list is
/// in rising order of partners. Boxes that are sent from one rank to another are in the same order in the
/// lists of both ranks.
struct ExchangeLists {
  /// The boxes that the rank sends.
  std::vector<Message> sends;
  /// The boxes that the rank receives.
  std::vector<Message> receives;
  /// The boxes that the rank both owns and needs. The rank copies them to another array, or to other points
  /// of the same array. `partner` is the rank itself.
  std::vector<Message> copies;
};

/// Appends to `messages` the boxes that a rank sends to `partner`. The rank owns the block `owned`. `need` is
/// the box that `partner` needs, cut into pieces by periodic_pieces. Points outside the domain are sent only
/// if they repeat points of the domain in periodic dimensions.
void append_messages(int partner, const Box& owned, const std::vector<PeriodicPiece>& need,
                     std::vector<Message>& messages);

/// Returns the boxes that `rank` receives and copies when it needs the points of `need`. The list of the
/// boxes that it sends is empty. `owners` says which rank owns which point, and `conditions` says which
/// dimensions are periodic.
ExchangeLists receive_lists(const BlockDistribution& owners, const BoundaryConditions& conditions, int rank,
                            const Box& need);

/// Returns the boxes that `rank` sends, receives and copies, for one array. `owners` says which rank owns
/// which point of the array, and `conditions` says which dimensions are periodic. need(first, last) must
/// return a box that contains all points of the array that the ranks [first, last) need. For a single rank it
/// must return exactly the box that this rank needs. `search` must be a search among all ranks that may need
/// points. It is best to use the same search for all arrays. Points that `rank` owns and needs at the same
/// coordinates are among its copies, with a shift of zero.
///
/// The time is proportional to the number of partners times the logarithm of the number of ranks. If `search`
/// was used before for an array with similar partners, the time is proportional to the number of partners
/// only.
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

/// Returns the boxes that `rank` sends, receives and copies to fill its ghosts of one array. There are
/// `rank_count` ranks, and each of them holds the points that it owns and the points that it needs in one
/// buffer. Owned points are therefore not copied to the same coordinates. The other arguments are those of
/// transfer_lists.
template <class Need>
ExchangeLists exchange_lists(const BlockDistribution& owners, const BoundaryConditions& conditions, int rank,
                             int rank_count, const Need& need) {
  RankSearch search(rank_count);
  ExchangeLists lists = transfer_lists(owners, conditions, rank, search, need);
  std::erase_if(lists.copies, [](const Message& copy) { return copy.shift == Point{}; });
  return lists;
}

/// Returns the number of bytes that one box takes in a message, rounded up to a multiple of 16. The next box
/// begins after these bytes.
constexpr std::int64_t packed_bytes(const Box& box, std::int64_t element_size) {
  return (box.size() * element_size + 15) / 16 * 16;
}

/// Returns true when `box` is a slab of an array with this layout: a box that lies in one range of memory and
/// can be sent in place. The range may include padding between the rows of the box. It may also include
/// points outside `domain`, because the boundary conditions fill in these points after every exchange.
bool is_slab_of(const Box& box, const BlockLayout& layout, const Box& domain,
                const BoundaryConditions& conditions);

/// Returns true when neighbouring rows, planes and so on of `box` have the same distance in memory in the
/// layouts `a` and `b`.
bool have_common_strides(const Box& box, const BlockLayout& a, const BlockLayout& b);

/// Sets Message::in_place for the boxes of an array on `domain` that can be sent in place. Such a box is a
/// slab on both ranks (see is_slab_of), with the same strides. If several boxes are sent to the same partner,
/// or received from it, they are packed into one message, so none of them is sent in place.
///
/// `rank` is this rank. layout(r, true) returns the layout of the array whose boxes the rank r sends, and
/// layout(r, false) that of the array that stores the boxes it receives.
template <class Layout>
void mark_in_place(ExchangeLists& lists, int rank, const Layout& layout, const Box& domain,
                   const BoundaryConditions& conditions) {
  for (auto* messages : {&lists.sends, &lists.receives}) {
    if (messages->empty()) continue;
    const bool sends = messages == &lists.sends;
    const BlockLayout here = layout(rank, sends);
    for (std::size_t i = 0; i < messages->size(); ++i) {
      Message& message = (*messages)[i];
      const auto shares_partner = [&](std::size_t k) {
        return k < messages->size() && (*messages)[k].partner == message.partner;
      };
      // For the first message, i - 1 is the greatest index, which is beyond the end.
      if (shares_partner(i - 1) || shares_partner(i + 1)) continue;
      if (!is_slab_of(sends ? message.source() : message.box, here, domain, conditions)) continue;
      const BlockLayout there = layout(message.partner, !sends);
      message.in_place = is_slab_of(sends ? message.box : message.source(), there, domain, conditions) &&
                         have_common_strides(message.box, here, there);
    }
  }
}

}  // namespace tessera
