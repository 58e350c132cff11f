// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <vector>

#include "tessera/pipeline/plan.hpp"
#include "tessera/view/block_layout.hpp"
#include "tessera/view/compat.hpp"

namespace tessera {

/// Runs the tiles of compute nodes on the threads of the host. Each thread starts with the tiles whose memory
/// it touched first and then helps the others; which thread computes a tile never changes a bit.
class TileLoop {
 public:
  /// `scratch_bytes` of scratch memory for each of `threads` threads.
  TileLoop(int threads, std::int64_t scratch_bytes);
  ~TileLoop();

  /// Computes `step`; `arrays` are indexed by stage.
  void run(const HostExecutionSpace& execution, const Pipeline& pipeline, const plan::Compute& step,
           const std::vector<ArrayReference>& arrays, AccessViolations& violations);

 private:
  struct Worker;
  struct Work;
  /// The tiles of one thread that nobody has taken yet.
  struct alignas(64) Share {
    std::atomic<std::size_t> next = 0;
    std::size_t end = 0;
  };

  std::vector<Worker> workers_;
  std::vector<Share> shares_;
};

}  // namespace tessera
