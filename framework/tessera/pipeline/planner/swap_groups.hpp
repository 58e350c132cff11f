// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera {

/// The groups of arrays that change places with each other in loops. The arrays of a group have the same
/// blocks, and buffers of one shape.
class SwapGroups {
 public:
  /// Finds the groups of the arrays that the loops of `pipeline` feed.
  explicit SwapGroups(const Algorithm& pipeline);

  /// The ids of all members of an array's group in ascending order, which include the array; the list is
  /// empty if no loop feeds the array or takes it to feed another.
  const std::vector<int>& of(int array) const {
    return groups_[static_cast<std::size_t>(group_of_[static_cast<std::size_t>(array)])];
  }
  /// All groups. Some have no members; the first one never has any.
  const std::vector<std::vector<int>>& all() const { return groups_; }

 private:
  void join(int from, int to);

  /// The place of each array's group in `groups_`, by the array's id.
  std::vector<int> group_of_;
  std::vector<std::vector<int>> groups_ = {{}};
};

}  // namespace tessera
