// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/arrangements.hpp"

#include <algorithm>
#include <set>

namespace tessera {
namespace {

/// Runs a plan without doing anything but its swaps, with all arrangements at once that may have come about.
class Arranger {
 public:
  Arranger(const Plan& plan, const PlanNode& exchange) : plan_(plan), exchange_(exchange) {
    for (const auto& array : std::get<plan::Exchange>(exchange.step).arrays)
      exchanged_.push_back(array.array);
    // Besides them only what they change places with matters.
    relevant_.insert(exchanged_.begin(), exchanged_.end());
    for (std::size_t before = 0; before != relevant_.size();) {
      before = relevant_.size();
      walk(plan.root, [this](const PlanNode& node) {
        if (const auto* swap = std::get_if<plan::Swap>(&node.step); swap && is_relevant(*swap))
          relevant_.insert({swap->first, swap->second});
      });
    }
  }

  std::vector<std::vector<int>> found() {
    Buffers start;
    for (int array : relevant_) start.push_back(plan_.stages[static_cast<std::size_t>(array)].written_buffer);
    repeat(*children_of(plan_.root), {start});
    return {found_.begin(), found_.end()};
  }

 private:
  /// Of the relevant arrays, in order.
  using Buffers = std::vector<int>;
  using Arrangements = std::set<Buffers>;

  bool is_relevant(const plan::Swap& swap) const {
    return relevant_.contains(swap.first) || relevant_.contains(swap.second);
  }
  std::size_t place(int array) const {
    return static_cast<std::size_t>(std::distance(relevant_.begin(), relevant_.find(array)));
  }

  /// What may be after some turns.
  Arrangements repeat(const std::vector<PlanNode>& nodes, Arrangements before) {
    for (;;) {
      const Arrangements after = run(nodes, before);
      const std::size_t known = before.size();
      before.insert(after.begin(), after.end());
      if (before.size() == known) return after;
    }
  }

  Arrangements run(const std::vector<PlanNode>& nodes, Arrangements arrangements) {
    for (const PlanNode& node : nodes) {
      if (node.id == exchange_.id) note(arrangements);
      if (const auto* swap = std::get_if<plan::Swap>(&node.step); swap != nullptr && is_relevant(*swap))
        arrangements = swapped(*swap, arrangements);
      if (const auto* loop = std::get_if<plan::Repeat>(&node.step)) {
        arrangements = repeat(loop->children, std::move(arrangements));
      } else if (const auto* items = std::get_if<plan::Items>(&node.step)) {
        // There may be none.
        const Arrangements after = repeat(items->children, arrangements);
        arrangements.insert(after.begin(), after.end());
      } else if (const auto* children = children_of(node)) {
        arrangements = run(*children, std::move(arrangements));
      }
    }
    return arrangements;
  }

  void note(const Arrangements& arrangements) {
    for (const Buffers& all : arrangements) {
      Buffers buffers;
      for (int array : exchanged_) buffers.push_back(all[place(array)]);
      found_.insert(std::move(buffers));
    }
  }

  Arrangements swapped(const plan::Swap& swap, const Arrangements& arrangements) const {
    Arrangements result;
    for (Buffers buffers : arrangements) {
      std::swap(buffers[place(swap.first)], buffers[place(swap.second)]);
      result.insert(std::move(buffers));
    }
    return result;
  }

  const Plan& plan_;
  const PlanNode& exchange_;
  std::vector<int> exchanged_;
  std::set<int> relevant_;
  Arrangements found_;
};

}  // namespace

std::vector<std::vector<int>> arrangements(const Plan& plan, const PlanNode& exchange) {
  return Arranger(plan, exchange).found();
}

}  // namespace tessera
