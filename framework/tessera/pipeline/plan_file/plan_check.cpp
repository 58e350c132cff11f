// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan_file/plan_check.hpp"

#include <fmt/format.h>

#include <limits>

#include "tessera/pipeline/plan/message_mismatch.hpp"
#include "tessera/pipeline/plan/step_names.hpp"
#include "tessera/pipeline/plan_file/detail/plan_checker.hpp"
#include "tessera/pipeline/plan_file/detail/plan_fields.hpp"

namespace tessera {
namespace {

constexpr const char* advice = "save the plans again, or mend them";

using Nodes = std::vector<const PlanNode*>;

Nodes nodes_of(const Plan& plan) {
  Nodes nodes;
  walk(plan.root, [&nodes](const PlanNode& node) { nodes.push_back(&node); });
  return nodes;
}

std::string common_field(std::int64_t value) { return std::to_string(value); }
std::string common_field(const std::vector<int>& values) { return fmt::format("{}", fmt::join(values, ",")); }

/// Returns a text with everything in a step that must be the same on all ranks. The boxes of buffers may
/// differ between ranks.
std::string common_text(const Algorithm& pipeline, const PlanNode& node) {
  std::string text = fmt::format("{} {}", step_kind(node), step_label(pipeline, node));
  if (const auto* loop = std::get_if<plan::Repeat>(&node.step))
    detail::for_each_field<plan::Repeat>(
        [&](const auto& field) { text += fmt::format(" {}", common_field(loop->*field.member)); });
  if (const auto* exchange = std::get_if<plan::Exchange>(&node.step))
    text += exchange->overlapped ? " overlapped" : "";
  if (const auto* children = children_of(node)) text += fmt::format(" {}", children->size());
  return text;
}

/// Checks that the plans of all ranks fit each other. Each plan must have been checked separately before.
class PlansChecker {
 public:
  PlansChecker(const Algorithm& pipeline, const std::vector<Plan>& plans)
      : pipeline_(pipeline), plans_(plans) {}

  void check() {
    for (const Plan& plan : plans_) {
      check_stages(plan);
      nodes_.push_back(nodes_of(plan));
      check_steps(plan);
    }
    if (const auto mismatch = find_message_mismatch(pipeline_, plans_))
      throw InputError(
          fmt::format("step {} (exchange): what rank {} sends to rank {} is not what that expects: {}",
                      mismatch->node, mismatch->from, mismatch->to, advice));
  }

 private:
  void check_stages(const Plan& plan) const {
    const Plan& first = plans_.front();
    bool same = plan.target.threads == first.target.threads && plan.target.device == first.target.device;
    for (std::size_t i = 0; i < plan.stages.size(); ++i)
      same = same && plan.stages[i].grid == first.stages[i].grid &&
             plan.stages[i].nominal == first.stages[i].nominal &&
             plan.stages[i].slicing == first.stages[i].slicing &&
             plan.stages[i].placement == first.stages[i].placement;
    if (!same)
      throw InputError(
          fmt::format("the plans of the ranks 0 and {} follow different schedules: {}", plan.rank, advice));
  }

  void check_steps(const Plan& plan) const {
    const Nodes &first = nodes_.front(), &mine = nodes_.back();
    for (std::size_t i = 0; i < std::min(first.size(), mine.size()); ++i)
      if (common_text(pipeline_, *first[i]) != common_text(pipeline_, *mine[i]))
        throw InputError(fmt::format("step {} is '{}' on rank 0, but '{}' on rank {}: {}", i,
                                     step_label(pipeline_, *first[i]), step_label(pipeline_, *mine[i]),
                                     plan.rank, advice));
    if (first.size() != mine.size())
      throw InputError(fmt::format("{} steps on rank 0, but {} on rank {}: {}", first.size(), mine.size(),
                                   plan.rank, advice));
  }

  const Algorithm& pipeline_;
  const std::vector<Plan>& plans_;
  /// The nodes of the plans, by rank and node id.
  std::vector<Nodes> nodes_;
};

/// Returns the window of the band of a plan, or the window of whole arrays if the plan has no band. Throws
/// InputError if the pipeline has no such band.
Window window_of(const Algorithm& pipeline, const Plan& plan) {
  const Band* band = band_of(plan);
  if (band == nullptr) return {};
  if (!pipeline.loops().empty() || band->dimension < 0 || band->dimension >= max_dimensions ||
      band->index < 0 || band->index >= band->count || band->pass < 0 || band->pass >= passes_of(pipeline) ||
      band->unit < 1 || band->unit > std::numeric_limits<int>::max())
    throw InputError(fmt::format("rank {}: this pipeline has no such band: {}", plan.rank, advice));
  return {pipeline, *band};
}

}  // namespace

void check_plan(const Algorithm& pipeline, const Plan& plan) {
  const Window window = window_of(pipeline, plan);
  detail::PlanChecker(pipeline, window, array_domains(pipeline, window), plan).check();
}

void check_plans(const Algorithm& pipeline, const std::vector<Plan>& plans) {
  if (plans.empty()) throw InputError(fmt::format("holds no plan: {}", advice));
  const Window window = window_of(pipeline, plans.front());
  const std::vector<ArrayDomain> domains = array_domains(pipeline, window);
  for (std::size_t rank = 0; rank < plans.size(); ++rank) {
    if (plans[rank].rank != static_cast<int>(rank) ||
        plans[rank].rank_count != static_cast<int>(plans.size()))
      throw InputError(fmt::format("plan {} of {} is that of rank {} of {}: {}", rank, plans.size(),
                                   plans[rank].rank, plans[rank].rank_count, advice));
    detail::PlanChecker(pipeline, window, domains, plans[rank]).check();
  }
  PlansChecker(pipeline, plans).check();
}

}  // namespace tessera
