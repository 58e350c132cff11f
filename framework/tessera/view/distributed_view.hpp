// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/view/block.hpp"
#include "tessera/view/checked_accessor.hpp"
#include "tessera/view/halo.hpp"
#include "tessera/view/host_view.hpp"

namespace tessera {

/// Throws InputError when a point of `box` has a coordinate beyond 32 bits.
void check_coordinates(const std::string& name, const Box& box);

/// One rank's part of an N-dimensional array of T that is distributed over ranks: the box it owns and the box
/// it holds (`required`: owned plus ghosts, which need be neither symmetric nor adjacent), in one padded
/// allocation, x fastest. T is an arithmetic type or a small trivially copyable struct. Indexed by global
/// coordinates everywhere.
template <class T, int N, class Space = MemorySpace>
class DistributedView {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= largest_element);

 public:
  using Value = T;
  using MemorySpaceOfView = Space;
  static constexpr int dimensions = N;

  DistributedView() = default;
  /// The part of `rank`, with the ghosts of `halo`. Allocates; the contents are undefined.
  DistributedView(const std::string& name, const BlockDistribution& distribution, int rank,
                  const Halo& halo = {})
      : DistributedView(name, distribution, rank, halo.need(distribution), halo.boundary) {}
  /// With any need: a HaloExchange fills it. What the boundary conditions copy from is held too. Throws
  /// InputError when a coordinate is beyond 32 bits, which stage bodies and loops count in, and InternalError
  /// when the boundary's constant is not a T.
  DistributedView(const std::string& name, const BlockDistribution& distribution, int rank, const Need& need,
                  const BoundaryConditions& boundary = {})
      : name_(name), distribution_(distribution), rank_(rank), need_(need), boundary_(boundary) {
    check_boundary(boundary, N);
    check_constant<T>(boundary);
    const BlockLayout held = layout(rank);
    check_coordinates(name, held.box);
    block_ = Block<Space>(name, sizeof(T), held.box, owned()[0].begin);
  }
  /// A view of memory that exists already; it has no need.
  DistributedView(const std::string& name, const BlockDistribution& distribution, int rank,
                  const Block<Space>& block)
      : name_(name), distribution_(distribution), rank_(rank), block_(block) {}

  const BlockDistribution& distribution() const { return distribution_; }
  int rank() const { return rank_; }
  /// The global array.
  const Box& domain() const { return distribution_.domain(); }
  Box owned() const { return distribution_.owned(rank_); }
  /// Owned points and ghosts.
  const Box& required() const { return block_.box(); }
  const BoundaryConditions& boundary() const { return boundary_; }
  const Block<Space>& block() const { return block_; }

  /// What ranks need of the array, with the points that boundary conditions copy from.
  Need need() const {
    return [view_need = need_, domain = domain(), boundary = boundary_](int first, int last) {
      return view_need ? with_boundary_sources(view_need(first, last), domain, boundary) : Box{};
    };
  }
  /// How a rank holds its part.
  BlockLayout layout(int rank) const {
    const Box owned = distribution_.owned(rank);
    return padded_layout(hull(need()(rank, rank + 1), owned), owned[0].begin, sizeof(T));
  }

  /// Reads and writes points by global coordinates, in kernels or, where the host reaches the memory, on the
  /// host. Builds with TESSERA_CHECKS end the program at an index outside what this rank holds.
  auto accessor() const { return bounded_accessor<T, N>(block_.reference(), required(), name_); }

  /// What this rank holds, for the host to read and write.
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
