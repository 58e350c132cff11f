// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <vector>

#include "tessera/pipeline/kernel/stage_kernel.hpp"
#include "tessera/pipeline/plan/member_boxes.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/launch.hpp"

namespace tessera {

/// A compute node that is ready to run. Everything that is the same in all tiles is computed only once.
struct TileProgram {
  /// The place of an array. `scratch` is the index of the array in the list of scratch arrays of the node. If
  /// `scratch` is negative, the array is in a buffer.
  struct Place {
    int array;
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
    int stage;
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
    int stage;
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

/// The memory in which the arrays of a rank are written and read. Both lists are indexed by the ids of
/// arrays.
struct ArrayPlaces {
  /// The memory in which each array is computed.
  std::vector<ArrayReference> written;
  /// The memory in which the consumers of each array read it.
  std::vector<ArrayReference> read;
};

/// The memory to which threads add their points of a global reduction. There is one value for each thread,
/// and `stride` is the number of bytes from one value to the next.
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

}  // namespace tessera
