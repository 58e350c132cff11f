// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/plan_instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"
#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/run/bindings.hpp"
#include "tessera/pipeline/run/detail/plan_messages.hpp"
#include "tessera/pipeline/run/detail/plan_walker.hpp"
#include "tessera/view/block_layout.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/mpi_objects.hpp"

namespace tessera {
namespace {

/// Returns the bytes of the arrays with the names `arrays` in the memory of a plan.
std::int64_t bytes_of(const Algorithm& pipeline, const Plan& plan, const std::vector<std::string>& arrays) {
  std::int64_t bytes = 0;
  for (const std::string& array : arrays)
    if (!points_in_memory(pipeline, plan, array).empty())
      bytes += layout_in_memory(pipeline, plan, array).bytes;
  return bytes;
}

/// Runs `allocation`, which allocates `bytes` bytes, on every rank. If it fails on one rank, for example for
/// lack of memory, an exception is thrown on all ranks.
void allocate(int rank, std::int64_t bytes, MPI_Comm communicator, const std::function<void()>& allocation) {
  collectively(communicator, [&] {
    try {
      allocation();
    } catch (const InternalError&) {
      throw;
    } catch (const std::exception&) {
      throw InputError(
          fmt::format("rank {} cannot have the {} of memory that its plan needs: use more ranks, or a "
                      "schedule that keeps less (--explain)",
                      rank, human_bytes(bytes)));
    }
  });
}

/// The actions of one rank at the leaves of its plan.
class InstanceActions : public StepActions {
 public:
  InstanceActions(RankExecutor& executor, PlanExchanges& exchanges, PlanReductions& reductions,
                  const Bindings& bindings, const StepObserver& observer)
      : executor_(executor),
        exchanges_(exchanges),
        reductions_(reductions),
        bindings_(bindings),
        observer_(observer) {}

  void run_step(const PlanNode& node) override {
    if (observer_) observer_(node);
    if (const auto* exchange = std::get_if<plan::Exchange>(&node.step)) {
      exchanges_.start(node);
      if (!exchange->overlapped) exchanges_.finish(node.id);
    } else if (const auto* finish = std::get_if<plan::FinishExchange>(&node.step)) {
      exchanges_.finish(finish->exchange);
    } else {
      executor_.run(node, bindings_);
    }
  }

  void reduce(std::span<const PlanNode> nodes) override { reductions_.run(nodes, observer_); }
  void start_reduction(const PlanNode& node) override { reductions_.start(stage_of(node)); }
  void finish_reduction(const PlanNode& node) override {
    if (observer_) observer_(node);
    reductions_.finish(stage_of(node));
  }
  void drop_reduction(const PlanNode& node) override { reductions_.drop(stage_of(node)); }
  void take_back(const PlanNode& swap) override { executor_.run(swap, bindings_); }
  CountedTurns resume(const plan::Repeat& loop) override {
    if (!bindings_.resume_loop) return {};
    const std::int64_t turns =
        bindings_.resume_loop(loop.loop_of_turns(), [this](ArrayId array, BlockSource& source) {
          // Reads all points that the rank holds within the domain, because stages may compute points that
          // the rank does not own.
          const ArrayRegions& regions = executor_.plan().stages[array];
          executor_.read({array, intersection(executor_.written_block(array).box(), regions.domain)}, source);
        });
    return {turns, turns, false};
  }

  void keep(const LoopProgress& progress) override {
    if (bindings_.keep_loop) bindings_.keep_loop(progress, storing());
  }
  void look(const LoopProgress& progress) override {
    if (bindings_.look) bindings_.look(progress, storing());
  }
  double number(ArrayId array) override { return executor_.number(array); }

 private:
  StoreArray storing() {
    return [this](ArrayId array, BlockSink& sink) {
      executor_.write({array, executor_.plan().stages[array].owned}, sink);
    };
  }

  RankExecutor& executor_;
  PlanExchanges& exchanges_;
  PlanReductions& reductions_;
  const Bindings& bindings_;
  const StepObserver& observer_;
};

}  // namespace

struct PlanInstance::Impl {
  Impl(const Algorithm& pipeline, const Plan& plan, MPI_Comm parent, const Transport& transport,
       HostMode mode, ArrayMemory memory);

  void run(const std::vector<PlanNode>& nodes, const Bindings& bindings, const StepObserver& observer) {
    executor->check_bound();
    InstanceActions actions(*executor, *exchanges, *reductions, bindings, observer);
    PlanWalker(executor->pipeline(), follows, bindings, actions).run(nodes);
  }
  void fence() const {
    if (!runs_on_host || executor->mode() == HostMode::kernels) compat::fence(executor->execution());
  }

  Communicator communicator;
  /// The result of following_from_reductions, for each run.
  IdVector<ArrayId, bool> follows;
  std::unique_ptr<RankExecutor> executor;
  std::unique_ptr<PlanReductions> reductions;
  std::unique_ptr<PlanExchanges> exchanges;
};

PlanInstance::Impl::Impl(const Algorithm& pipeline, const Plan& plan, MPI_Comm parent,
                         const Transport& transport, HostMode mode, ArrayMemory memory)
    : communicator(parent) {
  const auto make_exchanges = [&] {
    exchanges = std::make_unique<PlanExchanges>(*executor, communicator.handle(), transport);
  };
  const std::int64_t bytes = plan.peak_bytes() - bytes_of(pipeline, plan, memory.bound);
  // The steps that are not collective, and may fail on one rank only, come before the collective steps.
  allocate(plan.rank, bytes, parent, [&] {
    if (communicator.size() != plan.rank_count || communicator.rank() != plan.rank)
      throw InternalError(fmt::format("a plan for rank {} of {} on rank {} of {}", plan.rank, plan.rank_count,
                                      communicator.rank(), communicator.size()));
    follows = following_from_reductions(pipeline);
    executor = std::make_unique<RankExecutor>(pipeline, plan, mode, std::move(memory));
    reductions = std::make_unique<PlanReductions>(*executor, communicator.handle());
    if (!transport.shared_windows) make_exchanges();
  });
  if (transport.shared_windows) make_exchanges();
}

PlanInstance::PlanInstance(const Algorithm& pipeline, const Plan& plan, MPI_Comm communicator,
                           const Transport& transport, HostMode mode, ArrayMemory memory)
    : impl_(std::make_unique<Impl>(pipeline, plan, communicator, transport, mode, std::move(memory))) {}

PlanInstance::~PlanInstance() = default;
PlanInstance::PlanInstance(PlanInstance&&) noexcept = default;

const Plan& PlanInstance::plan() const { return impl_->executor->plan(); }

ArrayMemory PlanInstance::memory() const { return impl_->executor->memory(); }

const Block<>& PlanInstance::written_block(ArrayId id) const { return impl_->executor->written_block(id); }

void PlanInstance::carry(CarriedValues& carried) { impl_->reductions->carry(carried); }

void PlanInstance::run(const Bindings& bindings, const StepObserver& observer) {
  impl_->reductions->begin();
  impl_->run(*children_of(plan().root), bindings, observer);
  impl_->fence();
}

void PlanInstance::compute(const StepObserver& observer) {
  impl_->reductions->begin();
  impl_->run(phase(plan(), "compute").children, {}, observer);
  impl_->fence();
}

void PlanInstance::read(const Bindings& bindings) {
  impl_->run(phase(plan(), "read").children, bindings, {});
  impl_->fence();
}

void PlanInstance::write(const Bindings& bindings) {
  impl_->run(phase(plan(), "write").children, bindings, {});
}

int PlanInstance::step_count() const {
  int steps = 0;
  walk(plan().root, [&](const PlanNode& node) { steps += is_step(node) ? 1 : 0; });
  return steps;
}

void PlanInstance::load(std::string_view name, BlockSource& source) {
  const ArrayId id = impl_->executor->pipeline().find(name);
  impl_->executor->read({id, plan().stages[id].owned}, source);
}

void PlanInstance::store(std::string_view name, BlockSink& sink) {
  const Algorithm& pipeline = impl_->executor->pipeline();
  const ArrayId id = pipeline.find(name);
  const ArrayDeclaration& array = pipeline[id];
  impl_->executor->check_kept(id);
  const Box& owned = plan().stages[id].owned;
  impl_->executor->write({id, array.is_output ? intersection(owned, array.domain) : owned}, sink);
}

void PlanInstance::bind(std::string_view name, const Block<Kokkos::HostSpace>& block) {
  impl_->executor->bind(impl_->executor->pipeline().find(name), block);
}

Box points_in_memory(const Algorithm& pipeline, const Plan& plan, std::string_view name) {
  const BufferId buffer = plan.stages[pipeline.find(name)].written_buffer;
  return buffer == no_buffer ? Box() : plan.buffers[buffer].box;
}

BlockLayout layout_in_memory(const Algorithm& pipeline, const Plan& plan, std::string_view name,
                             const Box& more) {
  const ArrayId id = pipeline.find(name);
  const ArrayRegions& regions = plan.stages[id];
  const Buffer& buffer = plan.buffers[regions.written_buffer];
  return padded_layout(hull(buffer.box, more), buffer.aligned_x, pipeline[id].element_bytes());
}

std::int64_t bytes_besides(const Algorithm& pipeline, const Plan& plan,
                           const std::vector<std::string>& bound) {
  IdVector<BufferId, bool> is_left_out(plan.buffers.values().size());
  for (const std::string& name : bound) is_left_out[plan.stages[pipeline.find(name)].written_buffer] = true;
  IdVector<BufferId, std::int64_t> offsets;
  return place_without(plan, is_left_out, offsets) + plan.peak_bytes() - plan.array_bytes;
}

ArrayId PlanInstance::checked_id(std::string_view name, ElementType type, int dimensions) const {
  const Algorithm& pipeline = impl_->executor->pipeline();
  const ArrayId id = pipeline.find(name);
  const ArrayDeclaration& array = pipeline[id];
  if (array.type != type || array.dimensions != dimensions)
    throw InternalError(fmt::format("'{}' is {}-dimensional of {}, not {}-dimensional of {}", name,
                                    array.dimensions, name_of(array.type), dimensions, name_of(type)));
  impl_->executor->check_kept(id);
  if (array.is_reduction())
    throw InternalError(fmt::format(
        "'{}' is the result of a global reduction, which no rank owns alone: store it", array.name));
  return id;
}

void check_residual(const std::string& loop, std::int64_t turns, const std::string& residual, double value) {
  if (std::isfinite(value)) return;
  throw DivergedError(
      fmt::format("the loop '{}' diverges: after turn {} its residual '{}' is {}; start from other data "
                  "or change its parameters",
                  loop, turns, residual, value));
}

std::int64_t place_without(const Plan& plan, const IdVector<BufferId, bool>& is_left_out,
                           IdVector<BufferId, std::int64_t>& offsets) {
  std::vector<BufferId> kept;
  for (const BufferId id : plan.buffers.ids())
    if (!is_left_out[id]) kept.push_back(id);
  std::ranges::sort(kept, {}, [&](BufferId id) { return plan.buffers[id].offset; });
  offsets.values().assign(plan.buffers.values().size(), -1);
  // Buffers that lie at least partly in the same memory stay so. Gaps between other buffers are closed.
  std::int64_t end = 0, shift = 0;
  for (const BufferId id : kept) {
    const Buffer& buffer = plan.buffers[id];
    shift += std::max<std::int64_t>(buffer.offset - end, 0);
    offsets[id] = buffer.offset - shift;
    end = std::max(end, buffer.offset + aligned_bytes(buffer.bytes));
  }
  return end - shift;
}

}  // namespace tessera
