// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <string>

#include "tessera/domain/block_distribution.hpp"
#include "tessera/domain/boundary.hpp"
#include "tessera/view/accessor.hpp"
#include "tessera/view/block.hpp"

namespace tessera {

/// A function that returns a box of points of an array. The box contains all points that the ranks [first,
/// last) need. For a single rank it is exactly the box that this rank needs. The box may extend over any
/// number of blocks in any direction, and beyond the domain. It need not contain the rank's own block.
using Need = std::function<Box(int first, int last)>;

/// The number of ghosts on each side of a block, which is the same for all blocks, and the boundary
/// conditions of the array.
struct Halo {
  /// The number of ghosts in each dimension on the side of lower coordinates, x first.
  std::array<std::int64_t, max_dimensions> below = {};
  /// The number of ghosts in each dimension on the side of higher coordinates, x first.
  std::array<std::int64_t, max_dimensions> above = {};
  /// The boundary conditions of the array.
  BoundaryConditions boundary;

  /// Makes a halo without ghosts and without boundary conditions.
  Halo() = default;
  /// Makes a halo with `depth` ghosts on all sides.
  explicit Halo(std::int64_t depth, const BoundaryConditions& conditions = {}) : boundary(conditions) {
    below.fill(depth);
    above.fill(depth);
  }

  /// Returns the need of the ranks of `blocks`: each rank needs the block that it owns and the ghosts around
  /// it. Ghosts outside the domain are left out on sides without a boundary condition. A rank that owns no
  /// points needs no points.
  Need need(const BlockDistribution& blocks) const;
};

/// Gives the host access to a rank's part of an array. If the host can access the memory of the part, a
/// HostView uses this memory. Otherwise it holds a copy of the part in host memory.
template <class T, int N>
class HostView {
 public:
  /// Waits for the kernels that were enqueued on `execution`. If the host cannot access the memory of the
  /// part, the part is then copied from the device. Error messages call the view `name`.
  HostView(const Block<>& block, const std::string& name, const ExecutionSpace& execution = {})
      : block_(block),
        name_(name),
        execution_(execution),
        memory_(Kokkos::create_mirror_view(block.memory())) {
    copy_from_device();
  }

  /// The points of the part, in global coordinates.
  const Box& box() const { return block_.box(); }
  /// Returns a reference to the array in host memory, for global coordinates. The reference must not be used
  /// when the box is empty.
  ArrayReference reference() const {
    return box().empty() ? ArrayReference{} : block_.layout().reference(memory_.data());
  }
  /// Returns an accessor that reads and writes points by global coordinates.
  auto accessor() const { return bounded_accessor<T, N>(reference(), box(), name_); }

  /// Copies the part from the device again, after all work on the execution space instance of the
  /// constructor, and waits until it is copied. If the host can access the memory of the part, nothing is
  /// copied, and the call only waits for that work.
  void copy_from_device() const { copy(memory_, block_.memory()); }
  /// Copies the part to the device, after all work on the execution space instance of the constructor, and
  /// waits until it is copied. If the host can access the memory of the part, nothing is copied, and the call
  /// only waits for that work.
  void copy_to_device() const { copy(block_.memory(), memory_); }

 private:
  using Memory = Kokkos::View<std::byte*, MemorySpace>;

  template <class To, class From>
  void copy(const To& to, const From& from) const {
    execution_.fence();
    compat::copy(execution_, to, from);
    execution_.fence();
  }

  Block<> block_;
  std::string name_;
  ExecutionSpace execution_;
  decltype(Kokkos::create_mirror_view(std::declval<const Memory&>())) memory_;
};

/// Throws InputError when a coordinate of `box` does not fit into 32 bits. The message of the error contains
/// `name`, the name of the view.
void check_coordinates(const std::string& name, const Box& box);

/// One rank's part of an N-dimensional array of T that is distributed over ranks. It holds a box of points,
/// which contains the points that the rank owns and its ghosts. The number of ghosts may differ from side to
/// side, and ghosts need not be next to the owned points. The points lie in one padded allocation in the
/// memory space of kernels (see BlockLayout). They are always addressed by global coordinates. T is an
/// arithmetic type or a trivially copyable struct of at most largest_element bytes. A copy of a view shares
/// its memory.
template <class T, int N>
class DistributedView {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= largest_element);

 public:
  /// The type of an element.
  using Value = T;
  /// The number of dimensions.
  static constexpr int dimensions = N;

  /// Makes a view without points.
  DistributedView() = default;
  /// Allocates the part of `rank`, with the ghosts and the boundary conditions of `halo`. The values of the
  /// points are undefined at first. Not collective.
  DistributedView(const std::string& name, const BlockDistribution& distribution, int rank,
                  const Halo& halo = {})
      : DistributedView(name, distribution, rank, halo.need(distribution), halo.boundary) {}
  /// Allocates the part of `rank`. The part holds the points that `rank` owns, the points that `rank` needs
  /// according to `need`, and the points whose values `boundary` repeats outside the domain. A HaloExchange
  /// fills the ghosts.
  ///
  /// Throws InputError when a coordinate does not fit into 32 bits, or when a dimension is periodic on one
  /// side only. Throws InternalError when the constant of `boundary` was set as another type than T. Not
  /// collective.
  DistributedView(const std::string& name, const BlockDistribution& distribution, int rank, const Need& need,
                  const BoundaryConditions& boundary = {})
      : name_(name), distribution_(distribution), rank_(rank), need_(need), boundary_(boundary) {
    check_boundary(boundary, N);
    check_constant<T>(boundary);
    const BlockLayout held = layout(rank);
    check_coordinates(name, held.box);
    block_ = Block<>(name, sizeof(T), held.box, owned()[0].begin);
  }
  /// Makes a view whose points lie in the existing memory `block`. Exchanges do not fill the ghosts of such a
  /// view, because its Need is empty.
  DistributedView(const std::string& name, const BlockDistribution& distribution, int rank,
                  const Block<>& block)
      : name_(name), distribution_(distribution), rank_(rank), block_(block) {}

  /// The distribution, which says which rank owns which point.
  const BlockDistribution& distribution() const { return distribution_; }
  /// The rank that holds this part of the array.
  int rank() const { return rank_; }
  /// All points of the array.
  const Box& domain() const { return distribution_.domain(); }
  /// The points that the rank owns.
  Box owned() const { return distribution_.owned(rank_); }
  /// The points that the rank holds: owned points and ghosts.
  const Box& required() const { return block_.box(); }
  /// The boundary conditions of the array.
  const BoundaryConditions& boundary() const { return boundary_; }
  /// The memory of the part.
  const Block<>& block() const { return block_; }

  /// Returns the Need of the array: a function that gives the points that ranks need. These include the
  /// points whose values the boundary conditions repeat outside the domain.
  Need need() const {
    return [view_need = need_, domain = domain(), boundary = boundary_](int first, int last) {
      return view_need ? with_boundary_sources(view_need(first, last), domain, boundary) : Box{};
    };
  }
  /// Returns the layout in memory of the part of the array that `rank` holds.
  BlockLayout layout(int rank) const {
    const Box owned = distribution_.owned(rank);
    return padded_layout(hull(need()(rank, rank + 1), owned), owned[0].begin, sizeof(T));
  }

  /// Returns an accessor that reads and writes points by global coordinates. It can be used in kernels. It
  /// can also be used on the host if the host can access the memory of the view. In builds with
  /// TESSERA_CHECKS, the accessor ends the program when it is called for a point that this rank does not
  /// hold.
  auto accessor() const { return bounded_accessor<T, N>(block_.reference(), required(), name_); }

  /// Returns a view of this rank's part that the host can read and write (see HostView). The call waits for
  /// the kernels that were enqueued on `execution`.
  HostView<T, N> host(const ExecutionSpace& execution = {}) const { return {block_, name_, execution}; }

 private:
  std::string name_;
  BlockDistribution distribution_;
  int rank_ = 0;
  Need need_;
  BoundaryConditions boundary_;
  Block<> block_;
};

}  // namespace tessera
