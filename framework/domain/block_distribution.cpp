// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/block_distribution.hpp"

#include <algorithm>

namespace tessera {

std::int64_t BlockDistribution::slice_boundary(int d, int slice) const {
  const std::int64_t extent = nominal_[d].size();
  const std::int64_t offset = slicing_ == Slicing::balanced
                                  ? extent * slice / grid_.size[d]
                                  : (extent + grid_.size[d] - 1) / grid_.size[d] * slice;
  if (offset == 0) return domain_[d].begin;
  return offset >= extent ? domain_[d].end : nominal_[d].begin + offset;
}

int BlockDistribution::slice_of(int d, std::int64_t point) const {
  const std::int64_t extent = nominal_[d].size();
  const std::int64_t slices = grid_.size[d];
  const std::int64_t offset = std::clamp<std::int64_t>(point - nominal_[d].begin, 0, extent - 1);
  // The last balanced slice that begins at or before the point: extent * slice < (offset + 1) * slices.
  return static_cast<int>(slicing_ == Slicing::balanced ? ((offset + 1) * slices - 1) / extent
                                                        : offset / ((extent + slices - 1) / slices));
}

Range BlockDistribution::slices(int d, int first, int last) const {
  return {slice_boundary(d, first), slice_boundary(d, last)};
}

Box BlockDistribution::owned_hull(int first, int last) const {
  Box box = domain_;
  first = std::max(first - first_rank_, 0);
  last = std::min(last - first_rank_, rank_count());
  if (first >= last) {
    for (int d = 0; d < box.dimensions; ++d) box[d].end = box[d].begin;
    return box;
  }
  const ProcessorGrid::Positions positions = grid_.positions(first, last);
  for (int d = 0; d < grid_.dimensions; ++d) {
    const auto i = static_cast<std::size_t>(d);
    box[d] = slices(d, positions.first[i], positions.last[i]);
  }
  return box;
}

int BlockDistribution::owner(const Point& point) const {
  ProcessorGrid::Position position = {};
  for (int d = 0; d < grid_.dimensions; ++d) position[static_cast<std::size_t>(d)] = slice_of(d, point[d]);
  return first_rank_ + grid_.rank(position);
}

std::vector<int> BlockDistribution::slices_touching(int d, Range range) const {
  std::vector<int> touching;
  for (std::int64_t point = range.begin; point < range.end;) {
    touching.push_back(slice_of(d, point));
    point = slice_boundary(d, touching.back() + 1);
  }
  return touching;
}

std::vector<int> BlockDistribution::ranks_touching(const Box& box) const {
  std::vector<int> ranks;
  const Box inside = intersection(box, domain_);
  if (inside.empty()) return ranks;
  std::vector<ProcessorGrid::Position> positions(1);
  for (int d = 0; d < grid_.dimensions; ++d) {
    std::vector<ProcessorGrid::Position> product;
    for (int slice : slices_touching(d, inside[d]))
      for (ProcessorGrid::Position position : positions) {
        position[static_cast<std::size_t>(d)] = slice;
        product.push_back(position);
      }
    positions = std::move(product);
  }
  for (const ProcessorGrid::Position& position : positions)
    ranks.push_back(first_rank_ + grid_.rank(position));
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

Point BlockDistribution::local(int rank, const Point& global) const {
  const Box block = owned(rank);
  Point local;
  for (int d = 0; d < block.dimensions; ++d) local[d] = global[d] - block[d].begin;
  return local;
}

Point BlockDistribution::global(int rank, const Point& local) const {
  const Box block = owned(rank);
  Point global;
  for (int d = 0; d < block.dimensions; ++d) global[d] = local[d] + block[d].begin;
  return global;
}

}  // namespace tessera
