// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// Ranks whose plans are the same but for where their blocks lie and who their partners are: the corners of a
/// grid, its edges, its interior.
struct RankClass {
  std::int64_t rank_count = 0;
  /// The first that was added.
  int first_rank = 0;

  bool operator==(const RankClass&) const = default;
};

/// Sorts ranks into classes. Keeps no plans: those of a pyramid on thousands of ranks are large, and hardly
/// two the same.
class RankClasses {
 public:
  void add(const Plan& plan);

  /// In the order in which their first ranks were added.
  const std::vector<RankClass>& classes() const { return classes_; }

  /// The `count` classes of most ranks, or all if there are fewer, in the order of classes().
  std::vector<RankClass> largest(std::size_t count) const;

 private:
  std::vector<RankClass> classes_;
  /// By the hash of what plans of a class have in common.
  std::unordered_map<std::size_t, std::size_t> places_;
};

}  // namespace tessera
