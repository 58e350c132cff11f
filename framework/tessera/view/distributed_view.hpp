// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/view/block.hpp"
#include "tessera/view/checked_accessor.hpp"
#include "tessera/view/halo.hpp"
#include "tessera/view/host_view.hpp"

namespace tessera {

/// Throws InputError, which names the view `name`, when a coordinate of `box` does not fit 32 bits.
void check_coordinates(const std::string& name, const Box& box);

/// One rank's part of an N-dimensional array of T that is distributed over ranks. It holds the box that the
/// rank requires: the points that it owns, and ghosts, which need be neither symmetric nor adjacent. The
/// memory is one padded allocation in `Space`, x fastest. Points are addressed by global coordinates
/// everywhere. T is an arithmetic type or a small trivially copyable struct of at most largest_element bytes.
/// A copy of a view shares its memory.
template <class T, int N, class Space = MemorySpace>
class DistributedView {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= largest_element);

 public:
  /// The type of an element.
  using Value = T;
  /// The memory space that holds the points.
  using MemorySpaceOfView = Space;
  /// The number of dimensions.
  static constexpr int dimensions = N;

  /// Makes a view without points.
  DistributedView() = default;
  /// Allocates the part of `rank`, with the ghosts of `halo`. The contents are undefined. Not collective.
  DistributedView(const std::string& name, const BlockDistribution& distribution, int rank,
                  const Halo& halo = {})
      : DistributedView(name, distribution, rank, halo.need(distribution), halo.boundary) {}
  /// Allocates the part of `rank`, with ghosts for any need, which a HaloExchange fills. The points that
  /// boundary conditions copy from are held too. Throws InputError when a coordinate does not fit 32 bits, in
  /// which stage bodies and loops count, or a dimension is periodic on one side only, and InternalError when
  /// the boundary's constant is not a T. Not collective.
  DistributedView(const std::string& name, const BlockDistribution& distribution, int rank, const Need& need,
                  const BoundaryConditions& boundary = {})
      : name_(name), distribution_(distribution), rank_(rank), need_(need), boundary_(boundary) {
    check_boundary(boundary, N);
    check_constant<T>(boundary);
    const BlockLayout held = layout(rank);
    check_coordinates(name, held.box);
    block_ = Block<Space>(name, sizeof(T), held.box, owned()[0].begin);
  }
  /// Makes a view of memory that exists already. It has no need, so exchanges give it no ghosts.
  DistributedView(const std::string& name, const BlockDistribution& distribution, int rank,
                  const Block<Space>& block)
      : name_(name), distribution_(distribution), rank_(rank), block_(block) {}

  /// The distribution, which says who owns which point.
  const BlockDistribution& distribution() const { return distribution_; }
  /// The rank whose part this is.
  int rank() const { return rank_; }
  /// All points of the array.
  const Box& domain() const { return distribution_.domain(); }
  /// The points that the rank owns.
  Box owned() const { return distribution_.owned(rank_); }
  /// The points that the rank holds: owned points and ghosts.
  const Box& required() const { return block_.box(); }
  /// The boundary conditions.
  const BoundaryConditions& boundary() const { return boundary_; }
  /// The memory of the part.
  const Block<Space>& block() const { return block_; }

  /// Returns the need of any ranks, with the points that boundary conditions copy from.
  Need need() const {
    return [view_need = need_, domain = domain(), boundary = boundary_](int first, int last) {
      return view_need ? with_boundary_sources(view_need(first, last), domain, boundary) : Box{};
    };
  }
  /// Returns how any rank holds its part of the array.
  BlockLayout layout(int rank) const {
    const Box owned = distribution_.owned(rank);
    return padded_layout(hull(need()(rank, rank + 1), owned), owned[0].begin, sizeof(T));
  }

  /// Returns an accessor that reads and writes points by global coordinates, in kernels or, where the host
  /// reaches the memory, on the host. In builds with TESSERA_CHECKS it ends the program at a point that this
  /// rank does not hold.
  auto accessor() const { return bounded_accessor<T, N>(block_.reference(), required(), name_); }

  /// Returns this rank's part for the host to read and write.
  HostView<T, N, Space> host(const ExecutionSpace& execution = {}) const {
    return {block_, name_, execution};
  }

 private:
  std::string name_;
  BlockDistribution distribution_;
  int rank_ = 0;
  Need need_;
  BoundaryConditions boundary_;
  Block<Space> block_;
};

}  // namespace tessera
