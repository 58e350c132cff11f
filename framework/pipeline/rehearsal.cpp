// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/rehearsal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/view/copy.hpp"

namespace tessera {

Rehearsal::Rehearsal(const Pipeline& pipeline, const Schedule& schedule, const Target& target,
                     int rank_count) {
  for (int rank = 0; rank < rank_count; ++rank)
    ranks_.push_back(
        std::make_unique<RankExecutor>(pipeline, make_plan(pipeline, schedule, target, rank_count, rank)));
  check_messages();
}

void Rehearsal::check_messages() const {
  const auto& steps = phase(plan(0), "compute").children;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto lists = [&](int rank) -> const ExchangeLists& {
      return std::get<plan::ExchangeGhosts>(phase(plan(rank), "compute").children[i].step).lists;
    };
    if (!std::holds_alternative<plan::ExchangeGhosts>(steps[i].step)) continue;
    const auto has = [](const std::vector<Message>& list, const Message& message) {
      return std::find(list.begin(), list.end(), message) != list.end();
    };
    for (int rank = 0; rank < rank_count(); ++rank) {
      for (const Message& message : lists(rank).sends)
        if (!has(lists(message.partner).receives, {rank, message.box, message.shift, message.in_place}))
          throw InternalError(fmt::format("rank {} sends {} to rank {}, which does not expect it", rank,
                                          to_string(message.box), message.partner));
      for (const Message& message : lists(rank).receives)
        if (!has(lists(message.partner).sends, {rank, message.box, message.shift, message.in_place}))
          throw InternalError(fmt::format("rank {} expects {} from rank {}, which does not send it", rank,
                                          to_string(message.box), message.partner));
    }
  }
}

void Rehearsal::run(const Bindings& bindings) {
  for (const char* name : {"read", "compute", "write"}) run_phase(name, bindings);
}

void Rehearsal::run_phase(const char* name, const Bindings& bindings) {
  // Plans of all ranks have the same shape: step i is the same step everywhere.
  const std::size_t steps = phase(plan(0), name).children.size();
  for (std::size_t i = 0; i < steps; ++i)
    for (auto& rank : ranks_) run_step(*rank, phase(rank->plan(), name).children[i], bindings);
}

void Rehearsal::run_step(RankExecutor& rank, const PlanNode& node, const Bindings& bindings) {
  const auto* exchange = std::get_if<plan::ExchangeGhosts>(&node.step);
  if (exchange == nullptr) return rank.run(node, bindings);
  const auto size = static_cast<std::int64_t>(size_of(rank.pipeline()[exchange->array].type));
  for (const auto* messages : {&exchange->lists.receives, &exchange->lists.copies})
    for (const Message& message : *messages)
      copy_points(rank.execution(), ranks_[static_cast<std::size_t>(message.partner)]->array(exchange->array),
                  rank.array(exchange->array), message.box, size, message.shift);
}

}  // namespace tessera
