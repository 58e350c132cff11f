// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan_instance.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/pipeline/explain.hpp"
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

PlanInstance::PlanInstance(const Pipeline& pipeline, const Plan& plan, MPI_Comm communicator,
                           const Transport& transport)
    : communicator_(communicator) {
  if (communicator_.size() != plan.rank_count || communicator_.rank() != plan.rank)
    throw InternalError(fmt::format("a plan for rank {} of {} on rank {} of {}", plan.rank, plan.rank_count,
                                    communicator_.rank(), communicator_.size()));
  allocate(plan, communicator, [&] {
    executor_ = std::make_unique<RankExecutor>(pipeline, plan);
    make_exchanges(transport);
  });
}

void PlanInstance::make_exchanges(const Transport& transport) {
  const Pipeline& pipeline = executor_->pipeline();
  for (const PlanNode& node : phase(plan(), "compute").children)
    if (const auto* step = std::get_if<plan::ExchangeGhosts>(&node.step)) {
      const ArrayReference& array = executor_->array(step->array);
      const auto size = static_cast<std::int64_t>(size_of(pipeline[step->array].type));
      const std::vector fields = {ExchangeField{array, array, size, step->lists}};
      const auto place = static_cast<std::size_t>(node.id);
      exchanges_.resize(std::max(exchanges_.size(), place + 1));
      exchanges_[place] = std::make_unique<Exchange>(communicator_.handle(), node.id, fields, transport);
    }
}

void PlanInstance::run(const Bindings& bindings, const StepObserver& observer) {
  for (const char* name : {"read", "compute", "write"}) run(phase(plan(), name), bindings, observer);
  executor_->execution().fence();
}

void PlanInstance::compute(const StepObserver& observer) {
  run(phase(plan(), "compute"), {}, observer);
  executor_->execution().fence();
}

void PlanInstance::run(const plan::Sequence& sequence, const Bindings& bindings,
                       const StepObserver& observer) {
  for (const PlanNode& node : sequence.children) {
    if (observer) observer(node);
    if (const auto* inner = std::get_if<plan::Sequence>(&node.step))
      run(*inner, bindings, observer);
    else if (std::holds_alternative<plan::ExchangeGhosts>(node.step))
      exchanges_.at(static_cast<std::size_t>(node.id))->run(executor_->execution());
    else
      executor_->run(node, bindings);
  }
}

int PlanInstance::step_count() const {
  std::size_t steps = 0;
  for (const char* name : {"read", "compute", "write"}) steps += phase(plan(), name).children.size();
  return static_cast<int>(steps);
}

void PlanInstance::load(std::string_view name, BlockSource& source) {
  const int id = executor_->pipeline().find(name);
  executor_->run({0, plan::Read{id, plan().stages[static_cast<std::size_t>(id)].owned}},
                 Bindings{{{executor_->pipeline()[id].name, &source}}, {}});
}

void PlanInstance::store(std::string_view name, BlockSink& sink) {
  const int id = executor_->pipeline().find(name);
  check_kept(id);
  const StageDeclaration& stage = executor_->pipeline()[id];
  const Box& owned = plan().stages[static_cast<std::size_t>(id)].owned;
  executor_->run({0, plan::Write{id, stage.is_output ? intersection(owned, stage.domain) : owned}},
                 Bindings{{}, {{executor_->pipeline()[id].name, &sink}}});
}

void PlanInstance::check_kept(int id) const {
  if (plan().stages[static_cast<std::size_t>(id)].placement == Placement::tile)
    throw InternalError(
        fmt::format("'{}' is computed in tiles: no array holds it", executor_->pipeline()[id].name));
}

int PlanInstance::checked_id(std::string_view name, ElementType type, int dimensions) const {
  const int id = executor_->pipeline().find(name);
  const StageDeclaration& stage = executor_->pipeline()[id];
  if (stage.type != type || stage.dimensions != dimensions)
    throw InternalError(fmt::format("'{}' is {}-dimensional of {}, not {}-dimensional of {}", name,
                                    stage.dimensions, name_of(stage.type), dimensions, name_of(type)));
  check_kept(id);
  return id;
}

}  // namespace tessera
