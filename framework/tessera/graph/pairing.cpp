// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/pairing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tessera/domain/error.hpp"

namespace tessera::graph {

Pairing::Pairing(std::vector<std::array<int, 2>> pairs) : pairs_(std::move(pairs)) {
  for (const int pair : pairs_.ids()) {
    const auto [first, second] = pairs_[pair];
    if (first < 0 || second < 0 || first == second)
      throw InputError(fmt::format("pair {} has the items {} and {}: give two different numbers from 0 on",
                                   pair, first, second));
    for (const int item : pairs_[pair]) {
      if (!pairs_of_item_.contains(item)) pairs_of_item_.resize(static_cast<std::size_t>(item) + 1);
      pairs_of_item_[item].push_back(pair);
    }
  }
}

std::span<const int> Pairing::pairs_of(int item) const {
  if (!pairs_of_item_.contains(item)) return {};
  return pairs_of_item_[item];
}

int Pairing::most_kept(std::span<const int> order) const {
  IdVector<int, std::uint8_t> has_come(pairs_of_item_.values().size());
  IdVector<int, std::size_t> left;
  for (const std::vector<int>& pairs : pairs_of_item_) left.push_back(pairs.size());
  int kept = 0, most = 0;
  for (const int item : order) {
    most = std::max(most, ++kept);
    if (pairs_of(item).empty()) --kept;
    for (const int pair : pairs_of(item)) {
      has_come[item] = 1;
      const auto [first, second] = (*this)[pair];
      if (has_come[first] == 0 || has_come[second] == 0) continue;
      for (const int done : {first, second})
        if (--left[done] == 0) --kept;
    }
  }
  return most;
}

void detail::fail_paired_twice(int item) {
  throw InternalError(fmt::format("item {} comes twice to a task that makes pairs", item));
}

void detail::fail_unpaired(int item, int partner) {
  throw InternalError(fmt::format(
      "item {} comes to a task that makes pairs, but item {} of one of its pairs does not", item, partner));
}

int detail::checked_number(std::int64_t item) {
  if (item < 0 || item > std::numeric_limits<int>::max())
    throw InternalError(
        fmt::format("an item with the number {} comes to a task that makes pairs: they count from 0", item));
  return static_cast<int>(item);
}

}  // namespace tessera::graph
