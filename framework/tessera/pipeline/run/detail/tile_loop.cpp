// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/detail/tile_loop.hpp"

#include <algorithm>

#include "tessera/view/fill_boundary.hpp"

namespace tessera {

/// The memory that one thread needs to compute tiles.
struct alignas(64) TileLoop::Worker {
  Kokkos::View<std::byte*, Kokkos::HostSpace> scratch;
  /// The places of the scratch arrays in the current tile, and the arrays that the current member reads and
  /// writes. The lists are kept between tiles, so that they are allocated only once.
  std::vector<ArrayReference> places;
  std::vector<ArrayReference> inputs;
  std::vector<ArrayReference> outputs;
};

/// One compute node, with everything that its tiles share.
struct TileLoop::Work {
  const TileProgram& program;
  const ArrayPlaces& arrays;
  AccessViolations& violations;
  const PartialPlace* partials;
  Worker* workers;
  Share* shares;
  std::size_t threads;
  const ExecutionSpace& filling;

  /// Computes tiles on one thread: first the share of this thread, then the tiles that are left of the shares
  /// of other threads.
  void operator()(int thread) const {
    for (std::size_t k = 0; k < threads; ++k) {
      Share& share = shares[(static_cast<std::size_t>(thread) + k) % threads];
      for (std::int64_t tile; (tile = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end;)
        compute(tile, thread);
    }
  }

  void compute(std::int64_t tile, int thread) const {
    Worker& worker = workers[thread];
    const Box last = program.tiles[tile];
    place_scratch(tile, last, worker);
    const std::size_t others = program.members.size() - 1;
    for (std::size_t m = 0; m < others; ++m)
      if (const Box& box = program.box(tile, m); !box.empty()) {
        compute_and_contribute(m, within_bounds(m, box), last, thread);
        fill_borders(m, box, worker);
      }
    if (program.reduces)
      contribute(others, last, thread);
    else
      compute_and_contribute(others, last, last, thread);
  }

  /// Computes `box` of a member, and then contributes the points in `tile` to reductions. This is done at
  /// once, because later members may use the same scratch memory.
  void compute_and_contribute(std::size_t m, const Box& box, const Box& tile, int thread) const {
    const TileProgram::Member& member = program.members[m];
    if (box.empty()) return;
    if (!member.in_strips.empty()) return compute_in_strips(m, box, tile, thread);
    compute(member, box, workers[thread]);
    contribute(m, tile, thread);
  }

  /// Computes `box` of a member in strips of rows, each of about `strip_points` points. Each strip is reduced
  /// while it is in the nearest cache.
  void compute_in_strips(std::size_t m, const Box& box, const Box& tile, int thread) const {
    constexpr std::int64_t strip_points = 4096;
    const TileProgram::Member& member = program.members[m];
    Worker& worker = workers[thread];
    const std::int64_t rows = std::max<std::int64_t>(1, strip_points / (box.size() / box[1].size()));
    Box strip = box;
    for (strip[1].begin = box[1].begin; strip[1].begin < box[1].end; strip[1].begin = strip[1].end) {
      strip[1].end = std::min(strip[1].begin + rows, box[1].end);
      for (const std::size_t k : member.in_strips) place_scratch(k, strip, tile, worker);
      compute(member, strip, worker);
      contribute(m, intersection(strip, tile), thread);
    }
  }

  /// Contributes points that a member has just computed to reductions. `tile` is the box of these points.
  void contribute(std::size_t member, const Box& tile, int thread) const {
    Worker& worker = workers[thread];
    for (std::size_t k = 0; k < program.contributions.size(); ++k) {
      const TileProgram::Contribution& contribution = program.contributions[k];
      const Box points = intersection(tile, contribution.box);
      if (contribution.member != member || points.empty()) continue;
      ArrayReference value;
      value.origin = partials[k].first + thread * partials[k].stride;
      find(contribution.input, program.reduces ? arrays.read : arrays.written, worker, worker.inputs);
      contribution.kernel->region(worker.inputs.data(), &value, points, {&violations, contribution.stage});
    }
  }

  /// Returns the part of `box` that a member in scratch computes. The domain of the member may end within
  /// `box`.
  Box within_bounds(std::size_t m, Box box) const {
    for (const TileProgram::Border& border : program.members[m].borders)
      box = intersection(box, border.domain);
    return box;
  }

  /// Fills the points of `box` outside the domain of a member in scratch, as its boundary conditions say.
  void fill_borders(std::size_t m, const Box& box, Worker& worker) const {
    for (const TileProgram::Border& border : program.members[m].borders)
      if (!border.domain.contains(box))
        fill_boundary(filling, worker.places[static_cast<std::size_t>(border.scratch)], box, border.domain,
                      border.boundary, border.element_size, HostMode::calling_thread);
  }

  void compute(const TileProgram::Member& member, const Box& box, Worker& worker) const {
    find(member.inputs, arrays.read, worker, worker.inputs);
    find(member.outputs, arrays.written, worker, worker.outputs);
    worker.outputs.front().non_temporal = program.step->non_temporal && &member == &program.members.back();
    member.kernel->region(worker.inputs.data(), worker.outputs.data(), box, {&violations, member.stage});
  }

  void place_scratch(std::int64_t tile, const Box& last, Worker& worker) const {
    worker.places.resize(program.scratch_member.size());
    const std::size_t others = program.members.size() - 1;
    for (std::size_t k = 0; k < worker.places.size(); ++k) {
      const std::size_t member = program.scratch_member[k];
      const Box& box = member == others ? last : program.box(tile, member);
      if (!box.empty()) place_scratch(k, box, last, worker);
    }
  }
  /// Sets the place of scratch array `k` for the points `box`. Rows are aligned at the beginning of `tile`.
  void place_scratch(std::size_t k, const Box& box, const Box& tile, Worker& worker) const {
    worker.places[k] = padded_layout(box, tile[0].begin, program.scratch_element[k])
                           .reference(worker.scratch.data() + program.step->scratch[k].offset);
  }

  static void find(const std::vector<TileProgram::Place>& places, const std::vector<ArrayReference>& arrays,
                   const Worker& worker, std::vector<ArrayReference>& found) {
    found.clear();
    for (const TileProgram::Place& place : places)
      found.push_back(place.scratch >= 0 ? worker.places[static_cast<std::size_t>(place.scratch)]
                                         : arrays[static_cast<std::size_t>(place.array)]);
  }
};

TileLoop::TileLoop(int threads, std::int64_t scratch_bytes, HostMode mode)
    : mode_(mode), workers_(static_cast<std::size_t>(threads)), shares_(workers_.size()) {
  for (Worker& worker : workers_)
    worker.scratch =
        decltype(worker.scratch)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: scratch"),
                                 static_cast<std::size_t>(scratch_bytes));
}

TileLoop::~TileLoop() = default;

void TileLoop::prepare(const TileProgram& program) {
  for (Worker& worker : workers_) {
    worker.places.reserve(program.scratch_member.size());
    for (const TileProgram::Member& member : program.members) {
      worker.inputs.reserve(member.inputs.size());
      worker.outputs.reserve(member.outputs.size());
    }
    for (const TileProgram::Contribution& contribution : program.contributions)
      worker.inputs.reserve(contribution.input.size());
  }
}

void TileLoop::run(const HostExecutionSpace& execution, const ExecutionSpace& filling,
                   const TileProgram& program, const ArrayPlaces& arrays, AccessViolations& violations,
                   const PartialPlace* partials) {
  const std::size_t threads = workers_.size();
  const std::int64_t tiles = program.tiles.size();
  for (std::size_t t = 0; t < threads; ++t) {
    const auto share = static_cast<std::int64_t>(t), all = static_cast<std::int64_t>(threads);
    shares_[t].next.store(tiles * share / all, std::memory_order_relaxed);
    shares_[t].end = tiles * (share + 1) / all;
  }
  const Work work{program, arrays, violations, partials, workers_.data(), shares_.data(), threads, filling};
  // A launch is not worth its cost for one tile.
  if (threads == 1 || tiles == 1 || mode_ == HostMode::calling_thread) return work(0);
  using Policy =
      Kokkos::RangePolicy<HostExecutionSpace, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<int>>;
  Kokkos::parallel_for("tessera: tiles", Policy(execution, 0, static_cast<int>(threads)), work);
  compat::fence(execution);
}

}  // namespace tessera
