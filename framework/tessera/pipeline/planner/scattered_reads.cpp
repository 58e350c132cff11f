// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/scattered_reads.hpp"

#include <fmt/format.h>

#include "tessera/domain/corners.hpp"
#include "tessera/pipeline/planner/required_boxes.hpp"

namespace tessera {
namespace {

/// A line is written if a plan needs memory for at least this many points for each point that is read.
constexpr double worth_a_line = 100;

/// Returns the dimension along which `all` is the most times as long as `one`.
int farthest_dimension(const Box& all, const Box& one) {
  int farthest = 0;
  const auto times = [&](int d) { return all[d].size() / one[d].size(); };
  for (int d = 1; d < all.dimensions; ++d)
    if (times(d) > times(farthest)) farthest = d;
  return farthest;
}

}  // namespace

std::vector<std::string> scattered_reads(const Algorithm& pipeline, const Plan& plan) {
  std::vector<std::string> lines;
  for (int stage = 0; stage < pipeline.size(); ++stage) {
    const ArrayDeclaration& declaration = pipeline[stage];
    const Box& domain = plan.stages[static_cast<std::size_t>(stage)].domain;
    if (declaration.kernel == nullptr || declaration.lead != stage || domain.empty()) continue;
    const std::vector<Box> all = required_boxes(pipeline, stage, domain);
    const std::vector<Box> one = required_boxes(pipeline, stage, centre(domain, false));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].empty() || one[i].empty()) continue;
      const double read = static_cast<double>(domain.size()) * static_cast<double>(one[i].size());
      const double times = static_cast<double>(all[i].size()) / read;
      if (times < worth_a_line) continue;
      lines.push_back(fmt::format(
          "warning: stage '{}' needs memory for {} points of '{}', {:.0f} times as many as it reads, because "
          "index {} of '{}' in its body grows faster than a coordinate",
          declaration.name, all[i].size(), pipeline[declaration.inputs[i]].name, times,
          farthest_dimension(all[i], one[i]), pipeline[declaration.inputs[i]].name));
    }
  }
  return lines;
}

}  // namespace tessera
