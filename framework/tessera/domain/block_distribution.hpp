// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/processor_grid.hpp"

namespace tessera {

/// The part of a box that one rank owns.
struct OwnedPart {
  /// The rank that owns the part.
  int rank = 0;
  /// The points that it owns, in global coordinates.
  Box box;
  /// Returns true when rank and box are equal.
  bool operator==(const OwnedPart&) const = default;
};

/// Says which rank owns which point of an array, by cutting a nominal box into slices over a processor grid.
/// Every point of the domain has exactly one owner. The functions compute their results from the sizes:
/// nothing is stored per rank.
///
/// Ceil slices are those of Distributed Halide (section 3.2): with s = ceil(extent / n), slice i is [i s,
/// min((i + 1) s, extent)), so trailing slices may be empty. The sizes of balanced slices differ by at most
/// one point.
///
/// The domain may be larger than the nominal box. Points outside the nominal box belong to the blocks at its
/// edges, so that padded stages keep the blocks of the image that they pad. The ranks of the grid may be only
/// some of all ranks: ranks before `first_rank`, and ranks after those of the grid, own nothing.
class BlockDistribution {
 public:
  /// Makes the distribution of an array without dimensions.
  BlockDistribution() = default;
  /// Distributes `domain` by slices of `nominal`, which must lie in `domain` and must not be empty.
  BlockDistribution(const Box& domain, const Box& nominal, const ProcessorGrid& grid,
                    Slicing slicing = Slicing::ceil, int first_rank = 0)
      : domain_(domain), nominal_(nominal), grid_(grid), slicing_(slicing), first_rank_(first_rank) {
    for (int d = 0; d < grid.dimensions; ++d)
      ceil_slice_[d] = (nominal[d].size() + grid.size[d] - 1) / grid.size[d];
  }

  /// All points of the array, in global coordinates.
  const Box& domain() const { return domain_; }
  /// The box that is cut into slices.
  const Box& nominal() const { return nominal_; }
  /// The processor grid over which the array is distributed.
  const ProcessorGrid& grid() const { return grid_; }
  /// The way in which each dimension is cut into slices.
  Slicing slicing() const { return slicing_; }
  /// The first of the ranks [first_rank, first_rank + rank_count) that share the array.
  int first_rank() const { return first_rank_; }
  /// The number of ranks of the grid.
  int rank_count() const { return grid_.rank_count(); }

  /// The block that `rank` owns. It may be empty.
  Box owned(int rank) const { return owned_hull(rank, rank + 1); }

  /// A box that holds all points that the ranks [first, last) own. It costs the same for any number of ranks,
  /// so that a search may bisect a range of ranks.
  Box owned_hull(int first, int last) const;
  /// A box that holds all points that the ranks at these positions of the grid own.
  Box owned_at(const ProcessorGrid::Positions& positions) const;

  /// The rank that owns a point of the domain.
  int owner(const Point& point) const;

  /// The parts of `box` that ranks own, in rising order of ranks. Points of `box` outside the domain are left
  /// out. The cost is that of sorting the parts.
  std::vector<OwnedPart> owned_parts(const Box& box) const;

  /// Converts global coordinates to coordinates within the block of `rank`, whose first point is the origin.
  Point local(int rank, const Point& global) const;
  /// Converts coordinates within the block of `rank`, whose first point is the origin, to global coordinates.
  Point global(int rank, const Point& local) const;

 private:
  /// The range that the slices [first, last) of dimension `d` cover together.
  Range slices(int d, int first, int last) const;
  std::int64_t slice_boundary(int d, int slice) const;
  int slice_of(int d, std::int64_t point) const;
  /// Appends the parts of `box`, which lies in the domain, for all slices of the dimensions 0 to `d`. The
  /// positions in the dimensions above `d` are chosen already.
  void append_parts(int d, const Box& box, ProcessorGrid::Position& position,
                    std::vector<OwnedPart>& parts) const;

  Box domain_;
  Box nominal_;
  ProcessorGrid grid_;
  Slicing slicing_ = Slicing::ceil;
  int first_rank_ = 0;
  /// The extent of a ceil slice in each dimension, in points.
  std::int64_t ceil_slice_[max_dimensions] = {};
};

}  // namespace tessera
