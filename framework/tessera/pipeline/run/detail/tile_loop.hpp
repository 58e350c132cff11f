// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <vector>

#include "tessera/pipeline/kernel/access_monitor.hpp"
#include "tessera/pipeline/run/detail/tile_program.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/host_mode.hpp"

namespace tessera {

/// The places of a rank's arrays by id, in which they are computed (written) and read.
struct ArrayPlaces {
  /// The place in which each array is computed.
  std::vector<ArrayReference> written;
  /// The place in which the consumers of each array read it.
  std::vector<ArrayReference> read;
};

/// The place at which threads add their points of a global reduction: a value for each thread, `stride` bytes
/// apart.
struct PartialPlace {
  std::byte* first;
  std::int64_t stride;
};

/// Runs the tiles of compute nodes on the threads of the host. Each thread starts with the tiles whose memory
/// it touched first and then helps the others; which thread computes a tile never changes a bit.
class TileLoop {
 public:
  /// Allocates `scratch_bytes` bytes of scratch memory for each of `threads` threads.
  TileLoop(int threads, std::int64_t scratch_bytes, HostMode mode);
  ~TileLoop();

  /// Makes room for the notes of every thread about a node, as any of them may compute any tile.
  void prepare(const TileProgram& program);

  /// Computes all tiles of a node. `partials` has a place for each of its contributions. `filling` is the
  /// execution space with which each thread fills borders by itself.
  void run(const HostExecutionSpace& execution, const ExecutionSpace& filling, const TileProgram& program,
           const ArrayPlaces& arrays, AccessViolations& violations, const PartialPlace* partials);

 private:
  struct Worker;
  struct Work;
  /// The tiles of one thread that nobody has taken yet.
  struct alignas(64) Share {
    std::atomic<std::int64_t> next = 0;
    std::int64_t end = 0;
  };

  HostMode mode_;
  std::vector<Worker> workers_;
  std::vector<Share> shares_;
};

}  // namespace tessera
