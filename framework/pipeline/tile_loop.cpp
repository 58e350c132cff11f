// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/tile_loop.hpp"

#include "tessera/pipeline/tiling.hpp"

namespace tessera {
namespace {

std::int64_t element_size(const StageDeclaration& stage) {
  return static_cast<std::int64_t>(size_of(stage.type));
}

}  // namespace

/// What one thread needs to compute tiles.
struct TileLoop::Worker {
  Kokkos::View<std::byte*, Kokkos::HostSpace> scratch;
  /// Where the members of the tile at hand lie, and the inputs of the member at hand: kept, to allocate them
  /// once.
  std::vector<ArrayReference> places;
  std::vector<ArrayReference> inputs;
};

/// One compute node with all that its tiles share.
struct TileLoop::Work {
  const Pipeline& pipeline;
  const plan::Compute& step;
  const std::vector<ArrayReference>& arrays;
  AccessViolations& violations;
  Worker* workers;
  Share* shares;
  std::size_t threads;

  /// What one thread does: its own share of the tiles, then what is left of the others'.
  void operator()(int thread) const {
    for (std::size_t k = 0; k < threads; ++k) {
      Share& share = shares[(static_cast<std::size_t>(thread) + k) % threads];
      for (std::size_t tile; (tile = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end;)
        compute(tile, workers[thread]);
    }
  }

  void compute(std::size_t tile, Worker& worker) const {
    const std::size_t members = step.members.size();
    const Box* boxes = &step.boxes[tile * members];
    worker.places.resize(members);
    for (std::size_t m = 0; m < members; ++m) {
      if (boxes[m].empty()) continue;
      const StageDeclaration& stage = pipeline[step.members[m]];
      worker.places[m] = m + 1 == members
                             ? arrays[static_cast<std::size_t>(step.stage)]
                             : scratch_layout(boxes[m], boxes[members - 1][0].begin, element_size(stage))
                                   .reference(worker.scratch.data() + step.scratch_offsets[m]);
      worker.inputs.clear();
      for (int input : stage.inputs) worker.inputs.push_back(source(input, m, worker));
      stage.kernel->region(worker.inputs.data(), worker.places[m], boxes[m], {&violations, step.members[m]});
    }
  }

  /// Where member m reads an input: in scratch when an earlier member is it, else in memory.
  ArrayReference source(int input, std::size_t m, const Worker& worker) const {
    for (std::size_t k = 0; k < m; ++k)
      if (step.members[k] == input) return worker.places[k];
    return arrays[static_cast<std::size_t>(input)];
  }
};

TileLoop::TileLoop(int threads, std::int64_t scratch_bytes)
    : workers_(static_cast<std::size_t>(threads)), shares_(workers_.size()) {
  for (Worker& worker : workers_)
    worker.scratch =
        decltype(worker.scratch)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: scratch"),
                                 static_cast<std::size_t>(scratch_bytes));
}

TileLoop::~TileLoop() = default;

void TileLoop::run(const HostExecutionSpace& execution, const Pipeline& pipeline, const plan::Compute& step,
                   const std::vector<ArrayReference>& arrays, AccessViolations& violations) {
  const std::size_t threads = workers_.size();
  for (std::size_t t = 0; t < threads; ++t) {
    shares_[t].next.store(step.tile_count() * t / threads, std::memory_order_relaxed);
    shares_[t].end = step.tile_count() * (t + 1) / threads;
  }
  const Work work{pipeline, step, arrays, violations, workers_.data(), shares_.data(), threads};
  if (threads == 1) return work(0);
  using Policy =
      Kokkos::RangePolicy<HostExecutionSpace, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<int>>;
  Kokkos::parallel_for("tessera: tiles", Policy(execution, 0, static_cast<int>(threads)), work);
  execution.fence();
}

}  // namespace tessera
