// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "tessera/pipeline/plan.hpp"

namespace tessera {

/// Ranks whose plans are the same but for where their blocks lie and who their partners are: the corners of a
/// grid, its edges, its interior.
struct RankClass {
  std::int64_t rank_count = 0;
  /// Of the first of them.
  Plan plan;
};

/// Sorts ranks into classes. Keeps one plan of each.
class RankClasses {
 public:
  void add(Plan plan);

  /// In the order in which their first ranks were added.
  const std::vector<RankClass>& classes() const { return classes_; }

 private:
  std::vector<RankClass> classes_;
  /// By what plans of a class have in common.
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace tessera
