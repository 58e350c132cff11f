// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/algorithm/algorithm.hpp"

namespace tessera {

/// The groups of arrays whose buffers loops swap with each other (see plan::Swap). All arrays of a group have
/// the same blocks, and their buffers have the same shape.
class SwapGroups {
 public:
  /// Finds the groups of arrays in `pipeline`. If a loop feeds one array to another (see
  /// LoopDeclaration::Feed), both arrays are in the same group.
  explicit SwapGroups(const Algorithm& pipeline);

  /// Returns the ids of all arrays in the group of `array`, including `array` itself, in ascending order. The
  /// list is empty if no loop feeds `array` to another array or another array to `array`.
  const std::vector<int>& of(int array) const {
    return groups_[static_cast<std::size_t>(group_of_[static_cast<std::size_t>(array)])];
  }
  /// All groups. The first group is always empty, and other groups may be empty, too.
  const std::vector<std::vector<int>>& all() const { return groups_; }

 private:
  void join(int from, int to);

  /// For each array, by its id, the index of its group in `groups_`; 0 if the array is in no group.
  std::vector<int> group_of_;
  std::vector<std::vector<int>> groups_ = {{}};
};

}  // namespace tessera
