// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tessera::graph_test {

/// Returns the most items that are kept at the same time, of pairs that have the members first and second or
/// are arrays. Before an item, those are kept that have come and still have a partner to come.
template <class Pairs>
int most_kept_by_definition(const Pairs& pairs, const std::vector<int>& order) {
  const auto time = [&](int item) { return std::ranges::find(order, item) - order.begin(); };
  std::ptrdiff_t most = 0;
  for (std::ptrdiff_t now = 0; now < std::ssize(order); ++now)
    most = std::max(most, 1 + std::count_if(order.begin(), order.begin() + now, [&](int item) {
                            return std::ranges::any_of(pairs, [&](const auto& pair) {
                              const auto& [first, second] = pair;
                              return (first == item && time(second) >= now) ||
                                     (second == item && time(first) >= now);
                            });
                          }));
  return static_cast<int>(most);
}

}  // namespace tessera::graph_test
