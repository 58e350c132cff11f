// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/detail/plan_messages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/pipeline/plan/exchanges.hpp"
#include "tessera/pipeline/run/detail/plan_walker.hpp"

namespace tessera {

PlanExchanges::PlanExchanges(const RankExecutor& executor, MPI_Comm communicator, const Transport& transport)
    : executor_(executor) {
  const Plan& plan = executor.plan();
  walk(plan.root, [&](const PlanNode& node) {
    nodes_.resize(std::max(nodes_.size(), static_cast<std::size_t>(node.id) + 1));
    if (!std::holds_alternative<plan::Exchange>(node.step)) return;
    for (std::vector<BufferId>& buffers : arrangements(plan, node))
      prepare(node, std::move(buffers), communicator, transport);
  });
}

void PlanExchanges::prepare(const PlanNode& node, std::vector<BufferId> buffers, MPI_Comm communicator,
                            const Transport& transport) {
  std::vector<ExchangeField> fields;
  const auto& arrays = std::get<plan::Exchange>(node.step).arrays;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const ArrayRegions& regions = executor_.plan().stages[arrays[k].array];
    // An array that a swap has moved to another buffer is written and read in this one buffer.
    const BufferId read_buffer = buffers[k] == regions.written_buffer ? regions.read_buffer : buffers[k];
    fields.push_back({executor_.buffer(buffers[k]), executor_.buffer(read_buffer),
                      executor_.pipeline()[arrays[k].array].element_bytes(), arrays[k].lists});
  }
  nodes_[static_cast<std::size_t>(node.id)].arranged.push_back(
      {std::move(buffers),
       std::make_unique<Exchange>(communicator, node.id, fields, transport, executor_.mode())});
}

Exchange* PlanExchanges::find(const PlanNode& node) const {
  const auto& arrays = std::get<plan::Exchange>(node.step).arrays;
  const IdVector<ArrayId, BufferId>& written = executor_.written_buffers();
  const auto is_current = [&](const Arranged& arranged) {
    return std::equal(arranged.buffers.begin(), arranged.buffers.end(), arrays.begin(),
                      [&](BufferId buffer, const plan::ArrayMessages& messages) {
                        return buffer == written[messages.array];
                      });
  };
  const auto& arranged = nodes_[static_cast<std::size_t>(node.id)].arranged;
  const auto found = std::find_if(arranged.begin(), arranged.end(), is_current);
  return found == arranged.end() ? nullptr : found->exchange.get();
}

void PlanExchanges::start(const PlanNode& node) {
  Exchange* exchange = find(node);
  if (exchange == nullptr)
    throw InternalError(fmt::format("no messages are prepared for the buffers of step {}", node.id));
  exchange->start(executor_.execution());
  nodes_[static_cast<std::size_t>(node.id)].under_way = exchange;
}

void PlanExchanges::finish(int node) {
  nodes_[static_cast<std::size_t>(node)].under_way->finish(executor_.execution());
}

PlanReductions::PlanReductions(RankExecutor& executor, MPI_Comm communicator)
    : executor_(executor), communicator_(communicator) {
  const Algorithm& pipeline = executor.pipeline();
  reductions_.resize(pipeline.arrays().values().size());
  requests_.reserve(reductions_.values().size());
  for (ArrayId id : pipeline.ids())
    if (const ReductionKernel* kernel = pipeline[id].reduction())
      reductions_[id] = std::make_unique<ValueReduction>(kernel->value_bytes(), kernel->join_function());
}

void PlanReductions::begin() {
  executor_.clear_partial_values();
  requests_.clear();
  if (carried_ != nullptr) begin_with_carried_values();
}

void PlanReductions::begin_with_carried_values() {
  carried_->resize(executor_.pipeline().arrays().values().size());
  // If the plan reduces an array, the reduction goes on with the carried value. Otherwise this value is the
  // result.
  auto is_reduced = executor_.pipeline().table<bool>();
  walk(executor_.plan().root, [&](const PlanNode& node) {
    if (std::holds_alternative<plan::Reduce>(node.step)) is_reduced[stage_of(node)] = true;
  });
  for (const ArrayId id : executor_.pipeline().ids()) {
    const std::vector<std::byte>& value = (*carried_)[id];
    if (value.empty()) continue;
    if (!is_reduced[id])
      executor_.store_result(id, value.data());
    else if (executor_.plan().rank == 0)  // only once, because the values of all ranks are joined
      executor_.partial_values(id)->begin_with(value.data());
  }
}

void PlanReductions::run(std::span<const PlanNode> nodes, const StepObserver& observer) {
  for (const PlanNode& node : nodes) {
    if (observer) observer(node);
    std::byte* total = executor_.partial_values(stage_of(node))->join();
    const ValueReduction& reduction = *reductions_[stage_of(node)];
    // Several reductions are under way at the same time.
    if (nodes.size() == 1)
      reduction.run(total, communicator_);
    else
      reduction.start(total, communicator_, requests_.emplace_back());
  }
  wait_for_all();
  for (const PlanNode& node : nodes) store_total(stage_of(node));
}

void PlanReductions::store_total(ArrayId stage) {
  PartialValues& values = *executor_.partial_values(stage);
  executor_.store_result(stage, values.total());
  if (carried_ != nullptr)
    (*carried_)[stage].assign(values.total(), values.total() + values.kernel().value_bytes());
  values.clear();
}

void PlanReductions::start(ArrayId stage) {
  reductions_[stage]->start(executor_.partial_values(stage)->take(), communicator_, requests_.emplace_back());
}

void PlanReductions::finish(ArrayId stage) {
  wait_for_all();
  executor_.store_result(stage, executor_.partial_values(stage)->under_way());
}

void PlanReductions::wait_for_all() {
  wait_all(requests_);
  requests_.clear();
}

}  // namespace tessera
