// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/tile_loop.hpp"

#include "tessera/pipeline/tiling.hpp"

namespace tessera {
namespace {

/// One compute node with all that its tiles share.
struct TileRunner {
  const Pipeline& pipeline;
  const plan::Compute& step;
  const std::vector<ArrayReference>& arrays;
  AccessViolations& violations;

  void run(std::size_t tile, std::byte* scratch) const {
    const std::size_t members = step.members.size();
    const Box* boxes = &step.boxes[tile * members];
    const std::int64_t tile_x = boxes[members - 1][0].begin;
    constexpr std::size_t most_members = 64;
    ArrayReference local[most_members];
    for (std::size_t m = 0; m < members; ++m) {
      if (boxes[m].empty()) continue;
      const StageDeclaration& stage = pipeline[step.members[m]];
      local[m] = m + 1 == members
                     ? arrays[static_cast<std::size_t>(step.stage)]
                     : scratch_layout(boxes[m], tile_x, static_cast<std::int64_t>(size_of(stage.type)))
                           .reference(scratch + step.scratch_offsets[m]);
      ArrayReference inputs[most_members];
      for (std::size_t i = 0; i < stage.inputs.size(); ++i) inputs[i] = source(stage.inputs[i], local, m);
      stage.kernel->region(inputs, local[m], boxes[m], {&violations, step.members[m]});
    }
  }

  /// Where a member reads an input: in scratch when an earlier member is it, else in memory.
  ArrayReference source(int input, const ArrayReference* local, std::size_t m) const {
    for (std::size_t k = 0; k < m; ++k)
      if (step.members[k] == input) return local[k];
    return arrays[static_cast<std::size_t>(input)];
  }
};

}  // namespace

/// What one thread does: its own share of the tiles, then what is left of the others'.
struct TileLoop::ThreadWork {
  const TileRunner* runner;
  const Scratch* scratch;
  Share* shares;
  std::size_t threads;

  void operator()(int thread) const {
    std::byte* memory = scratch[thread].data();
    for (std::size_t k = 0; k < threads; ++k) {
      Share& share = shares[(static_cast<std::size_t>(thread) + k) % threads];
      for (std::size_t tile; (tile = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end;)
        runner->run(tile, memory);
    }
  }
};

TileLoop::TileLoop(int threads, std::int64_t scratch_bytes)
    : threads_(threads), shares_(std::make_unique<Share[]>(static_cast<std::size_t>(threads))) {
  for (int thread = 0; thread < threads; ++thread)
    scratch_.emplace_back(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: scratch"),
                          static_cast<std::size_t>(scratch_bytes));
}

void TileLoop::run(const HostExecutionSpace& execution, const Pipeline& pipeline, const plan::Compute& step,
                   const std::vector<ArrayReference>& arrays, AccessViolations& violations) {
  const auto threads = static_cast<std::size_t>(threads_);
  for (std::size_t t = 0; t < threads; ++t) {
    shares_[t].next.store(step.tile_count() * t / threads, std::memory_order_relaxed);
    shares_[t].end = step.tile_count() * (t + 1) / threads;
  }
  const TileRunner runner{pipeline, step, arrays, violations};
  const ThreadWork work{&runner, scratch_.data(), shares_.get(), threads};
  if (threads_ == 1) return work(0);
  using Policy =
      Kokkos::RangePolicy<HostExecutionSpace, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<int>>;
  Kokkos::parallel_for("tessera: tiles", Policy(execution, 0, threads_), work);
  execution.fence();
}

}  // namespace tessera
