// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera {

/// The groups of arrays that change places with each other in loops. The arrays of a group have the same
/// blocks, and buffers of one shape.
class SwapGroups {
 public:
  explicit SwapGroups(const Algorithm& pipeline);

  /// The group of an array, the array itself among its members, in order; it has no members when no loop
  /// feeds the array.
  const std::vector<int>& of(int array) const {
    return groups_[static_cast<std::size_t>(group_of_[static_cast<std::size_t>(array)])];
  }
  /// All groups. Some have no members, the first of them always.
  const std::vector<std::vector<int>>& all() const { return groups_; }

 private:
  void join(int from, int to);

  /// By array: its place in the list of groups.
  std::vector<int> group_of_;
  std::vector<std::vector<int>> groups_ = {{}};
};

}  // namespace tessera
