// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan_file/plan_check.hpp"

#include <fmt/format.h>

#include <map>

#include "tessera/pipeline/plan/step_names.hpp"
#include "tessera/pipeline/plan_file/detail/plan_checker.hpp"

namespace tessera {
namespace {

constexpr const char* advice = "save the plans again, or mend them";

using Nodes = std::vector<const PlanNode*>;

Nodes nodes_of(const Plan& plan) {
  Nodes nodes;
  walk(plan.root, [&nodes](const PlanNode& node) { nodes.push_back(&node); });
  return nodes;
}

/// What must be the same on all ranks of a step. Allocations may differ: nobody waits for them.
std::string common_text(const Algorithm& pipeline, const PlanNode& node) {
  std::string text = fmt::format("{} {}", step_kind(node), step_label(pipeline, node));
  if (const auto* loop = std::get_if<plan::Repeat>(&node.step))
    text += fmt::format(" {} {} {} {} {} {} {} {}", loop->loop, loop->maximum, loop->condition,
                        fmt::join(loop->residuals, ","), loop->turns, loop->rounds_of, loop->continues,
                        loop->overlaps_test);
  if (const auto* exchange = std::get_if<plan::Exchange>(&node.step))
    text += exchange->overlapped ? " overlapped" : "";
  if (const auto* children = children_of(node)) text += fmt::format(" {}", children->size());
  return text;
}

/// The plans of all ranks, each of which is right by itself.
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
    for (std::size_t i = 0; i < nodes_.front().size(); ++i)
      if (const auto* exchange = std::get_if<plan::Exchange>(&nodes_.front()[i]->step))
        for (std::size_t k = 0; k < exchange->arrays.size(); ++k) check_messages(i, k);
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

  using ByPartner = std::map<int, std::vector<Message>>;

  ByPartner by_partner(std::size_t rank, std::size_t node, std::size_t array, bool sends) const {
    const ExchangeLists& lists = std::get<plan::Exchange>(nodes_[rank][node]->step).arrays[array].lists;
    ByPartner messages;
    for (const Message& message : sends ? lists.sends : lists.receives)
      messages[message.partner].push_back(message);
    return messages;
  }

  void check_messages(std::size_t node, std::size_t array) const {
    const int id = std::get<plan::Exchange>(nodes_.front()[node]->step).arrays[array].array;
    std::vector<ByPartner> received;
    for (std::size_t rank = 0; rank < plans_.size(); ++rank)
      received.push_back(by_partner(rank, node, array, false));
    for (std::size_t rank = 0; rank < plans_.size(); ++rank)
      for (auto& [partner, messages] : by_partner(rank, node, array, true)) {
        auto& expected = received[static_cast<std::size_t>(partner)][static_cast<int>(rank)];
        check_pair(node, id, static_cast<int>(rank), partner, messages, expected);
        expected.clear();
      }
    for (std::size_t rank = 0; rank < plans_.size(); ++rank)
      for (const auto& [partner, messages] : received[rank])
        if (!messages.empty()) fail(node, partner, static_cast<int>(rank));
  }

  void check_pair(std::size_t node, int array, int from, int to, const std::vector<Message>& sends,
                  const std::vector<Message>& receives) const {
    if (sends.size() != receives.size()) fail(node, from, to);
    for (std::size_t i = 0; i < sends.size(); ++i) {
      Message expected = receives[i];
      expected.partner = to;
      const bool same_rows =
          !sends[i].in_place ||
          have_common_strides(sends[i].box, layout(from, array, &ArrayRegions::written_buffer),
                              layout(to, array, &ArrayRegions::read_buffer));
      if (!(sends[i] == expected) || !same_rows) fail(node, from, to);
    }
  }

  BlockLayout layout(int rank, int array, int ArrayRegions::*side) const {
    const Plan& plan = plans_[static_cast<std::size_t>(rank)];
    const int place = plan.stages[static_cast<std::size_t>(array)].*side;
    const Buffer& buffer = plan.buffers[static_cast<std::size_t>(place)];
    return padded_layout(buffer.box, buffer.aligned_x,
                         static_cast<std::int64_t>(size_of(pipeline_[array].type)));
  }

  [[noreturn]] void fail(std::size_t node, int from, int to) const {
    throw InputError(
        fmt::format("step {} (exchange): what rank {} sends to rank {} is not what that expects: {}", node,
                    from, to, advice));
  }

  const Algorithm& pipeline_;
  const std::vector<Plan>& plans_;
  /// By rank and id.
  std::vector<Nodes> nodes_;
};

/// Of the plan's band, if it has one.
ScheduledPipeline any_schedule_of(const Algorithm& pipeline, const Plan& plan) {
  const Band* band = band_of(plan);
  if (band == nullptr) return {pipeline, {}, {}, 1};
  if (!pipeline.loops().empty() || band->dimension < 0 || band->dimension >= max_dimensions ||
      band->index < 0 || band->index >= band->count || band->pass < 0 || band->pass >= passes_of(pipeline))
    throw InputError(fmt::format("rank {}: this pipeline has no such band: {}", plan.rank, advice));
  return {pipeline, {}, {}, 1, Window(pipeline, *band)};
}

}  // namespace

void check_plan(const Algorithm& pipeline, const Plan& plan) {
  detail::PlanChecker(pipeline, any_schedule_of(pipeline, plan), plan).check();
}

void check_plans(const Algorithm& pipeline, const std::vector<Plan>& plans) {
  if (plans.empty()) throw InputError(fmt::format("holds no plan: {}", advice));
  const ScheduledPipeline any_schedule = any_schedule_of(pipeline, plans.front());
  for (std::size_t rank = 0; rank < plans.size(); ++rank) {
    if (plans[rank].rank != static_cast<int>(rank) ||
        plans[rank].rank_count != static_cast<int>(plans.size()))
      throw InputError(fmt::format("plan {} of {} is that of rank {} of {}: {}", rank, plans.size(),
                                   plans[rank].rank, plans[rank].rank_count, advice));
    detail::PlanChecker(pipeline, any_schedule, plans[rank]).check();
  }
  PlansChecker(pipeline, plans).check();
}

}  // namespace tessera
