// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// A class of ranks whose plans differ only in the positions of boxes and in the ranks to which messages go
/// or from which they come. Examples are the ranks in the interior of a grid, along one edge, or in one
/// corner.
struct RankClass {
  /// The number of ranks in the class.
  std::int64_t rank_count = 0;
  /// The rank that was added to this class first.
  int first_rank = 0;

  /// Whether both classes have the same number of ranks and the same first rank.
  bool operator==(const RankClass&) const = default;
};

/// Sorts ranks into classes by their plans. Only a hash of each plan is kept, because the plans of thousands
/// of ranks would need too much memory.
class RankClasses {
 public:
  /// Adds the rank of this plan to its class. A class that does not exist yet is made.
  void add(const Plan& plan);

  /// Returns the classes in the order in which their first ranks were added.
  const std::vector<RankClass>& classes() const { return classes_; }

  /// Returns the `count` classes with the most ranks, or all classes if there are fewer. The result is sorted
  /// by `first_rank`.
  std::vector<RankClass> largest(std::size_t count) const;

 private:
  std::vector<RankClass> classes_;
  /// The index of each class in `classes_`. The key is the hash of everything that the plans of the class
  /// have in common.
  std::unordered_map<std::size_t, std::size_t> places_;
};

}  // namespace tessera
