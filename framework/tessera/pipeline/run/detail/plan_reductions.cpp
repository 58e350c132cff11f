// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/detail/plan_reductions.hpp"

namespace tessera {
namespace {

int stage_of(const PlanNode& node) { return std::get<plan::Reduce>(node.step).stage; }

}  // namespace

PlanReductions::PlanReductions(RankExecutor& executor, MPI_Comm communicator)
    : executor_(executor), communicator_(communicator) {
  const Algorithm& pipeline = executor.pipeline();
  reductions_.resize(static_cast<std::size_t>(pipeline.size()));
  requests_.reserve(reductions_.size());
  for (int id = 0; id < pipeline.size(); ++id)
    if (const ReductionKernel* kernel = pipeline[id].reduction)
      reductions_[static_cast<std::size_t>(id)] =
          std::make_unique<ValueReduction>(kernel->value_bytes(), kernel->join_function());
}

void PlanReductions::begin() {
  executor_.clear_partial_values();
  requests_.clear();
  if (carried_ != nullptr) begin_with_carried_values();
}

void PlanReductions::begin_with_carried_values() {
  const auto count = static_cast<std::size_t>(executor_.pipeline().size());
  carried_->resize(count);
  std::vector<bool> goes_on(count, false);
  walk(executor_.plan().root, [&](const PlanNode& node) {
    if (std::holds_alternative<plan::Reduce>(node.step))
      goes_on[static_cast<std::size_t>(stage_of(node))] = true;
  });
  for (std::size_t id = 0; id < count; ++id) {
    const std::vector<std::byte>& value = (*carried_)[id];
    if (value.empty()) continue;
    if (!goes_on[id])
      executor_.store_result(static_cast<int>(id), value.data());
    else if (executor_.plan().rank == 0)  // only once, because the values of all ranks are joined
      executor_.partial_values(static_cast<int>(id))->begin_with(value.data());
  }
}

void PlanReductions::run(std::span<const PlanNode> nodes, const StepObserver& observer) {
  for (const PlanNode& node : nodes) {
    if (observer) observer(node);
    std::byte* total = executor_.partial_values(stage_of(node))->join();
    const ValueReduction& reduction = *reductions_[static_cast<std::size_t>(stage_of(node))];
    if (nodes.size() == 1)
      reduction.run(total, communicator_);
    else
      reduction.start(total, communicator_, requests_.emplace_back());
  }
  wait_for_all();
  for (const PlanNode& node : nodes) store_total(stage_of(node));
}

void PlanReductions::store_total(int stage) {
  PartialValues& values = *executor_.partial_values(stage);
  executor_.store_result(stage, values.total());
  if (carried_ != nullptr)
    (*carried_)[static_cast<std::size_t>(stage)].assign(values.total(),
                                                        values.total() + values.kernel().value_bytes());
  values.clear();
}

void PlanReductions::start(int stage) {
  reductions_[static_cast<std::size_t>(stage)]->start(executor_.partial_values(stage)->take(), communicator_,
                                                      requests_.emplace_back());
}

void PlanReductions::finish(int stage) {
  wait_for_all();
  executor_.store_result(stage, executor_.partial_values(stage)->under_way());
}

void PlanReductions::wait_for_all() {
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  requests_.clear();
}

}  // namespace tessera
