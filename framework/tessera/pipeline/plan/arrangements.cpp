// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/arrangements.hpp"

#include <algorithm>
#include <set>

#include "tessera/pipeline/plan/visit_step.hpp"

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
  /// One way in which a run of the plan may reach a point between two steps: from the point `from`, through
  /// `swap`, or without a swap if `swap` is null.
  struct Way {
    int from;
    const plan::Swap* swap;
  };

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

  /// Adds repeated steps that follow a point. Returns the point after them. Repeated swaps lead back to the
  /// arrangement before the first turn, so that the case of no turns needs no way of its own.
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
  /// The ways to each point. The first point is the beginning of the plan.
  std::vector<std::vector<Way>> points_ = {{}};
  int before_exchange_ = 0;
  /// Each entry is a point and the arrays that have, at this point, the buffers that the exchange later uses.
  /// `seen_` holds all entries found so far, and `open_` those that must still be followed.
  std::set<std::pair<int, Arrays>> seen_;
  std::vector<std::pair<int, Arrays>> open_;
};

}  // namespace

std::vector<std::vector<int>> arrangements(const Plan& plan, const PlanNode& exchange) {
  return Arranger(plan, exchange).found();
}

}  // namespace tessera
