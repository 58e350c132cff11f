// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/detail/tile_loop.hpp"

#include <algorithm>
#include <cstring>

#include "tessera/view/block_layout.hpp"
#include "tessera/view/halo_exchange.hpp"

namespace tessera {

/// The memory that one thread needs to compute tiles.
struct alignas(64) TileLoop::Worker {
  Kokkos::View<std::byte*, Kokkos::HostSpace> scratch;
  /// The places of the scratch arrays in the current inner tile, and the arrays that the current member reads
  /// and writes. The lists are kept between tiles, so that they are allocated only once.
  std::vector<ArrayReference> places;
  std::vector<ArrayReference> inputs;
  std::vector<ArrayReference> outputs;
  /// The layouts of the scratch arrays that are in windows, by the index of the scratch array.
  std::vector<BlockLayout> windows;
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
        compute_tile(tile, thread);
    }
  }

  void compute_tile(std::int64_t tile, int thread) const {
    Worker& worker = workers[thread];
    worker.places.resize(program.scratch_member.size());
    worker.windows.resize(program.scratch_member.size());
    const Box points = program.tiles.tiles()[tile];
    const std::int64_t first = program.tiles.first(tile), end = program.tiles.first(tile + 1);
    for (std::size_t m = 0; m + 1 < program.members.size(); ++m)
      if (program.members[m].placement == Placement::outer_tile)
        compute_member(m, first, true, points, thread);
    for (std::int64_t number = first; number < end; ++number) {
      const Box inner = program.tiles.inner(tile, points, number);
      for (std::size_t m = 0; m + 1 < program.members.size(); ++m)
        if (program.members[m].placement != Placement::outer_tile)
          compute_member(m, number, number == first, inner, thread);
      compute_last(inner, thread);
    }
  }

  /// Computes a member other than the last one for the inner tile `number`, which has the points `tile`. For
  /// an `outer_tile`, `tile` holds the points of all inner tiles.
  void compute_member(std::size_t m, std::int64_t number, bool is_first, const Box& tile, int thread) const {
    const Box& box = program.box(number, m);
    if (box.empty()) return;
    Worker& worker = workers[thread];
    const bool is_window = program.members[m].placement == Placement::window;
    for (std::size_t k = 0; k < worker.places.size(); ++k) {
      if (program.scratch_member[k] != m) continue;
      if (is_window)
        place_window(k, number, is_first, tile, worker);
      else
        place_scratch(k, box, tile, worker);
    }
    if (!within_bounds(m, box).empty())
      compute_and_contribute(m, within_bounds(m, computed_box(*program.step, number, is_first, m)), tile,
                             thread);
    fill_borders(m, box, worker);
  }

  void compute_last(const Box& tile, int thread) const {
    const std::size_t last = program.members.size() - 1;
    for (std::size_t k = 0; k < program.scratch_member.size(); ++k)
      if (program.scratch_member[k] == last) place_scratch(k, tile, tile, workers[thread]);
    if (program.reduces)
      contribute(last, tile, thread);
    else
      compute_and_contribute(last, tile, tile, thread);
  }

  /// Computes `box` of a member, and then contributes the points in `tile` to reductions. This is done at
  /// once, because later members may use the same scratch memory. `box` is empty if the member has kept all
  /// of its points.
  void compute_and_contribute(std::size_t m, const Box& box, const Box& tile, int thread) const {
    const TileProgram::Member& member = program.members[m];
    if (!member.in_strips.empty()) return compute_in_strips(m, box, tile, thread);
    if (!box.empty()) compute(member, box, workers[thread]);
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
      find(contribution.inputs, program.reduces ? arrays.read : arrays.written, worker, worker.inputs);
      contribution.kernel->region(worker.inputs.data(), &value, points,
                                  {&violations, to_int(contribution.stage)});
    }
  }

  /// Returns the part of `box` that a member in scratch computes. The domain of the member may end within
  /// `box`.
  Box within_bounds(std::size_t m, Box box) const {
    for (const TileProgram::Border& border : program.members[m].borders)
      box = within_sides(box, border.domain, border.boundary);
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
    for (std::size_t k = 0; k < member.outputs.size(); ++k)
      worker.outputs[k].non_temporal = program.step->non_temporal && member.outputs[k].scratch < 0;
    member.kernel->region(worker.inputs.data(), worker.outputs.data(), box,
                          {&violations, to_int(member.stage)});
  }

  /// Sets the place of scratch array `k` for the points `box`. Rows are aligned at the beginning of `tile`.
  void place_scratch(std::size_t k, const Box& box, const Box& tile, Worker& worker) const {
    worker.places[k] = scratch_layout(box, 0, tile[0].begin, program.scratch_element[k])
                           .reference(worker.scratch.data() + program.step->scratch[k].offset);
  }

  /// Moves the window of scratch array `k` on, to the points of inner tile `number`. Rows that are kept stay
  /// where they are, unless there is no room behind them.
  void place_window(std::size_t k, std::int64_t number, bool is_first, const Box& tile,
                    Worker& worker) const {
    const std::size_t m = program.scratch_member[k];
    const plan::Scratch& scratch = program.step->scratch[k];
    std::byte* memory = worker.scratch.data() + scratch.offset;
    BlockLayout& window = worker.windows[k];
    const Box& box = program.box(number, m);
    const Box rows = computed_box(*program.step, number, is_first, m);
    if (rows == box)
      window = scratch_layout(box, scratch.rows, tile[0].begin, program.scratch_element[k]);
    else if (box.dimensions > 1 && window.box[1].end < box[1].end)
      move_rows(window, {box[1].begin, rows[1].begin}, memory);
    worker.places[k] = window.reference(memory);
  }

  /// Moves the rows `kept` of a window to its beginning, and makes them the first rows of its layout.
  static void move_rows(BlockLayout& window, const Range& kept, std::byte* memory) {
    const auto bytes_of = [&window](std::int64_t elements) {
      return static_cast<std::size_t>(elements * window.element_size);
    };
    const std::int64_t rows = window.box[1].size();
    const std::int64_t planes = window.bytes / (rows * window.strides[1] * window.element_size);
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      std::byte* to = memory + bytes_of(plane * rows * window.strides[1]);
      std::memmove(to, to + bytes_of((kept.begin - window.box[1].begin) * window.strides[1]),
                   bytes_of(kept.size() * window.strides[1]));
    }
    window.box[1] = {kept.begin, kept.begin + rows};
  }

  /// Sets `found` to the memory of the arrays `places`, which is scratch or that of `arrays`.
  static void find(const std::vector<TileProgram::Place>& places,
                   const IdVector<ArrayId, ArrayReference>& arrays, const Worker& worker,
                   std::vector<ArrayReference>& found) {
    found.clear();
    for (const TileProgram::Place& place : places)
      found.push_back(place.scratch >= 0 ? worker.places[static_cast<std::size_t>(place.scratch)]
                                         : arrays[place.array]);
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
    worker.windows.reserve(program.scratch_member.size());
    for (const TileProgram::Member& member : program.members) {
      worker.inputs.reserve(member.inputs.size());
      worker.outputs.reserve(member.outputs.size());
    }
    for (const TileProgram::Contribution& contribution : program.contributions)
      worker.inputs.reserve(contribution.inputs.size());
  }
}

void TileLoop::run(const HostExecutionSpace& execution, const ExecutionSpace& filling,
                   const TileProgram& program, const ArrayPlaces& arrays, AccessViolations& violations,
                   const PartialPlace* partials) {
  const std::size_t threads = workers_.size();
  const std::int64_t tiles = program.tiles.tiles().size();
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

TileProgram::TileProgram(const Algorithm& pipeline, const plan::Compute& compute)
    : step(&compute),
      tiles(compute.parts, compute.tile, compute.inner),
      reduces(pipeline[compute.stage].is_reduction()) {
  const auto place_of = [&](ArrayId array) {
    for (std::size_t k = 0; k < compute.scratch.size(); ++k)
      if (compute.scratch[k].array == array) return Place{array, static_cast<int>(k)};
    return Place{array, -1};
  };
  const auto member_of = [&](ArrayId stage) {
    std::size_t member = 0;
    while (members[member].stage != stage) ++member;
    return member;
  };
  for (const ArrayId stage : compute.members) {
    const ArrayDeclaration& declaration = pipeline[stage];
    Member& member = members.emplace_back(Member{stage, declaration.kernel.get(), {}, {}});
    for (ArrayId input : declaration.inputs) member.inputs.push_back(place_of(input));
    for (ArrayId part : pipeline.parts(stage)) {
      member.outputs.push_back(place_of(part));
      if (pipeline[part].is_bounded() && stage != compute.stage)
        member.borders.push_back({member.outputs.back().scratch, pipeline[part].domain,
                                  pipeline[part].boundary, pipeline[part].element_bytes()});
    }
  }
  if (reduces)
    contributions.push_back({compute.stage, pipeline[compute.stage].reduction(), members.back().inputs,
                             pipeline[compute.stage].reduced, members.size() - 1});
  for (const plan::Contribution& contribution : compute.contributions) {
    const ArrayDeclaration& reduction = pipeline[contribution.stage];
    // All inputs of a reduction are outputs of the same member.
    contributions.push_back({contribution.stage,
                             reduction.reduction(),
                             {},
                             contribution.box,
                             member_of(pipeline[reduction.inputs.front()].lead)});
    for (const ArrayId input : reduction.inputs) contributions.back().inputs.push_back(place_of(input));
  }
  for (const plan::Scratch& scratch : compute.scratch) {
    scratch_member.push_back(member_of(pipeline[scratch.array].lead));
    scratch_element.push_back(pipeline[scratch.array].element_bytes());
  }
  for (std::size_t m = 0; m + 1 < members.size(); ++m) members[m].placement = placement_of(compute, m);
  find_strips(pipeline);
}

void TileProgram::find_strips(const Algorithm& pipeline) {
  if (reduces) return;
  const auto is_read = [this](std::size_t scratch) {
    for (const Member& member : members)
      for (const Place& input : member.inputs)
        if (input.scratch == static_cast<int>(scratch)) return true;
    return false;
  };
  for (std::size_t k = 0; k < step->scratch.size(); ++k) {
    Member& member = members[scratch_member[k]];
    const ArrayDeclaration& array = pipeline[step->scratch[k].array];
    const bool has_rows =
        array.dimensions > 1 && pipeline[member.stage].whole[1].empty() && !member.kernel->swaps_rows();
    // Strips would overwrite the rows that a window keeps.
    const bool keeps_rows = member.placement == Placement::window;
    if (has_rows && !keeps_rows && !array.is_bounded() && !is_read(k)) member.in_strips.push_back(k);
  }
}

PartialValues::PartialValues(const ReductionKernel& kernel, int threads, bool device, bool overlaps)
    : kernel_(kernel),
      device_(device && !kernel.needs_host()),
      count_(device_ ? 1 : threads),
      stride_(aligned_bytes(kernel.value_bytes())),
      values_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: partial values"),
              static_cast<std::size_t>(count_ * stride_)) {
  if (device_) {
    shares_ = decltype(shares_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: partial values"),
                                static_cast<std::size_t>(kernel.device_shares() * kernel.value_bytes()));
    joined_shares_ =
        decltype(joined_shares_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: partial values"),
                                 static_cast<std::size_t>(kernel.joined_shares() * kernel.value_bytes()));
  }
  if (overlaps)
    under_way_ =
        decltype(under_way_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: partial values"),
                             static_cast<std::size_t>(stride_));
  clear();
}

std::byte* PartialValues::take() {
  std::memcpy(under_way_.data(), join(), static_cast<std::size_t>(kernel_.value_bytes()));
  clear();
  return under_way_.data();
}

void PartialValues::clear() {
  for (std::int64_t k = 0; k < count_; ++k) kernel_.init(values_.data() + k * stride_);
}

void PartialValues::begin_with(const std::byte* value) {
  std::memcpy(values_.data(), value, static_cast<std::size_t>(kernel_.value_bytes()));
}

void PartialValues::collect(const ExecutionSpace& execution) {
  compat::copy_bytes(execution, joined_shares_.data(), shares_.data(), joined_shares_.size());
  compat::fence(execution);
  for (int k = 0; k < kernel_.joined_shares(); ++k)
    kernel_.join(values_.data(), joined_shares_.data() + k * kernel_.value_bytes());
}

std::byte* PartialValues::join() {
  for (std::int64_t k = 1; k < count_; ++k) kernel_.join(values_.data(), values_.data() + k * stride_);
  return values_.data();
}

}  // namespace tessera
