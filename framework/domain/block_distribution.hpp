// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/processor_grid.hpp"

namespace tessera {

/// Who owns which point: ceil slices of a nominal box over a processor grid, as in Distributed Halide
/// (section 3.2): s = ceil(extent / n), slice i is [i s, min((i + 1) s, extent)), so trailing slices may be
/// empty. The domain may be larger than the nominal box: points outside belong to the edge blocks, so that
/// padded stages keep the blocks of the image they pad. Every point of the domain has exactly one owner.
class BlockDistribution {
 public:
  BlockDistribution() = default;
  /// `nominal` must lie in `domain` and not be empty.
  BlockDistribution(const Box& domain, const Box& nominal, const ProcessorGrid& grid)
      : domain_(domain), nominal_(nominal), grid_(grid) {}

  const Box& domain() const { return domain_; }
  const Box& nominal() const { return nominal_; }
  const ProcessorGrid& grid() const { return grid_; }
  int rank_count() const { return grid_.rank_count(); }

  /// The block of one rank; may be empty.
  Box owned(int rank) const { return owned_hull(rank, rank + 1); }

  /// A box that holds what the ranks [first, last) own: arithmetic, so that a search may bisect the ranks.
  Box owned_hull(int first, int last) const;

  /// The ranks that own points of `box`, in rising order; costs their number times the logarithm of the rank
  /// count.
  std::vector<int> ranks_touching(const Box& box) const;

 private:
  /// The slices [first, last) of dimension d, together.
  Range slices(int d, int first, int last) const;
  std::int64_t slice_boundary(int d, int slice) const;

  Box domain_;
  Box nominal_;
  ProcessorGrid grid_;
};

/// Calls found(rank) for every rank of [first, last) for which `may_touch(first, last)` holds all the way
/// down a bisection. `may_touch` must hold for a range when it holds for any of its members.
template <class MayTouch, class Found>
void bisect_ranks(int first, int last, const MayTouch& may_touch, const Found& found) {
  if (first >= last || !may_touch(first, last)) return;
  if (last - first == 1) return found(first);
  const int middle = first + (last - first) / 2;
  bisect_ranks(first, middle, may_touch, found);
  bisect_ranks(middle, last, may_touch, found);
}

}  // namespace tessera
