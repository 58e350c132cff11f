// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/block_distribution.hpp"

namespace tessera {

std::int64_t BlockDistribution::slice_boundary(int d, int slice) const {
  if (slice == 0) return domain_[d].begin;
  const std::int64_t extent = nominal_[d].size();
  const std::int64_t size = (extent + grid_.size[d] - 1) / grid_.size[d];
  return slice * size >= extent ? domain_[d].end : nominal_[d].begin + slice * size;
}

Range BlockDistribution::slices(int d, int first, int last) const {
  return {slice_boundary(d, first), slice_boundary(d, last)};
}

Box BlockDistribution::owned_hull(int first, int last) const {
  Box box = domain_;
  int ranks_below = rank_count();
  for (int d = grid_.dimensions - 1; d >= 0; --d) {
    ranks_below /= grid_.size[d];
    const int lowest = first / ranks_below;
    const int highest = (last - 1) / ranks_below;
    box[d] = slices(d, lowest, highest + 1);
    if (lowest != highest) break;  // the lower dimensions are covered whole
    first -= lowest * ranks_below;
    last -= lowest * ranks_below;
  }
  return box;
}

std::vector<int> BlockDistribution::ranks_touching(const Box& box) const {
  std::vector<int> ranks;
  bisect_ranks(
      0, rank_count(),
      [&](int first, int last) { return !intersection(box, owned_hull(first, last)).empty(); },
      [&](int rank) { ranks.push_back(rank); });
  return ranks;
}

}  // namespace tessera
