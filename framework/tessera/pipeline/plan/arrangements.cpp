// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/arrangements.hpp"

#include <algorithm>
#include <set>

#include "tessera/pipeline/plan/visit_step.hpp"

namespace tessera {
namespace {

/// Follows the arrays of an exchange through all swaps that may have come before it, back to the buffers that
/// they had when the plan began. Arrays that are not exchanged need no following: what fed iterates on, in
/// rounds, has thousands of arrangements, of which an exchange sees some.
class Arranger {
 public:
  Arranger(const Plan& plan, const PlanNode& exchange) : plan_(plan), exchange_(exchange) {
    const int end = add(*children_of(plan_.root), 0);
    // The next run begins where this one ended.
    points_[0].push_back({end, nullptr});
  }

  std::vector<std::vector<int>> found() {
    Arrays arrays;
    for (const auto& array : std::get<plan::Exchange>(exchange_.step).arrays) arrays.push_back(array.array);
    follow(before_exchange_, std::move(arrays));
    while (!open_.empty()) {
      const auto [point, at_point] = std::move(open_.back());
      open_.pop_back();
      for (const Way& way : points_[static_cast<std::size_t>(point)])
        follow(way.from, way.swap == nullptr ? at_point : swapped(*way.swap, at_point));
    }
    std::set<std::vector<int>> buffers;
    for (const auto& [point, at_point] : seen_) {
      if (point != 0) continue;
      std::vector<int> all;
      for (int array : at_point) all.push_back(plan_.stages[static_cast<std::size_t>(array)].written_buffer);
      buffers.insert(std::move(all));
    }
    return {buffers.begin(), buffers.end()};
  }

 private:
  using Arrays = std::vector<int>;
  /// How a run may come to a point between steps.
  struct Way {
    int from;
    const plan::Swap* swap;
  };

  int add_point(int from, const plan::Swap* swap) {
    points_.push_back({{from, swap}});
    return static_cast<int>(points_.size()) - 1;
  }

  /// The steps after a point; returns the point after them.
  int add(const std::vector<PlanNode>& nodes, int point) {
    for (const PlanNode& node : nodes) {
      if (node.id == exchange_.id) before_exchange_ = point;
      point = visit_step(
          node, [&](const plan::Swap& swap) { return add_point(point, &swap); },
          [&](const plan::AnyOf<plan::Repeat, plan::Items> auto& repeated) {
            return add_repeated(repeated.children, point);
          },
          [&](const plan::AnyOf<plan::Sequence, plan::Bands> auto& inner) {
            return add(inner.children, point);
          },
          [&](const plan::AnyOf<plan::Allocate, plan::Free, plan::Read, plan::Write, plan::Exchange,
                                plan::FinishExchange, plan::FillBoundary, plan::Compute,
                                plan::Reduce> auto&) { return point; });
    }
    return point;
  }

  /// Swaps come back to where they began when they are repeated, so that no turns are as good as some.
  int add_repeated(const std::vector<PlanNode>& nodes, int point) {
    const int begin = add_point(point, nullptr);
    const int end = add(nodes, begin);
    points_[static_cast<std::size_t>(begin)].push_back({end, nullptr});
    return end;
  }

  void follow(int point, Arrays arrays) {
    const auto [place, is_new] = seen_.emplace(point, std::move(arrays));
    if (is_new) open_.push_back(*place);
  }

  static Arrays swapped(const plan::Swap& swap, Arrays arrays) {
    for (int& array : arrays)
      array = array == swap.first ? swap.second : array == swap.second ? swap.first : array;
    return arrays;
  }

  const Plan& plan_;
  const PlanNode& exchange_;
  /// The ways to each point; the first is where the plan begins.
  std::vector<std::vector<Way>> points_ = {{}};
  int before_exchange_ = 0;
  /// Points, and which arrays then had the buffers that the exchange finds: all, and those still to follow.
  std::set<std::pair<int, Arrays>> seen_;
  std::vector<std::pair<int, Arrays>> open_;
};

}  // namespace

std::vector<std::vector<int>> arrangements(const Plan& plan, const PlanNode& exchange) {
  return Arranger(plan, exchange).found();
}

}  // namespace tessera
