// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/rehearsal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/pipeline/run/turn_parts.hpp"
#include "tessera/view/copy.hpp"

namespace tessera {

namespace {

/// Calls visit(nodes) for every leaf that all plans have at the same place.
template <class Visit>
void walk_together(const std::vector<const PlanNode*>& nodes, const Visit& visit) {
  const auto* children = children_of(*nodes.front());
  if (children == nullptr) return visit(nodes);
  for (std::size_t i = 0; i < children->size(); ++i) {
    std::vector<const PlanNode*> inner;
    for (const PlanNode* node : nodes) inner.push_back(&children_of(*node)->at(i));
    walk_together(inner, visit);
  }
}

}  // namespace

Rehearsal::Rehearsal(const Algorithm& pipeline, const std::vector<Plan>& plans) {
  for (const Plan& plan : plans) ranks_.push_back(std::make_unique<RankExecutor>(pipeline, plan));
  check_messages();
}

void Rehearsal::check_messages() const {
  Nodes roots;
  for (const auto& rank : ranks_) roots.push_back(&rank->plan().root);
  walk_together(roots, [this](const Nodes& nodes) {
    if (std::holds_alternative<plan::Exchange>(nodes.front()->step)) check_exchange(nodes);
  });
}

void Rehearsal::check_exchange(const Nodes& exchanges) const {
  const auto lists = [&](int rank, std::size_t i) -> const ExchangeLists& {
    return std::get<plan::Exchange>(exchanges[static_cast<std::size_t>(rank)]->step).arrays.at(i).lists;
  };
  const auto has = [](const std::vector<Message>& list, const Message& message) {
    return std::find(list.begin(), list.end(), message) != list.end();
  };
  for (std::size_t i = 0; i < std::get<plan::Exchange>(exchanges.front()->step).arrays.size(); ++i)
    for (int rank = 0; rank < rank_count(); ++rank) {
      for (const Message& message : lists(rank, i).sends)
        if (!has(lists(message.partner, i).receives, {rank, message.box, message.shift, message.in_place}))
          throw InternalError(fmt::format("rank {} sends {} to rank {}, which does not expect it", rank,
                                          to_string(message.box), message.partner));
      for (const Message& message : lists(rank, i).receives)
        if (!has(lists(message.partner, i).sends, {rank, message.box, message.shift, message.in_place}))
          throw InternalError(fmt::format("rank {} expects {} from rank {}, which does not send it", rank,
                                          to_string(message.box), message.partner));
    }
}

void Rehearsal::run(const Bindings& bindings) {
  Nodes roots;
  for (const auto& rank : ranks_) {
    rank->clear_partial_values();
    roots.push_back(&rank->plan().root);
  }
  run_node(roots, bindings);
}

void Rehearsal::run_node(const Nodes& nodes, const Bindings& bindings) {
  const auto* loop = std::get_if<plan::Repeat>(&nodes.front()->step);
  if (loop != nullptr && loop->overlaps_test) {
    run_overlapping(nodes, bindings);
  } else if (loop != nullptr) {
    if (!loop->continues) turns_ = {};
    run_turns(
        ranks_.front()->pipeline(), *loop, bindings, turns_, [&] { run_children(nodes, bindings); },
        [&](const PlanNode& swap) {
          for (const auto& rank : ranks_) rank->run(swap, bindings);
        },
        [](const LoopProgress&) {}, [this](int array) { return ranks_.front()->number(array); });
  } else if (std::holds_alternative<plan::Items>(nodes.front()->step)) {
    while (bindings.next_item && bindings.next_item()) run_children(nodes, bindings);
  } else if (children_of(*nodes.front()) != nullptr) {
    run_children(nodes, bindings);
  } else {
    run_leaf(nodes, bindings);
  }
}

void Rehearsal::run_overlapping(const Nodes& nodes, const Bindings& bindings) {
  const auto& loop = std::get<plan::Repeat>(nodes.front()->step);
  const Algorithm& pipeline = ranks_.front()->pipeline();
  const auto for_part = [&](TurnPart part, const auto& use) {
    for (std::size_t i = 0; i < loop.children.size(); ++i)
      if (part_of(pipeline, loop.children[i]) == part) use(i);
  };
  const auto run_child = [&](std::size_t i) {
    Nodes children;
    for (const PlanNode* node : nodes) children.push_back(&(*children_of(*node))[i]);
    run_node(children, bindings);
  };
  const auto stage_of = [&loop](std::size_t i) {
    return std::get<plan::Reduce>(loop.children[i].step).stage;
  };
  run_overlapping_turns(
      pipeline, loop, bindings, {}, [&] { for_part(TurnPart::points, run_child); },
      [&] { for_part(TurnPart::reductions, [&](std::size_t i) { start_reduction(stage_of(i)); }); },
      [&] {
        for (std::size_t i = 0; i < loop.children.size(); ++i) {
          const TurnPart part = part_of(pipeline, loop.children[i]);
          if (part == TurnPart::values) run_child(i);
          if (part != TurnPart::reductions) continue;
          for (const auto& rank : ranks_)
            rank->store_result(stage_of(i), ranks_.front()->partial_values(stage_of(i))->under_way());
        }
      },
      [&] {
        for_part(TurnPart::reductions, [&](std::size_t i) {
          for (const auto& rank : ranks_) rank->partial_values(stage_of(i))->clear();
        });
      },
      [&] { for_part(TurnPart::swaps, run_child); }, [](const LoopProgress&) {},
      [this](int array) { return ranks_.front()->number(array); });
}

void Rehearsal::start_reduction(int stage) {
  PartialValues& first = *ranks_.front()->partial_values(stage);
  std::byte* total = first.take();
  for (std::size_t r = 1; r < ranks_.size(); ++r)
    first.kernel().join(total, ranks_[r]->partial_values(stage)->take());
}

void Rehearsal::run_children(const Nodes& nodes, const Bindings& bindings) {
  for (std::size_t i = 0; i < children_of(*nodes.front())->size(); ++i) {
    Nodes children;
    for (const PlanNode* node : nodes) children.push_back(&(*children_of(*node))[i]);
    run_node(children, bindings);
  }
}

void Rehearsal::run_leaf(const Nodes& nodes, const Bindings& bindings) {
  if (const auto* reduction = std::get_if<plan::Reduce>(&nodes.front()->step))
    return reduce(reduction->stage);
  for (int r = 0; r < rank_count(); ++r) {
    const PlanNode& node = *nodes[static_cast<std::size_t>(r)];
    RankExecutor& rank = *ranks_[static_cast<std::size_t>(r)];
    if (const auto* whole = std::get_if<plan::Exchange>(&node.step)) {
      // What is overlapped arrives as late as it may: who reads it before gets something else.
      if (!whole->overlapped) exchange(r, *whole);
    } else if (const auto* finish = std::get_if<plan::FinishExchange>(&node.step)) {
      walk(rank.plan().root, [&](const PlanNode& other) {
        if (other.id == finish->exchange) exchange(r, std::get<plan::Exchange>(other.step));
      });
    } else {
      rank.run(node, bindings);
    }
  }
}

void Rehearsal::exchange(int rank, const plan::Exchange& step) {
  RankExecutor& receiver = *ranks_[static_cast<std::size_t>(rank)];
  for (const plan::ArrayMessages& array : step.arrays) {
    const auto id = static_cast<std::size_t>(array.array);
    const auto size = static_cast<std::int64_t>(size_of(receiver.pipeline()[array.array].type));
    for (const auto* messages : {&array.lists.receives, &array.lists.copies})
      for (const Message& message : *messages)
        copy_points(receiver.execution(),
                    ranks_[static_cast<std::size_t>(message.partner)]->arrays().written[id],
                    receiver.arrays().read[id], message.box, size, message.shift);
  }
}

void Rehearsal::reduce(int stage) {
  PartialValues& first = *ranks_.front()->partial_values(stage);
  std::byte* total = first.join();
  for (std::size_t r = 1; r < ranks_.size(); ++r)
    first.kernel().join(total, ranks_[r]->partial_values(stage)->join());
  for (const auto& rank : ranks_) rank->store_result(stage, total);
  for (const auto& rank : ranks_) rank->partial_values(stage)->clear();
}

}  // namespace tessera
