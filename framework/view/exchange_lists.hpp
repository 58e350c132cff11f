// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/block_distribution.hpp"

namespace tessera {

/// A box of one array that goes to, or comes from, another rank.
struct Message {
  int partner = 0;
  Box box;
  bool operator==(const Message&) const = default;
};

/// What one rank sends and receives so that every rank holds what it needs; at most one message each way and
/// partner, in rising order of partners.
struct ExchangeLists {
  std::vector<Message> sends;
  std::vector<Message> receives;
};

/// The messages of `rank` for an array with these owners. `need(first, last)` is a box that holds what the
/// ranks [first, last) need of the array; needs are cut to the array's domain, and what a rank owns is never
/// sent to it. Costs the number of partners times the logarithm of the rank count, not the rank count.
template <class Need>
ExchangeLists exchange_lists(const BlockDistribution& owners, int rank, const Need& need) {
  ExchangeLists lists;
  const auto within_domain = [&](int first, int last) {
    const Box wanted = need(first, last);
    return wanted.empty() ? Box{} : intersection(wanted, owners.domain());
  };
  const Box mine = owners.owned(rank);
  const Box wanted = within_domain(rank, rank + 1);
  for (int partner : owners.ranks_touching(wanted))
    if (partner != rank) lists.receives.push_back({partner, intersection(wanted, owners.owned(partner))});
  const auto of_mine = [&](int first, int last) {
    const Box box = within_domain(first, last);
    return box.empty() ? Box{} : intersection(box, mine);
  };
  bisect_ranks(
      0, owners.rank_count(), [&](int first, int last) { return !of_mine(first, last).empty(); },
      [&](int partner) {
        if (partner != rank) lists.sends.push_back({partner, of_mine(partner, partner + 1)});
      });
  return lists;
}

}  // namespace tessera
