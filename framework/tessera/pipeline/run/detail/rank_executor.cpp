// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/detail/rank_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "tessera/domain/element_type.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/view/halo_exchange.hpp"

namespace tessera {
namespace {

/// Makes `block` the same block as `other`, if kernels can access the memory of the host.
template <class Space>
void share(Block<>& block, const Block<Space>& other) {
  if constexpr (std::is_same_v<Space, MemorySpace>) block = other;
}

/// The points of a block, in memory that the host can access. If kernels run on hosts, this memory is the
/// block itself, otherwise a copy of it.
class HostCopy {
 public:
  HostCopy(const ExecutionSpace& execution, const Block<>& block, ElementType type)
      : execution_(execution),
        block_(block),
        type_(type),
        mirror_(Kokkos::create_mirror_view(block.memory())) {}

  HostBlock get(const Box& part) const { return block_.host_block(part, mirror_.data(), type_); }
  void to_device() const { move(block_.memory(), mirror_); }
  void to_host() const { move(mirror_, block_.memory()); }

 private:
  template <class To, class From>
  void move(const To& to, const From& from) const {
    compat::copy(execution_, to, from);
    execution_.fence();
  }

  const ExecutionSpace& execution_;
  const Block<>& block_;
  ElementType type_;
  decltype(Kokkos::create_mirror_view(std::declval<const Kokkos::View<std::byte*, MemorySpace>&>())) mirror_;
};

/// A named region for the tools of Kokkos. The region begins when the object is made, and ends when the
/// object is destroyed.
class Region {
 public:
  explicit Region(const std::string& name) { Kokkos::Profiling::pushRegion(name); }
  ~Region() { Kokkos::Profiling::popRegion(); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
};

}  // namespace

RankExecutor::RankExecutor(const Algorithm& pipeline, const Plan& plan, HostMode mode, ArrayMemory memory)
    : pipeline_(pipeline),
      plan_(plan),
      window_(band_of(plan) != nullptr ? Window(pipeline, *band_of(plan)) : Window()),
      mode_(mode),
      execution_(compat::own_instance()),
      memory_(std::move(memory.bytes)),
      staging_(pipeline, plan),
      tiles_(plan.target.threads, plan.target.device ? 0 : plan.scratch_bytes / plan.target.threads, mode) {
  if (!runs_on_host && !plan.target.device)
    throw InternalError("a plan for hosts, but kernels run on a device: plan with Target::device");
  allocate(std::move(memory));
  prepare(plan_.root);
}

RankExecutor::~RankExecutor() = default;

void RankExecutor::allocate(ArrayMemory memory) {
  IdVector<BufferId, bool> is_left_out(plan_.buffers.values().size());
  for (const std::string& name : memory.bound) {
    const ArrayId array = pipeline_.find(name);
    check_bindable(array);
    unbound_.push_back(array);
    is_left_out[plan_.stages[array].written_buffer] = true;
  }
  IdVector<BufferId, std::int64_t> offsets;
  const std::int64_t bytes = place_without(plan_, is_left_out, offsets);
  const bool is_new = memory_.size() == 0 || static_cast<std::int64_t>(memory_.size()) < bytes;
  if (is_new) {
    memory_ = {};  // so that the memory that is too small is given back first
    memory_ = decltype(memory_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: arrays"),
                                static_cast<std::size_t>(std::max(bytes, memory.at_least)));
    if (runs_on_host) prefer_huge_pages(memory_.data(), memory_.size());
  }
  make_blocks(offsets, is_new, mode_ == HostMode::kernels ? memory.touched_by : mode_);
  place_arrays();
  make_partial_values();
}

void RankExecutor::make_blocks(const IdVector<BufferId, std::int64_t>& offsets, bool is_new,
                               HostMode touched_by) {
  for (const BufferId id : offsets.ids()) {
    const Buffer& buffer = plan_.buffers[id];
    if (offsets[id] < 0) {
      buffers_.blocks.push_back({});
      continue;
    }
    const auto begin = static_cast<std::size_t>(offsets[id]);
    const BlockLayout layout =
        padded_layout(buffer.box, buffer.aligned_x, pipeline_[buffer.array].element_bytes());
    const auto bytes =
        Kokkos::subview(memory_, std::pair(begin, begin + static_cast<std::size_t>(buffer.bytes)));
    if (is_new)
      buffers_.blocks.push_back({layout, bytes, touched_by});
    else
      buffers_.blocks.push_back({layout, bytes});
  }
}

void RankExecutor::place_arrays() {
  for (const ArrayRegions& stage : plan_.stages) {
    const auto place = [this](BufferId id) { return id == no_buffer ? ArrayReference{} : buffer(id); };
    buffers_.written.push_back(stage.written_buffer);
    buffers_.read.push_back(stage.read_buffer);
    arrays_.written.push_back(place(stage.written_buffer));
    arrays_.read.push_back(place(stage.read_buffer));
  }
}

void RankExecutor::make_partial_values() {
  partials_.resize(pipeline_.arrays().values().size());
  for (ArrayId id : pipeline_.ids())
    if (const ReductionKernel* kernel = pipeline_[id].reduction()) {
      const int loop = pipeline_.loop_of(id);
      const bool overlaps = loop >= 0 && pipeline_.loop(loop).overlaps_test;
      partials_[id] =
          std::make_unique<PartialValues>(*kernel, plan_.target.threads, plan_.target.device, overlaps);
      const std::int64_t bytes = pipeline_[id].domain.size() * pipeline_[id].element_bytes();
      result_.resize(std::max(result_.size(), static_cast<std::size_t>(bytes)));
    }
}

void RankExecutor::prepare(const PlanNode& node) {
  walk(node, [this](const PlanNode& leaf) {
    const auto* step = std::get_if<plan::Compute>(&leaf.step);
    if (step == nullptr) return;
    const auto id = static_cast<std::size_t>(leaf.id);
    programs_.resize(std::max(programs_.size(), id + 1));
    groups_.resize(programs_.size());
    programs_[id] = std::make_unique<TileProgram>(pipeline_, *step);
    tiles_.prepare(*programs_[id]);
    partial_places_.reserve(programs_[id]->contributions.size());
    if (step->group >= 0)
      groups_[id] = std::make_unique<GroupLaunch>(pipeline_, *programs_[id], arrays_, execution_);
  });
}

void RankExecutor::clear_partial_values() {
  for (const auto& partials : partials_)
    if (partials != nullptr) partials->clear();
}

const Block<>& RankExecutor::written_block(ArrayId array) const {
  if (std::ranges::find(unbound_, array) != unbound_.end()) refuse_unbound(array);
  return buffers_.blocks[buffers_.written[array]];
}

void RankExecutor::refuse_binding(ArrayId array, const std::string& reason) const {
  throw InternalError(
      fmt::format("'{}' cannot be computed in the memory of the caller: {}", pipeline_[array].name, reason));
}

void RankExecutor::check_kept(ArrayId array) const {
  const ArrayDeclaration& declared = pipeline_[array];
  if (!declared.is_input() && !declared.is_output)
    throw InternalError(fmt::format("'{}' is neither input nor output: no array keeps it", declared.name));
}

void RankExecutor::check_bindable(ArrayId array) const {
  check_kept(array);
  const ArrayRegions& regions = plan_.stages[array];
  if (regions.written_buffer != regions.read_buffer || plan_.rank_count > 1)
    refuse_binding(array, "ranks exchange it");
  if (plan_.target.device) refuse_binding(array, "kernels run on a device");
  if (regions.written_buffer == no_buffer) refuse_binding(array, "the plan does not use it");
  if (pipeline_.is_fed(array)) refuse_binding(array, "a loop moves it");
}

void RankExecutor::bind(ArrayId array, const Block<Kokkos::HostSpace>& block) {
  check_bindable(array);
  const ArrayRegions& regions = plan_.stages[array];
  const Buffer& buffer = plan_.buffers[regions.written_buffer];
  if (!block.box().contains(buffer.box))
    refuse_binding(array, fmt::format("the block has the points {}, but the plan needs {}",
                                      to_string(block.box()), to_string(buffer.box)));
  if (block.layout().element_size != pipeline_[array].element_bytes())
    refuse_binding(array, fmt::format("its elements have {} bytes, those of the block {}",
                                      pipeline_[array].element_bytes(), block.layout().element_size));
  share(buffers_.blocks[regions.written_buffer], block);
  arrays_.written[array] = arrays_.read[array] = block.reference();
  std::erase(unbound_, array);
}

void RankExecutor::refuse_unbound(ArrayId array) const {
  throw InternalError(
      fmt::format("'{}' has no memory: bind a block to it before the first run", pipeline_[array].name));
}

void RankExecutor::check_bound() const {
  if (!unbound_.empty()) refuse_unbound(unbound_.front());
}

void RankExecutor::run(const PlanNode& leaf, const Bindings& bindings) {
  const auto bound = [&](const auto& map, ArrayId array) {
    const auto found = map.find(pipeline_[array].name);
    return found == map.end() ? nullptr : found->second;
  };
  visit_step(
      leaf,
      [&](const plan::Read& step) {
        if (BlockSource* source = bound(bindings.sources, step.array)) read(step, *source);
      },
      [&](const plan::Write& step) {
        if (BlockSink* sink = bound(bindings.sinks, step.array)) write(step, *sink);
      },
      [&](const plan::FillBoundary& step) { fill(step); },
      [&](const plan::Compute& step) { compute(leaf, step); }, [&](const plan::Swap& step) { swap(step); },
      [](const plan::AnyOf<plan::Sequence, plan::Repeat, plan::Bands, plan::Exchange, plan::FinishExchange,
                           plan::Reduce> auto& step) {
        throw InternalError(fmt::format("no rank runs a step '{}' by itself", step.kind));
      });
}

void RankExecutor::read(const plan::Read& step, BlockSource& source) {
  const ArrayDeclaration& array = pipeline_[step.array];
  const HostCopy copy(execution_, written_block(step.array), array.type);
  // Only a part of the block is read. The copy is filled first, so that the rest of the block stays as it is.
  if constexpr (!runs_on_host) copy.to_host();
  if (window_.is_whole()) {
    source.read(copy.get(step.box));
  } else {
    // The points of all ranks give the pieces, because all ranks read each piece together.
    const Box& points = plan_.stages[step.array].domain;
    for (const PeriodicPiece& piece : periodic_pieces(points, array.domain, array.boundary)) {
      HostBlock block = copy.get(intersection(step.box, piece.box));
      block.box = shifted(block.box, piece.shift);
      source.read(block);
    }
  }
  if constexpr (!runs_on_host) copy.to_device();
}

void RankExecutor::write(const plan::Write& step, BlockSink& sink) {
  const HostCopy copy(execution_, written_block(step.array), pipeline_[step.array].type);
  execution_.fence();
  if constexpr (!runs_on_host) copy.to_host();
  if (window_.is_whole() || pipeline_[step.array].is_everywhere())
    sink.write(copy.get(step.box));
  else
    sink.write_part(copy.get(step.box), window_.wanted(pipeline_, step.array));
}

void RankExecutor::fill(const plan::FillBoundary& step) {
  if (step.box.empty()) return;
  fill_boundary(execution_, arrays_.read[step.array], step.box, pipeline_[step.array].domain,
                pipeline_[step.array].boundary, pipeline_[step.array].element_bytes(), mode_);
}

void RankExecutor::compute(const PlanNode& node, const plan::Compute& step) {
  const auto id = static_cast<std::size_t>(node.id);
  if (step.parts.empty()) return;
  const Region region(pipeline_[step.stage].name);
  if (!plan_.target.device)
    compute_tiles(*programs_[id], arrays_);
  else if (is_staged(pipeline_, plan_.target, step.stage))
    compute_staged(*programs_[id]);
  else if (groups_[id] != nullptr)
    groups_[id]->run(execution_);
  else
    launch(*programs_[id]);
}

void RankExecutor::compute_tiles(const TileProgram& program, const ArrayPlaces& arrays) {
  AccessViolations violations;
  partial_places_.clear();
  for (const TileProgram::Contribution& contribution : program.contributions) {
    PartialValues& partials = *partial_values(contribution.stage);
    partial_places_.push_back({partials.data(), partials.stride()});
  }
  tiles_.run(host_execution_, execution_, program, arrays, violations, partial_places_.data());
  if (violations.first() != nullptr) fail(*violations.first());
}

void RankExecutor::compute_staged(const TileProgram& program) {
  compute_tiles(program, staging_.fetch(execution_, *program.step, buffers_));
  staging_.store(execution_, *program.step, buffers_);
}

void RankExecutor::launch(const TileProgram& program) {
  const TileProgram::Member& member = program.members.back();
  launch_inputs_.clear();
  launch_outputs_.clear();
  for (const TileProgram::Place& input : member.inputs) launch_inputs_.push_back(arrays_.read[input.array]);
  for (const TileProgram::Place& output : member.outputs)
    launch_outputs_.push_back(arrays_.written[output.array]);
  PartialValues* partials = partial_values(member.stage);
  if (partials != nullptr) launch_outputs_.front().origin = partials->data();
  for (const Box& part : program.step->parts) {
    member.kernel->launch(execution_, launch_inputs_.data(), launch_outputs_.data(), part);
    if (partials != nullptr) partials->collect(execution_);
  }
}

void RankExecutor::swap(const plan::Swap& step) {
  const auto swap_entries = [&step](auto& table) { std::swap(table[step.first], table[step.second]); };
  swap_entries(buffers_.written);
  swap_entries(buffers_.read);
  swap_entries(arrays_.written);
  swap_entries(arrays_.read);
  for (const auto& group : groups_)
    if (group != nullptr) group->place(arrays_, execution_);
}

std::byte* RankExecutor::result_place(ArrayId array) const {
  const Block<>& block = written_block(array);
  return block.host_block(pipeline_[array].domain, block.memory().data(), pipeline_[array].type).data;
}

void RankExecutor::store_result(ArrayId stage, const std::byte* value) {
  pipeline_[stage].reduction()->store(value, result_.data());
  const std::int64_t bytes = pipeline_[stage].domain.size() * pipeline_[stage].element_bytes();
  compat::copy_bytes(execution_, result_place(stage), result_.data(), static_cast<std::size_t>(bytes));
  // The copy must be complete, because the next result will be stored in `result_`, too.
  compat::fence(execution_);
}

double RankExecutor::number(ArrayId array) const {
  alignas(8) std::byte element[8] = {};
  compat::copy_bytes(execution_, element, result_place(array), size_of(pipeline_[array].type));
  compat::fence(execution_);
  return number_at(pipeline_[array].type, element);
}

void RankExecutor::fail(const AccessViolation& violation) const {
  const ArrayDeclaration& stage = pipeline_[ArrayId{violation.stage}];
  const ArrayId input = stage.inputs[static_cast<std::size_t>(violation.input)];
  std::string point;
  for (int d = 0; d < violation.footprint.dimensions; ++d)
    point += (d == 0 ? "" : ", ") + std::to_string(violation.point[d]);
  throw InternalError(fmt::format(
      "stage '{}' read '{}' at ({}), which in dimension {} lies outside its footprint {}", stage.name,
      pipeline_[input].name, point, violation.dimension, to_string(violation.footprint)));
}

}  // namespace tessera
