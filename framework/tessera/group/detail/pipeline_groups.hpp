// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "tessera/group/task_graph.hpp"

namespace tessera::group::detail {

/// Tasks that the same ranks run for each item of a stream.
struct PipelineGroup {
  std::vector<int> tasks;
  int ranks = 1;

  friend bool operator==(const PipelineGroup&, const PipelineGroup&) = default;
};

/// Divisions of the tasks of a stream into groups.
class PipelineGroups {
 public:
  PipelineGroups(const TaskGraph& graph, int ranks) : graph_(graph), ranks_(ranks) {}

  /// Returns the seconds of a group for one item.
  double load(const PipelineGroup& group) const;
  /// Returns the greatest load of a group.
  double period(const std::vector<PipelineGroup>& groups) const;
  /// Returns groups of consecutive tasks of an order with a period of at most this one, or nothing if they
  /// would need more ranks than there are.
  std::optional<std::vector<PipelineGroup>> consecutive(const std::vector<int>& order, double period) const;
  /// Returns groups into which the tasks of an order were packed first-fit, or nothing if they need more
  /// ranks.
  std::optional<std::vector<PipelineGroup>> packed(const std::vector<int>& order, double period) const;
  /// Returns groups of one rank each; each task of an order goes to the group with the least load.
  std::vector<PipelineGroup> single_ranks(const std::vector<int>& order) const;
  /// Moves tasks and ranks between groups as long as the period falls. Ranks that are left go where they
  /// help.
  void improve(std::vector<PipelineGroup>& groups) const;

 private:
  double seconds(int task, int ranks) const;
  int fewest_ranks(const PipelineGroup& group, int at_least, double period) const;
  void add_free_ranks(std::vector<PipelineGroup>& groups) const;
  bool move_task(std::vector<PipelineGroup>& groups, std::size_t heaviest) const;
  bool swap_tasks(std::vector<PipelineGroup>& groups, std::size_t heaviest) const;
  bool move_rank(std::vector<PipelineGroup>& groups, std::size_t heaviest) const;
  std::size_t heaviest(const std::vector<PipelineGroup>& groups) const;

  const TaskGraph& graph_;
  int ranks_;
};

}  // namespace tessera::group::detail
