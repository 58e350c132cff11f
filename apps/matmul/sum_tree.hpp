// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>

namespace matmul {

/// The place of a sum in the tree: level 0 has the leaves.
struct TreePlace {
  int level = 0;
  std::int64_t number = 0;
  bool operator==(const TreePlace&) const = default;
  auto operator<=>(const TreePlace&) const = default;
};

/// A fixed binary tree, in which the partial sums of a block are added pairwise. Its shape depends on the
/// number of leaves only: sums 2 i and 2 i + 1 of a level become the sum i of the next level, and a last sum
/// without a partner goes up as it is. So results do not depend on the order in which sums are ready.
class SumTree {
 public:
  /// Makes a tree of at least one leaf.
  explicit SumTree(std::int64_t leaves) : leaves_(leaves) {}

  /// Returns the most sums of one block that are needed at the same time, if leaves are computed one after
  /// the other.
  std::int64_t most_alive() const { return std::bit_width(static_cast<std::uint64_t>(leaves_)); }
  /// Returns whether the sum at `place` is that of all leaves.
  bool is_root(TreePlace place) const { return sums_of(place.level) == 1; }
  /// Returns the highest place of a sum that needs no addition to get there.
  TreePlace settled(TreePlace place) const {
    while (!is_root(place) && place.number == sums_of(place.level) - 1 && place.number % 2 == 0)
      place = parent(place);
    return place;
  }
  /// Returns the place of the sum of two partners.
  static TreePlace parent(TreePlace place) { return {place.level + 1, place.number / 2}; }

 private:
  std::int64_t sums_of(int level) const { return (leaves_ + (std::int64_t(1) << level) - 1) >> level; }

  std::int64_t leaves_;
};

}  // namespace matmul
