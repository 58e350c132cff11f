// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/processor_grid.hpp"

namespace tessera {

/// The part of a box that one rank owns.
struct OwnedPart {
  /// The rank that owns the part.
  int rank = 0;
  /// The points of the part, in global coordinates.
  Box box;
  /// Returns true when the ranks and the boxes of both parts are equal.
  bool operator==(const OwnedPart&) const = default;
};

/// The distribution of an array over ranks. A box, called the nominal box, is cut along each dimension into
/// as many slices as the processor grid has ranks along this dimension. The slices divide the domain of the
/// array into blocks, and each rank of the grid owns one block. Every point of the domain has exactly one
/// owner. All functions compute their results from the sizes of the boxes and of the grid; nothing is stored
/// per rank.
///
/// Let n be the number of ranks along a dimension, let `extent` be the extent of the nominal box, and let
/// coordinates count from the beginning of this box. With Slicing::ceil, slices are those of Distributed
/// Halide (section 3.2): with s = ceil(extent / n), slice i is [i s, min((i + 1) s, extent)). Trailing slices
/// may therefore be empty. With Slicing::balanced, the sizes of slices differ by at most one point.
///
/// The domain may be larger than the nominal box. Points outside the nominal box belong to the nearest block.
/// So a stage that is computed on an image and on a margin around it can have the same blocks as the image.
/// The ranks of the grid may be only some of all ranks: ranks before `first_rank` and ranks after those of
/// the grid own nothing.
class BlockDistribution {
 public:
  /// Makes the distribution of an array without dimensions.
  BlockDistribution() = default;
  /// Makes the distribution of `domain` whose slices are cut from `nominal`. `nominal` must lie in `domain`
  /// and must not be empty. The ranks of the grid are `first_rank` and the ranks that follow it.
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
  /// The first of the ranks [first_rank, first_rank + rank_count) over which the array is distributed.
  int first_rank() const { return first_rank_; }
  /// The number of ranks of the grid.
  int rank_count() const { return grid_.rank_count(); }

  /// Returns the block that `rank` owns. The block may be empty.
  Box owned(int rank) const { return owned_hull(rank, rank + 1); }

  /// Returns a box that contains all points that the ranks [first, last) own. The time does not depend on the
  /// number of ranks, so that a search may bisect a range of ranks.
  Box owned_hull(int first, int last) const;
  /// Returns the box of all points that the ranks at these positions of the grid own.
  Box owned_at(const ProcessorGrid::Positions& positions) const;

  /// Returns the rank that owns `point`, which must lie in the domain.
  int owner(const Point& point) const;

  /// Returns the parts of `box` that ranks own, in ascending order of ranks. Points of `box` outside the
  /// domain are left out. The time depends on the number of parts, which are sorted, but not on the number of
  /// ranks.
  std::vector<OwnedPart> owned_parts(const Box& box) const;

 private:
  /// Returns the range that the slices [first, last) of dimension `d` cover together.
  Range slices(int d, int first, int last) const;
  std::int64_t slice_boundary(int d, int slice) const;
  int slice_of(int d, std::int64_t point) const;
  /// Divides `box`, which must lie in the domain, by the slices of the dimensions 0 to `d`, and appends the
  /// parts to `parts`. In each dimension above `d`, `box` lies in one slice, whose number `position` holds
  /// already.
  void append_parts(int d, const Box& box, ProcessorGrid::Position& position,
                    std::vector<OwnedPart>& parts) const;

  Box domain_;
  Box nominal_;
  ProcessorGrid grid_;
  Slicing slicing_ = Slicing::ceil;
  int first_rank_ = 0;
  /// The number of points of a slice in each dimension with Slicing::ceil.
  std::int64_t ceil_slice_[max_dimensions] = {};
};

/// Finds the ranks that meet a condition, without testing each rank. A range of ranks is tested as a
/// whole, and is cut into two halves only if the condition may hold for one of its ranks. The search begins
/// with the range of all ranks.
///
/// The same RankSearch can be used for several searches, for example for all arrays. If a search has found a
/// rank in a range, the next search cuts this range without testing it. This saves time when the searches
/// find nearly the same ranks. All searches cut the ranks at the same places, whatever their conditions are.
class RankSearch {
 public:
  /// Prepares searches among the ranks [0, rank_count).
  explicit RankSearch(int rank_count) : rank_count_(rank_count), nodes_(1) {}

  /// Calls found(rank), in ascending order, for every rank where may_hold(rank, rank + 1) is true.
  /// may_hold(first, last) is the test for the ranks [first, last). It must be true for a range if it is true
  /// for any part of that range.
  template <class MayHold, class Found>
  void find(const MayHold& may_hold, const Found& found) {
    // A search that finds few ranks gains nothing from the ranges of one that found many: they are dropped.
    if (nodes_.size() > most_nodes) nodes_.assign(1, Node{});
    if (rank_count_ > 0) visit(0, 0, rank_count_, may_hold, found);
  }

 private:
  /// The findings of earlier searches about a range of ranks.
  struct Node {
    /// The index of the node of the first half of the range. The node of the second half follows it. If the
    /// index is 0, the halves have no nodes yet.
    std::size_t halves = 0;
    /// True if searches cut the range without testing it.
    bool is_split = false;
    /// True if the test was true for the range, although it was false for each rank in the range. Later
    /// searches cut such a range without testing it.
    bool is_loose = false;
  };
  static constexpr std::size_t most_nodes = 512;

  /// Searches the ranks [first, last). Returns whether the test was true for one of these ranks.
  template <class MayHold, class Found>
  bool visit(std::size_t node, int first, int last, const MayHold& may_hold, const Found& found) {
    const bool asks = !nodes_[node].is_split;
    if (asks && !may_hold(first, last)) return false;
    if (last - first == 1) {
      found(first);
      return true;
    }
    split(node);
    const std::size_t halves = nodes_[node].halves;
    const int middle = first + (last - first) / 2;
    const bool low = visit(halves, first, middle, may_hold, found);
    const bool high = visit(halves + 1, middle, last, may_hold, found);
    if (low || high) return true;
    nodes_[node].is_loose = nodes_[node].is_loose || asks;
    nodes_[node].is_split = nodes_[node].is_loose;
    return false;
  }

  void split(std::size_t node) {
    nodes_[node].is_split = true;
    if (nodes_[node].halves != 0) return;
    nodes_[node].halves = nodes_.size();
    nodes_.resize(nodes_.size() + 2);
  }

  int rank_count_;
  std::vector<Node> nodes_;
};

}  // namespace tessera
