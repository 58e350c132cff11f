// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/rehearsal.hpp"

#include <fmt/format.h>

#include "tessera/pipeline/algorithm/algorithm.hpp"
#include "tessera/pipeline/plan/exchanges.hpp"
#include "tessera/pipeline/run/detail/plan_walker.hpp"
#include "tessera/pipeline/run/detail/rank_executor.hpp"
#include "tessera/view/box_copies.hpp"

namespace tessera {
namespace {

using Ranks = IdVector<int, std::unique_ptr<RankExecutor>>;
/// The nodes of the plans, by rank and node id.
using Nodes = IdVector<int, std::vector<const PlanNode*>>;

/// The actions of all ranks at the leaves of their plans. All plans have the same nodes.
class RehearsalActions : public StepActions {
 public:
  RehearsalActions(const Ranks& ranks, const Nodes& nodes, const Bindings& bindings)
      : ranks_(ranks), nodes_(nodes), bindings_(bindings) {}

  void run_step(const PlanNode& step) override {
    // Each rank has a queue of its own on a device. Points that are copied from one rank to another must have
    // been computed before, and must not be computed again until they are copied.
    const bool copies = std::holds_alternative<plan::Exchange>(step.step) ||
                        std::holds_alternative<plan::FinishExchange>(step.step);
    if (copies) wait_for_all();
    for (const int rank : ranks_.ids()) run_step_of(rank, node_of(rank, step.id));
    if (copies) wait_for_all();
  }

  void reduce(std::span<const PlanNode> reductions) override {
    for (const PlanNode& node : reductions) {
      const ArrayId stage = stage_of(node);
      PartialValues& first = *ranks_[0]->partial_values(stage);
      std::byte* total = first.join();
      for (int rank = 1; rank < ranks_.size(); ++rank)
        first.kernel().join(total, ranks_[rank]->partial_values(stage)->join());
      for (const auto& rank : ranks_) rank->store_result(stage, total);
      drop_reduction(node);
    }
  }

  void start_reduction(const PlanNode& reduction) override {
    const ArrayId stage = stage_of(reduction);
    PartialValues& first = *ranks_[0]->partial_values(stage);
    std::byte* total = first.take();
    for (int rank = 1; rank < ranks_.size(); ++rank)
      first.kernel().join(total, ranks_[rank]->partial_values(stage)->take());
  }

  void finish_reduction(const PlanNode& reduction) override {
    const ArrayId stage = stage_of(reduction);
    for (const auto& rank : ranks_) rank->store_result(stage, ranks_[0]->partial_values(stage)->under_way());
  }

  void drop_reduction(const PlanNode& reduction) override {
    for (const auto& rank : ranks_) rank->partial_values(stage_of(reduction))->clear();
  }

  void take_back(const PlanNode& swap) override { run_step(swap); }
  CountedTurns resume(const plan::Repeat&) override { return {}; }
  void keep(const LoopProgress&) override {}
  void look(const LoopProgress&) override {}
  double number(ArrayId array) override { return ranks_[0]->number(array); }

 private:
  const PlanNode& node_of(int rank, int id) const { return *nodes_[rank].at(static_cast<std::size_t>(id)); }
  void run_step_of(int rank, const PlanNode& node) {
    if (const auto* step = std::get_if<plan::Exchange>(&node.step)) {
      // An overlapped exchange copies its points as late as possible, when it is finished. A step that reads
      // the points too early gets other values.
      if (!step->overlapped) exchange(*ranks_[rank], *step);
    } else if (const auto* finish = std::get_if<plan::FinishExchange>(&node.step)) {
      exchange(*ranks_[rank], std::get<plan::Exchange>(node_of(rank, finish->exchange).step));
    } else {
      ranks_[rank]->run(node, bindings_);
    }
  }

  void wait_for_all() const {
    for (const auto& rank : ranks_) compat::fence(rank->execution());
  }

  /// Copies the points that `receiver` receives from the memory of the ranks that send these points.
  void exchange(RankExecutor& receiver, const plan::Exchange& step) {
    for (const plan::ArrayMessages& array : step.arrays) {
      const std::int64_t size = receiver.pipeline()[array.array].element_bytes();
      for (const auto* messages : {&array.lists.receives, &array.lists.copies})
        for (const Message& message : *messages)
          copy_points(receiver.execution(), ranks_[message.partner]->arrays().written[array.array],
                      receiver.arrays().read[array.array], message.box, size, message.shift);
    }
  }

  const Ranks& ranks_;
  const Nodes& nodes_;
  const Bindings& bindings_;
};

}  // namespace

class Rehearsal::Impl {
 public:
  Impl(const Algorithm& pipeline, const std::vector<Plan>& plans)
      : follows_(following_from_reductions(pipeline)) {
    if (const auto mismatch = find_message_mismatch(pipeline, plans))
      throw InternalError(
          fmt::format("step {0}: rank {2} does not expect the messages that rank {1} sends to it",
                      mismatch->node, mismatch->from, mismatch->to));
    for (const Plan& plan : plans) {
      ranks_.push_back(std::make_unique<RankExecutor>(pipeline, plan));
      std::vector<const PlanNode*> nodes;
      walk(ranks_.back()->plan().root, [&nodes](const PlanNode& node) { nodes.push_back(&node); });
      nodes_.push_back(std::move(nodes));
    }
  }

  void run(const Bindings& bindings) {
    for (const auto& rank : ranks_) rank->clear_partial_values();
    RehearsalActions actions(ranks_, nodes_, bindings);
    PlanWalker(ranks_[0]->pipeline(), follows_, bindings, actions).run(ranks_[0]->plan().root);
  }

  const Ranks& ranks() const { return ranks_; }

 private:
  /// The result of following_from_reductions, for each run.
  IdVector<ArrayId, bool> follows_;
  Ranks ranks_;
  Nodes nodes_;
};

Rehearsal::Rehearsal(const Algorithm& pipeline, const std::vector<Plan>& plans)
    : impl_(std::make_unique<Impl>(pipeline, plans)) {}

Rehearsal::~Rehearsal() = default;
Rehearsal::Rehearsal(Rehearsal&&) noexcept = default;

void Rehearsal::run(const Bindings& bindings) { impl_->run(bindings); }

const Plan& Rehearsal::plan(int rank) const { return impl_->ranks()[rank]->plan(); }

int Rehearsal::rank_count() const { return impl_->ranks().size(); }

}  // namespace tessera
