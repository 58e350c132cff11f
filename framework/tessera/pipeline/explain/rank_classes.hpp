// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// A class of ranks whose plans differ only in the positions of their blocks and in the numbers of their
/// partners, such as the ranks in the interior of a grid, those along one edge, or those in one corner.
struct RankClass {
  /// The number of ranks in the class.
  std::int64_t rank_count = 0;
  /// The rank of the class whose plan was added first.
  int first_rank = 0;

  /// Whether both members are equal.
  bool operator==(const RankClass&) const = default;
};

/// Sorts ranks into classes by their plans. It keeps only a hash of each plan, because the plans of a pyramid
/// on thousands of ranks are large, and hardly two are the same.
class RankClasses {
 public:
  /// Adds the rank of this plan to its class, and makes a new class if there is none yet.
  void add(const Plan& plan);

  /// Returns the classes in the order in which their first ranks were added.
  const std::vector<RankClass>& classes() const { return classes_; }

  /// Returns the `count` classes with the most ranks, or all classes if there are fewer, sorted by their
  /// first ranks.
  std::vector<RankClass> largest(std::size_t count) const;

 private:
  std::vector<RankClass> classes_;
  /// The place of each class in `classes_`, by the hash of all that the plans of the class have in common.
  std::unordered_map<std::size_t, std::size_t> places_;
};

}  // namespace tessera
