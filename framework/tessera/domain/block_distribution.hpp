// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/processor_grid.hpp"

namespace tessera {

/// What a rank owns of a box.
struct OwnedPart {
  int rank = 0;
  Box box;
  bool operator==(const OwnedPart&) const = default;
};

/// Who owns which point: slices of a nominal box over a processor grid. Ceil slices are those of Distributed
/// Halide (section 3.2): s = ceil(extent / n), slice i is [i s, min((i + 1) s, extent)), so trailing slices
/// may be empty. Balanced slices differ by at most one point. The domain may be larger than the nominal box:
/// points outside belong to the edge blocks, so that padded stages keep the blocks of the image they pad. The
/// ranks may be a part of all: those before `first_rank`, and after the grid's, own nothing. Every point of
/// the domain has exactly one owner. All of it is arithmetic: nothing is stored per rank.
class BlockDistribution {
 public:
  BlockDistribution() = default;
  /// `nominal` must lie in `domain` and not be empty.
  BlockDistribution(const Box& domain, const Box& nominal, const ProcessorGrid& grid,
                    Slicing slicing = Slicing::ceil, int first_rank = 0)
      : domain_(domain), nominal_(nominal), grid_(grid), slicing_(slicing), first_rank_(first_rank) {
    for (int d = 0; d < grid.dimensions; ++d)
      ceil_slice_[d] = (nominal[d].size() + grid.size[d] - 1) / grid.size[d];
  }

  const Box& domain() const { return domain_; }
  const Box& nominal() const { return nominal_; }
  const ProcessorGrid& grid() const { return grid_; }
  Slicing slicing() const { return slicing_; }
  /// The ranks [first_rank, first_rank + rank_count) share the array.
  int first_rank() const { return first_rank_; }
  int rank_count() const { return grid_.rank_count(); }

  /// The block of one rank; may be empty.
  Box owned(int rank) const { return owned_hull(rank, rank + 1); }

  /// A box that holds what the ranks [first, last) own: arithmetic, so that a search may bisect the ranks.
  Box owned_hull(int first, int last) const;
  /// The same by the positions of ranks in the grid, for who has them already.
  Box owned_at(const ProcessorGrid::Positions& positions) const;

  /// The rank that owns a point of the domain.
  int owner(const Point& point) const;

  /// The parts of `box` that ranks own, in rising order of ranks; costs their number, and the sorting of it.
  std::vector<OwnedPart> owned_parts(const Box& box) const;

  /// Coordinates within the block of `rank`, whose first point is the origin, from global ones; and back.
  Point local(int rank, const Point& global) const;
  Point global(int rank, const Point& local) const;

 private:
  /// The slices [first, last) of dimension d, together.
  Range slices(int d, int first, int last) const;
  std::int64_t slice_boundary(int d, int slice) const;
  int slice_of(int d, std::int64_t point) const;
  /// Appends the parts of `box`, which lies in the domain, in all slices of the dimensions up to d; those
  /// above have their positions.
  void append_parts(int d, const Box& box, ProcessorGrid::Position& position,
                    std::vector<OwnedPart>& parts) const;

  Box domain_;
  Box nominal_;
  ProcessorGrid grid_;
  Slicing slicing_ = Slicing::ceil;
  int first_rank_ = 0;
  /// The points of a ceil slice.
  std::int64_t ceil_slice_[max_dimensions] = {};
};

}  // namespace tessera
