// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/block_distribution.hpp"

#include <algorithm>

namespace tessera {

std::int64_t BlockDistribution::slice_boundary(int d, int slice) const {
  const std::int64_t extent = nominal_[d].size();
  const std::int64_t offset =
      slicing_ == Slicing::balanced ? extent * slice / grid_.size[d] : ceil_slice_[d] * slice;
  if (offset == 0) return domain_[d].begin;
  return offset >= extent ? domain_[d].end : nominal_[d].begin + offset;
}

int BlockDistribution::slice_of(int d, std::int64_t point) const {
  const std::int64_t extent = nominal_[d].size();
  const std::int64_t slices = grid_.size[d];
  const std::int64_t offset = std::clamp<std::int64_t>(point - nominal_[d].begin, 0, extent - 1);
  // The last balanced slice that begins at or before the point: extent * slice < (offset + 1) * slices.
  return static_cast<int>(slicing_ == Slicing::balanced ? ((offset + 1) * slices - 1) / extent
                                                        : offset / ceil_slice_[d]);
}

Range BlockDistribution::slices(int d, int first, int last) const {
  return {slice_boundary(d, first), slice_boundary(d, last)};
}

Box BlockDistribution::owned_hull(int first, int last) const {
  first = std::max(first - first_rank_, 0);
  last = std::min(last - first_rank_, rank_count());
  if (first < last) return owned_at(grid_.positions(first, last));
  Box none = domain_;
  for (int d = 0; d < none.dimensions; ++d) none[d].end = none[d].begin;
  return none;
}

Box BlockDistribution::owned_at(const ProcessorGrid::Positions& positions) const {
  Box box = domain_;
  for (int d = 0; d < grid_.dimensions; ++d) box[d] = slices(d, positions.first[d], positions.last[d]);
  return box;
}

int BlockDistribution::owner(const Point& point) const {
  ProcessorGrid::Position position = {};
  for (int d = 0; d < grid_.dimensions; ++d) position[d] = slice_of(d, point[d]);
  return first_rank_ + grid_.rank(position);
}

void BlockDistribution::append_parts(int d, const Box& box, ProcessorGrid::Position& position,
                                     std::vector<OwnedPart>& parts) const {
  if (d < 0) {
    parts.push_back({first_rank_ + grid_.rank(position), box});
    return;
  }
  Box part = box;
  // Empty slices are skipped, because no point lies in them.
  for (std::int64_t point = box[d].begin; point < box[d].end; point = part[d].end) {
    const int slice = slice_of(d, point);
    position[d] = slice;
    part[d] = {point, std::min(slice_boundary(d, slice + 1), box[d].end)};
    append_parts(d - 1, part, position, parts);
  }
}

std::vector<OwnedPart> BlockDistribution::owned_parts(const Box& box) const {
  std::vector<OwnedPart> parts;
  const Box inside = intersection(box, domain_);
  if (inside.empty()) return parts;
  ProcessorGrid::Position position = {};
  append_parts(grid_.dimensions - 1, inside, position, parts);
  if (!std::ranges::is_sorted(parts, {}, &OwnedPart::rank)) std::ranges::sort(parts, {}, &OwnedPart::rank);
  return parts;
}

}  // namespace tessera
