// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <vector>

#include "tessera/pipeline/kernel/reduction_stage.hpp"
#include "tessera/pipeline/kernel/stage_kernel.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/plan/tiles.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/launch.hpp"

namespace tessera {

/// A compute node that is ready to run. Everything that is the same in all tiles is computed only once.
struct TileProgram {
  /// The place of an array. `scratch` is the index of the array in the list of scratch arrays of the node. If
  /// `scratch` is negative, the array is in a buffer.
  struct Place {
    ArrayId array;
    int scratch;
  };
  /// The boundary conditions that fill the points of a scratch array outside the domain of the array.
  struct Border {
    int scratch;
    Box domain;
    BoundaryConditions boundary;
    std::int64_t element_size;
  };
  /// A stage that is computed in the tiles.
  struct Member {
    ArrayId stage;
    const StageKernel* kernel;
    std::vector<Place> inputs;
    std::vector<Place> outputs;
    std::vector<Border> borders = {};
    /// The indices of scratch arrays that global reductions read, but no member reads. If there are any, the
    /// member is computed in strips of rows, and these scratch arrays hold one strip.
    std::vector<std::size_t> in_strips = {};
    /// How the member is computed. For the last member, it is `tile`.
    Placement placement = Placement::tile;
  };

  /// A contribution to a global reduction. In each inner tile, it consists of the points of the arrays
  /// `inputs` that are in `box`.
  struct Contribution {
    ArrayId stage;
    const ReductionKernel* kernel;
    std::vector<Place> inputs;
    Box box;
    std::size_t member;
  };

  TileProgram(const Algorithm& pipeline, const plan::Compute& compute);

  const plan::Compute* step;
  InnerTiles tiles;
  std::vector<Member> members;
  /// The index of the member that computes each scratch array, by the index of the scratch array.
  std::vector<std::size_t> scratch_member;
  /// The bytes of an element of each scratch array, by the index of the scratch array.
  std::vector<std::int64_t> scratch_element;
  /// Whether the stage of the node is a global reduction. There is then no other contribution.
  bool reduces;
  std::vector<Contribution> contributions;

  /// Returns the box that an inner tile needs of a member. `member` must not be the last member.
  const Box& box(std::int64_t inner_tile, std::size_t member) const {
    return step->boxes[static_cast<std::size_t>(inner_tile) * (members.size() - 1) + member];
  }

 private:
  void find_strips(const Algorithm& pipeline);
};

/// The memory of the arrays of a rank.
struct ArrayPlaces {
  /// Each array is computed in this memory.
  IdVector<ArrayId, ArrayReference> written;
  /// The consumers of each array read it in this memory.
  IdVector<ArrayId, ArrayReference> read;
};

/// The memory of the partial values that threads add their points to, for one global reduction. There is one
/// value for each thread, and `stride` is the number of bytes from one value to the next.
struct PartialPlace {
  std::byte* first;
  std::int64_t stride;
};

/// Runs the tiles of compute nodes on the threads of the host. Each thread begins with its own share of the
/// tiles, whose memory the thread has touched first. The thread then computes tiles that are left of the
/// shares of other threads. The result does not depend on which thread computes a tile.
class TileLoop {
 public:
  /// Allocates `scratch_bytes` bytes of scratch memory for each of `threads` threads.
  TileLoop(int threads, std::int64_t scratch_bytes, HostMode mode);
  ~TileLoop();

  /// Reserves the memory that each thread needs for the tiles of a node. Any thread may compute any tile.
  void prepare(const TileProgram& program);

  /// Computes all tiles of a node. `partials` has an entry for each contribution of the node. `filling` is
  /// the execution space for filling borders, which each thread does by itself.
  void run(const HostExecutionSpace& execution, const ExecutionSpace& filling, const TileProgram& program,
           const ArrayPlaces& arrays, AccessViolations& violations, const PartialPlace* partials);

 private:
  struct Worker;
  struct Work;
  /// The tiles of one thread that no thread has taken yet.
  struct alignas(64) Share {
    std::atomic<std::int64_t> next = 0;
    std::int64_t end = 0;
  };

  HostMode mode_;
  std::vector<Worker> workers_;
  std::vector<Share> shares_;
};

/// The partial values of a global reduction on one rank. On hosts, there is one value for each thread, also
/// if hosts compute the reduction for a device. On devices, each kernel writes several values, called shares,
/// and the host joins the last ones.
class PartialValues {
 public:
  /// Allocates the partial values. `overlaps` says whether the reduction is under way while the next
  /// contributions are made.
  PartialValues(const ReductionKernel& kernel, int threads, bool device, bool overlaps);

  /// Forgets all contributions. This function must be called before the first contribution.
  void clear();
  /// Makes `value`, which contains the contributions of an earlier plan, the first contribution. This
  /// function must be called after clear().
  void begin_with(const std::byte* value);
  /// Returns the memory for contributions. On hosts, thread t adds its points to the value that begins at the
  /// byte t * stride(). On devices, kernels write their shares to this memory.
  std::byte* data() { return device_ ? shares_.data() : values_.data(); }
  /// Returns the number of bytes from the value of one thread to the value of the next thread.
  std::int64_t stride() const { return stride_; }

  /// Waits for a kernel of a device, and joins the shares that the kernel wrote. This function must be called
  /// after every kernel of a device, and only on devices.
  void collect(const ExecutionSpace& execution);
  /// Joins all contributions and returns the result. The result stays valid until clear() is called.
  std::byte* join();
  /// Returns the value that join() returned last.
  std::byte* total() { return values_.data(); }

  /// Joins all contributions, returns the result, and makes room for the next contributions. The result stays
  /// valid until take() is called again. This function may be called only if `overlaps` was true.
  std::byte* take();
  /// Returns the value that take() returned last.
  std::byte* under_way() { return under_way_.data(); }

  const ReductionKernel& kernel() const { return kernel_; }

 private:
  const ReductionKernel& kernel_;
  bool device_;
  std::int64_t count_;
  std::int64_t stride_;
  Kokkos::View<std::byte*, Kokkos::HostSpace> values_;
  Kokkos::View<std::byte*, Kokkos::HostSpace> under_way_;
  Kokkos::View<std::byte*, MemorySpace> shares_;
  /// The shares that a kernel has left, on the host.
  Kokkos::View<std::byte*, compat::HostPinnedSpace> joined_shares_;
};

}  // namespace tessera
