// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/plan_instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "tessera/domain/human_bytes.hpp"
#include "tessera/pipeline/algorithm/carried_arrays.hpp"
#include "tessera/pipeline/plan/arrangements.hpp"
#include "tessera/pipeline/run/turn_parts.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera {
namespace {

/// Runs `allocation` on every rank: memory may lack on one rank only, and all of them must know.
void allocate(const Plan& plan, MPI_Comm communicator, const std::function<void()>& allocation) {
  collectively(communicator, [&] {
    try {
      allocation();
    } catch (const InternalError&) {
      throw;
    } catch (const std::exception&) {
      throw InputError(
          fmt::format("rank {} cannot have the {} of memory that its plan needs: use more ranks, or a "
                      "schedule that keeps less (--explain)",
                      plan.rank, human_bytes(plan.peak_bytes())));
    }
  });
}

}  // namespace

PlanInstance::PlanInstance(const Algorithm& pipeline, const Plan& plan, MPI_Comm communicator,
                           const Transport& transport, HostMode mode)
    : communicator_(communicator) {
  // What a rank does by itself, and may fail at by itself, comes before what all do together.
  allocate(plan, communicator, [&] {
    if (communicator_.size() != plan.rank_count || communicator_.rank() != plan.rank)
      throw InternalError(fmt::format("a plan for rank {} of {} on rank {} of {}", plan.rank, plan.rank_count,
                                      communicator_.rank(), communicator_.size()));
    executor_ = std::make_unique<RankExecutor>(pipeline, plan, mode);
    make_reductions();
    if (!transport.shared_windows) make_exchanges(transport);
  });
  if (transport.shared_windows) make_exchanges(transport);
}

PlanInstance::~PlanInstance() = default;
PlanInstance::PlanInstance(PlanInstance&&) noexcept = default;

void PlanInstance::make_exchanges(const Transport& transport) {
  walk(plan().root, [&](const PlanNode& node) {
    exchanges_.resize(std::max(exchanges_.size(), static_cast<std::size_t>(node.id) + 1));
    if (!std::holds_alternative<plan::Exchange>(node.step)) return;
    for (std::vector<int>& buffers : arrangements(plan(), node))
      make_exchange(node, std::move(buffers), transport);
  });
}

void PlanInstance::make_exchange(const PlanNode& node, std::vector<int> buffers, const Transport& transport) {
  std::vector<ExchangeField> fields;
  const auto& arrays = std::get<plan::Exchange>(node.step).arrays;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const ArrayRegions& regions = plan().stages[static_cast<std::size_t>(arrays[k].array)];
    // What changes places is read where it is computed.
    const int read = buffers[k] == regions.written_buffer ? regions.read_buffer : buffers[k];
    fields.push_back({executor_->buffer(buffers[k]), executor_->buffer(read),
                      static_cast<std::int64_t>(size_of(executor_->pipeline()[arrays[k].array].type)),
                      arrays[k].lists});
  }
  exchanges_[static_cast<std::size_t>(node.id)].arranged.push_back(
      {std::move(buffers),
       std::make_unique<Exchange>(communicator_.handle(), node.id, fields, transport, executor_->mode())});
}

Exchange* PlanInstance::find_exchange(const PlanNode& node) const {
  const auto& arrays = std::get<plan::Exchange>(node.step).arrays;
  const auto is_current = [&](const Arranged& arranged) {
    return std::equal(arranged.buffers.begin(), arranged.buffers.end(), arrays.begin(),
                      [this](int buffer, const plan::ArrayMessages& messages) {
                        return buffer ==
                               executor_->written_buffers()[static_cast<std::size_t>(messages.array)];
                      });
  };
  const auto& arranged = exchanges_[static_cast<std::size_t>(node.id)].arranged;
  const auto found = std::find_if(arranged.begin(), arranged.end(), is_current);
  return found == arranged.end() ? nullptr : found->exchange.get();
}

void PlanInstance::make_reductions() {
  const Algorithm& pipeline = executor_->pipeline();
  reductions_.resize(static_cast<std::size_t>(pipeline.size()));
  requests_.reserve(reductions_.size());
  for (int id = 0; id < pipeline.size(); ++id)
    if (const ReductionKernel* kernel = pipeline[id].reduction)
      reductions_[static_cast<std::size_t>(id)] =
          std::make_unique<ValueReduction>(kernel->value_bytes(), kernel->join_function());
}

void PlanInstance::run(const Bindings& bindings, const StepObserver& observer) {
  begin_reductions();
  run(plan().root, bindings, observer);
  fence();
}

void PlanInstance::compute(const StepObserver& observer) {
  begin_reductions();
  run(phase(plan(), "compute").children, {}, observer);
  fence();
}

void PlanInstance::read(const Bindings& bindings) {
  run(phase(plan(), "read").children, bindings, {});
  fence();
}

void PlanInstance::write(const Bindings& bindings) { run(phase(plan(), "write").children, bindings, {}); }

void PlanInstance::begin_reductions() {
  executor_->clear_partial_values();
  if (carried_ == nullptr) return;
  const auto count = static_cast<std::size_t>(executor_->pipeline().size());
  carried_->resize(count);
  std::vector<bool> goes_on(count, false);
  walk(plan().root, [&](const PlanNode& node) {
    if (const auto* reduce = std::get_if<plan::Reduce>(&node.step))
      goes_on[static_cast<std::size_t>(reduce->stage)] = true;
  });
  for (std::size_t id = 0; id < count; ++id) {
    const std::vector<std::byte>& value = (*carried_)[id];
    if (value.empty()) continue;
    if (!goes_on[id])
      executor_->store_result(static_cast<int>(id), value.data());
    else if (communicator_.rank() == 0)  // once, not once for each rank
      executor_->partial_values(static_cast<int>(id))->begin_with(value.data());
  }
}

void PlanInstance::fence() {
  if (!runs_on_host || executor_->mode() == HostMode::kernels) compat::fence(executor_->execution());
}

void PlanInstance::run(const std::vector<PlanNode>& nodes, const Bindings& bindings,
                       const StepObserver& observer) {
  for (std::size_t i = 0; i < nodes.size();) {
    std::size_t end = i;
    while (end < nodes.size() && std::holds_alternative<plan::Reduce>(nodes[end].step)) ++end;
    if (end > i)
      reduce(std::span(nodes).subspan(i, end - i), observer);
    else
      run(nodes[end++], bindings, observer);
    i = end;
  }
}

void PlanInstance::run(const PlanNode& node, const Bindings& bindings, const StepObserver& observer) {
  if (const auto* loop = std::get_if<plan::Repeat>(&node.step)) return repeat(*loop, bindings, observer);
  if (const auto* items = std::get_if<plan::Items>(&node.step)) {
    while (bindings.next_item && bindings.next_item()) run(items->children, bindings, observer);
    return;
  }
  if (const auto* children = children_of(node)) return run(*children, bindings, observer);
  if (!is_step(node)) return;
  if (observer) observer(node);
  run_leaf(node, bindings);
}

void PlanInstance::repeat(const plan::Repeat& loop, const Bindings& bindings, const StepObserver& observer) {
  if (loop.overlaps_test) return repeat_overlapping(loop, bindings, observer);
  if (!loop.continues) turns_ = resume(loop, bindings);
  run_turns(
      executor_->pipeline(), loop, bindings, turns_, [&] { run(loop.children, bindings, observer); },
      [&](const PlanNode& swap) { executor_->run(swap, bindings); },
      [&](const LoopProgress& progress) { keep(progress, bindings); },
      [this](int array) { return executor_->number(array); });
}

void PlanInstance::repeat_overlapping(const plan::Repeat& loop, const Bindings& bindings,
                                      const StepObserver& observer) {
  const Algorithm& pipeline = executor_->pipeline();
  const auto run_part = [&](TurnPart part) {
    for (const PlanNode& child : loop.children)
      if (part_of(pipeline, child) == part) run(child, bindings, observer);
  };
  run_overlapping_turns(
      pipeline, loop, bindings, resume(loop, bindings), [&] { run_part(TurnPart::points); },
      [&] { start_reductions(loop.children); }, [&] { finish_test(loop.children, bindings, observer); },
      [&] {
        for (const PlanNode& node : loop.children)
          if (const auto* reduce = std::get_if<plan::Reduce>(&node.step))
            executor_->partial_values(reduce->stage)->clear();
      },
      [&] { run_part(TurnPart::swaps); }, [&](const LoopProgress& progress) { keep(progress, bindings); },
      [this](int array) { return executor_->number(array); });
}

CountedTurns PlanInstance::resume(const plan::Repeat& loop, const Bindings& bindings) {
  const Algorithm& pipeline = executor_->pipeline();
  const int number = loop.rounds_of >= 0 ? loop.rounds_of : loop.loop;
  if (!bindings.resume_loop || number < 0 ||
      pipeline.is_inner(pipeline.loops()[static_cast<std::size_t>(number)]))
    return {};
  const std::int64_t turns = bindings.resume_loop(number, [&](int array, BlockSource& source) {
    // All of it that the rank has, as stages may compute more than the rank stands for.
    const ArrayRegions& regions = plan().stages[static_cast<std::size_t>(array)];
    const Box box = intersection(executor_->written_block(array).box(), regions.domain);
    executor_->run({0, plan::Read{array, box}}, Bindings{{{pipeline[array].name, &source}}, {}});
  });
  return {turns, turns, false};
}

void PlanInstance::keep(const LoopProgress& progress, const Bindings& bindings) {
  const Algorithm& pipeline = executor_->pipeline();
  if (!bindings.keep_loop || progress.loop < 0 ||
      pipeline.is_inner(pipeline.loops()[static_cast<std::size_t>(progress.loop)]))
    return;
  bindings.keep_loop(progress, [&](int array, BlockSink& sink) {
    const Box& owned = plan().stages[static_cast<std::size_t>(array)].owned;
    executor_->run({0, plan::Write{array, owned}}, Bindings{{}, {{pipeline[array].name, &sink}}});
  });
}

void PlanInstance::start_reductions(const std::vector<PlanNode>& nodes) {
  requests_.clear();
  for (const PlanNode& node : nodes)
    if (const auto* reduce = std::get_if<plan::Reduce>(&node.step))
      reductions_[static_cast<std::size_t>(reduce->stage)]->start(
          executor_->partial_values(reduce->stage)->take(), communicator_.handle(), requests_.emplace_back());
}

void PlanInstance::finish_test(const std::vector<PlanNode>& nodes, const Bindings& bindings,
                               const StepObserver& observer) {
  for (const PlanNode& node : nodes) {
    const TurnPart part = part_of(executor_->pipeline(), node);
    if (part == TurnPart::values) run(node, bindings, observer);
    if (part != TurnPart::reductions) continue;
    if (observer) observer(node);
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
    const int stage = std::get<plan::Reduce>(node.step).stage;
    executor_->store_result(stage, executor_->partial_values(stage)->under_way());
  }
}

void PlanInstance::run_leaf(const PlanNode& node, const Bindings& bindings) {
  if (const auto* exchange = std::get_if<plan::Exchange>(&node.step)) {
    Exchange* messages = find_exchange(node);
    if (messages == nullptr)
      throw InternalError(fmt::format("no messages are prepared for the buffers of step {}", node.id));
    messages->start(executor_->execution());
    if (!exchange->overlapped) messages->finish(executor_->execution());
    exchanges_[static_cast<std::size_t>(node.id)].under_way = messages;
  } else if (const auto* finish = std::get_if<plan::FinishExchange>(&node.step)) {
    exchanges_[static_cast<std::size_t>(finish->exchange)].under_way->finish(executor_->execution());
  } else {
    executor_->run(node, bindings);
  }
}

void PlanInstance::reduce(std::span<const PlanNode> nodes, const StepObserver& observer) {
  const auto stage_of = [](const PlanNode& node) { return std::get<plan::Reduce>(node.step).stage; };
  requests_.clear();
  for (const PlanNode& node : nodes) {
    if (observer) observer(node);
    std::byte* total = executor_->partial_values(stage_of(node))->join();
    const ValueReduction& reduction = *reductions_[static_cast<std::size_t>(stage_of(node))];
    if (nodes.size() == 1)
      reduction.run(total, communicator_.handle());
    else
      reduction.start(total, communicator_.handle(), requests_.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  for (const PlanNode& node : nodes) {
    const int stage = stage_of(node);
    PartialValues& values = *executor_->partial_values(stage);
    executor_->store_result(stage, values.total());
    if (carried_ != nullptr)
      (*carried_)[static_cast<std::size_t>(stage)].assign(values.total(),
                                                          values.total() + values.kernel().value_bytes());
    values.clear();
  }
}

int PlanInstance::step_count() const {
  int steps = 0;
  walk(plan().root, [&](const PlanNode& node) { steps += is_step(node) ? 1 : 0; });
  return steps;
}

void PlanInstance::load(std::string_view name, BlockSource& source) {
  const int id = executor_->pipeline().find(name);
  executor_->run({0, plan::Read{id, plan().stages[static_cast<std::size_t>(id)].owned}},
                 Bindings{{{executor_->pipeline()[id].name, &source}}, {}});
}

void PlanInstance::store(std::string_view name, BlockSink& sink) {
  const int id = executor_->pipeline().find(name);
  check_kept(id);
  const ArrayDeclaration& stage = executor_->pipeline()[id];
  const Box& owned = plan().stages[static_cast<std::size_t>(id)].owned;
  executor_->run({0, plan::Write{id, stage.is_output ? intersection(owned, stage.domain) : owned}},
                 Bindings{{}, {{executor_->pipeline()[id].name, &sink}}});
}

void PlanInstance::check_kept(int id) const {
  const ArrayDeclaration& stage = executor_->pipeline()[id];
  if (!stage.is_input() && !stage.is_output)
    throw InternalError(fmt::format("'{}' is neither input nor output: no array keeps it", stage.name));
}

void PlanInstance::check_viewed(int id) const {
  if (const ArrayDeclaration& stage = executor_->pipeline()[id]; stage.reduction != nullptr)
    throw InternalError(fmt::format(
        "'{}' is the result of a global reduction, which no rank owns alone: store it", stage.name));
}

int PlanInstance::checked_id(std::string_view name, ElementType type, int dimensions) const {
  const int id = executor_->pipeline().find(name);
  const ArrayDeclaration& stage = executor_->pipeline()[id];
  if (stage.type != type || stage.dimensions != dimensions)
    throw InternalError(fmt::format("'{}' is {}-dimensional of {}, not {}-dimensional of {}", name,
                                    stage.dimensions, name_of(stage.type), dimensions, name_of(type)));
  check_kept(id);
  check_viewed(id);
  return id;
}

}  // namespace tessera
