// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/exchanges.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera {
namespace {

/// Follows the arrays of an exchange back through all swaps that may have come before the exchange, to the
/// buffers that the arrays had at the beginning of the plan. Other arrays are not followed, because all
/// arrays together may have thousands of arrangements, but the arrays of one exchange have only a few.
class Arranger {
 public:
  Arranger(const Plan& plan, const PlanNode& exchange) : plan_(plan), exchange_(exchange) {
    const int end = add(*children_of(plan_.root), 0);
    // The next run of the plan begins with the buffers as this run left them.
    points_[0].push_back({end, nullptr});
  }

  /// Returns all arrangements of the arrays in buffers.
  std::vector<std::vector<BufferId>> found() {
    Arrays arrays;
    for (const auto& array : std::get<plan::Exchange>(exchange_.step).arrays) arrays.push_back(array.array);
    follow(before_exchange_, std::move(arrays));
    while (!open_.empty()) {
      const auto [point, at_point] = std::move(open_.back());
      open_.pop_back();
      for (const Way& way : points_[static_cast<std::size_t>(point)])
        follow(way.from, way.swap == nullptr ? at_point : swapped(*way.swap, at_point));
    }
    std::set<std::vector<BufferId>> buffers;
    for (const auto& [point, at_point] : seen_) {
      if (point != 0) continue;
      std::vector<BufferId> all;
      for (ArrayId array : at_point) all.push_back(plan_.stages[array].written_buffer);
      buffers.insert(std::move(all));
    }
    return {buffers.begin(), buffers.end()};
  }

 private:
  using Arrays = std::vector<ArrayId>;
  /// One way that may lead a run of the plan to a point between two steps: from the point `from`, through
  /// `swap`, or without a swap if `swap` is null.
  struct Way {
    int from;
    const plan::Swap* swap;
  };

  /// Adds a point with one way to it. Returns the number of the point.
  int add_point(int from, const plan::Swap* swap) {
    points_.push_back({{from, swap}});
    return static_cast<int>(points_.size()) - 1;
  }

  /// Adds the steps that follow a point. Returns the point after these steps.
  int add(const std::vector<PlanNode>& nodes, int point) {
    for (const PlanNode& node : nodes) {
      if (node.id == exchange_.id) before_exchange_ = point;
      point = visit_step(
          node, [&](const plan::Swap& swap) { return add_point(point, &swap); },
          [&](const plan::Repeat& loop) { return add_repeated(loop.children, point); },
          [&](const plan::AnyOf<plan::Sequence, plan::Bands> auto& inner) {
            return add(inner.children, point);
          },
          [&](const plan::AnyOf<plan::Read, plan::Write, plan::Exchange, plan::FinishExchange,
                                plan::FillBoundary, plan::Compute, plan::Reduce> auto&) { return point; });
    }
    return point;
  }

  /// Adds repeated steps that follow a point. Returns the point after these steps. Repeated swaps lead back
  /// to the arrangement before the first turn. The case of no turns therefore needs no way of its own.
  int add_repeated(const std::vector<PlanNode>& nodes, int point) {
    const int begin = add_point(point, nullptr);
    const int end = add(nodes, begin);
    points_[static_cast<std::size_t>(begin)].push_back({end, nullptr});
    return end;
  }

  /// Adds an entry to those that must be followed, if it was not found before.
  void follow(int point, Arrays arrays) {
    const auto [place, is_new] = seen_.emplace(point, std::move(arrays));
    if (is_new) open_.push_back(*place);
  }

  static Arrays swapped(const plan::Swap& swap, Arrays arrays) {
    for (ArrayId& array : arrays)
      array = array == swap.first ? swap.second : array == swap.second ? swap.first : array;
    return arrays;
  }

  const Plan& plan_;
  const PlanNode& exchange_;
  /// The ways to each point. The first point is the beginning of the plan.
  std::vector<std::vector<Way>> points_ = {{}};
  int before_exchange_ = 0;
  /// Each entry is a point and the arrays that have, at this point, the buffers that the exchange later uses.
  /// `seen_` holds all entries found so far, and `open_` those that must still be followed.
  std::set<std::pair<int, Arrays>> seen_;
  std::vector<std::pair<int, Arrays>> open_;
};

}  // namespace

std::vector<std::vector<BufferId>> arrangements(const Plan& plan, const PlanNode& exchange) {
  return Arranger(plan, exchange).found();
}

namespace {

using Exchanges = std::vector<const PlanNode*>;
using Messages = std::vector<Message>;
using ByPartner = std::map<int, Messages>;

Exchanges exchanges_of(const Plan& plan) {
  Exchanges exchanges;
  walk(plan.root, [&](const PlanNode& node) {
    if (std::holds_alternative<plan::Exchange>(node.step)) exchanges.push_back(&node);
  });
  return exchanges;
}

ByPartner by_partner(const Messages& messages) {
  ByPartner sorted;
  for (const Message& message : messages) sorted[message.partner].push_back(message);
  return sorted;
}

/// Finds messages that one rank sends but another does not expect, or that a rank expects but does not get.
class MismatchFinder {
 public:
  MismatchFinder(const Algorithm& pipeline, const std::vector<Plan>& plans) : pipeline_(pipeline) {
    for (const Plan& plan : plans) ranks_.push_back({&plan, exchanges_of(plan)});
  }

  std::optional<MessageMismatch> find() const {
    for (std::size_t node = 0; !ranks_.empty() && node < ranks_[0].exchanges.size(); ++node) {
      const PlanNode& first = *ranks_[0].exchanges[node];
      for (std::size_t k = 0; k < std::get<plan::Exchange>(first.step).arrays.size(); ++k)
        if (const auto found = find(node, k)) return MessageMismatch{first.id, found->first, found->second};
    }
    return {};
  }

 private:
  const plan::ArrayMessages& messages(int rank, std::size_t node, std::size_t array) const {
    return std::get<plan::Exchange>(ranks_[rank].exchanges.at(node)->step).arrays.at(array);
  }

  /// Returns the first pair of a sending and a receiving rank whose messages for one array of one exchange do
  /// not agree, or nothing if all messages agree.
  std::optional<std::pair<int, int>> find(std::size_t node, std::size_t array) const {
    IdVector<int, ByPartner> received;
    for (const int rank : ranks_.ids())
      received.push_back(by_partner(messages(rank, node, array).lists.receives));
    for (const int from : ranks_.ids()) {
      const plan::ArrayMessages& mine = messages(from, node, array);
      for (const auto& [to, sends] : by_partner(mine.lists.sends)) {
        Messages& expected = received[to][from];
        if (!agree(mine.array, from, to, sends, expected)) return std::pair(from, to);
        expected.clear();
      }
    }
    for (const int rank : ranks_.ids())
      for (const auto& [partner, expected] : received[rank])
        if (!expected.empty()) return std::pair(partner, rank);
    return {};
  }

  bool agree(ArrayId array, int from, int to, const Messages& sends, const Messages& receives) const {
    if (sends.size() != receives.size()) return false;
    for (std::size_t i = 0; i < sends.size(); ++i) {
      Message expected = receives[i];
      expected.partner = to;
      const bool has_common_rows =
          !sends[i].in_place ||
          have_common_strides(sends[i].box, layout(from, array, &ArrayRegions::written_buffer),
                              layout(to, array, &ArrayRegions::read_buffer));
      if (!(sends[i] == expected) || !has_common_rows) return false;
    }
    return true;
  }

  BlockLayout layout(int rank, ArrayId array, BufferId ArrayRegions::*side) const {
    const Plan& plan = *ranks_[rank].plan;
    const Buffer& buffer = plan.buffers[plan.stages[array].*side];
    return padded_layout(buffer.box, buffer.aligned_x, pipeline_[array].element_bytes());
  }

  const Algorithm& pipeline_;
  /// The plan of a rank, and its exchanges in order.
  struct RankPlan {
    const Plan* plan;
    Exchanges exchanges;
  };
  IdVector<int, RankPlan> ranks_;
};

}  // namespace

std::optional<MessageMismatch> find_message_mismatch(const Algorithm& pipeline,
                                                     const std::vector<Plan>& plans) {
  return MismatchFinder(pipeline, plans).find();
}

}  // namespace tessera
