// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <vector>

#include "tessera/pipeline/kernel/access_monitor.hpp"
#include "tessera/pipeline/run/detail/tile_program.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/host_mode.hpp"

namespace tessera {

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
