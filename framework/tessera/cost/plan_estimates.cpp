// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/cost/plan_estimates.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::cost {

void PlanEstimates::add(const RankEstimate& rank) {
  const bool is_first = longest_.empty();
  if (is_first || rank.seconds > slowest_.seconds) slowest_ = rank;
  if (is_first || rank.seconds < fastest_.seconds) fastest_ = rank;
  longest_.resize(std::max(longest_.size(), rank.steps.size()));
  for (std::size_t i = 0; i < rank.steps.size(); ++i)
    longest_[i] = std::max(longest_[i], rank.steps[i].seconds);
}

double PlanEstimates::seconds_if_all_wait() const {
  return std::accumulate(longest_.begin(), longest_.end(), 0.0);
}

}  // namespace tessera::cost
