// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/view/accessor.hpp"
#include "tessera/view/block.hpp"

namespace tessera {

/// One rank's part of an N-dimensional array of T that is distributed over ranks: the box it owns and the box
/// it holds (`required`: owned plus ghosts, which need be neither symmetric nor adjacent), in one padded
/// allocation, x fastest. Indexed by global coordinates everywhere.
template <class T, int N, class Space = MemorySpace>
class DistributedView {
 public:
  DistributedView() = default;
  /// `required` is extended to hold what `rank` owns. Allocates; the contents are undefined.
  DistributedView(const std::string& name, const BlockDistribution& distribution, int rank,
                  const Box& required)
      : distribution_(distribution),
        rank_(rank),
        block_(name, element_type_of<T>(), hull(required, distribution.owned(rank)),
               distribution.owned(rank)[0].begin) {}
  /// A view of memory that exists already.
  DistributedView(const BlockDistribution& distribution, int rank, const Block<Space>& block)
      : distribution_(distribution), rank_(rank), block_(block) {}

  const BlockDistribution& distribution() const { return distribution_; }
  /// The global array.
  const Box& domain() const { return distribution_.domain(); }
  Box owned() const { return distribution_.owned(rank_); }
  /// Owned points and ghosts.
  const Box& required() const { return block_.box(); }
  const Block<Space>& block() const { return block_; }

  /// Reads and writes points by global coordinates, in kernels or, where the host reaches the memory, on the
  /// host.
  Accessor<T, N> accessor() const { return Accessor<T, N>(block_.reference()); }

 private:
  BlockDistribution distribution_;
  int rank_ = 0;
  Block<Space> block_;
};

}  // namespace tessera
