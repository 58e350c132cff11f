// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/group/detail/pipeline_groups.hpp"

#include <algorithm>
#include <limits>

namespace tessera::group::detail {
namespace {

/// A load counts as lower than another one if it is less than this share of it. Rounding errors do not count.
constexpr double lower_load = 1 - 1e-9;

}  // namespace

double PipelineGroups::seconds(int task, int ranks) const {
  return graph_.seconds(task, graph_.most_ranks(task, ranks));
}

double PipelineGroups::load(const PipelineGroup& group) const {
  double sum = 0;
  for (const int task : group.tasks) sum += seconds(task, group.ranks);
  return sum;
}

std::size_t PipelineGroups::heaviest(const std::vector<PipelineGroup>& groups) const {
  std::size_t place = 0;
  double most = -1;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (const double own = load(groups[i]); own > most) {
      most = own;
      place = i;
    }
  return place;
}

double PipelineGroups::period(const std::vector<PipelineGroup>& groups) const {
  return groups.empty() ? 0 : load(groups[heaviest(groups)]);
}

/// Returns the fewest ranks on which a group has at most a load, or more than there are if none are enough.
int PipelineGroups::fewest_ranks(const PipelineGroup& group, int at_least, double period) const {
  const auto fits = [&](int ranks) { return load({group.tasks, ranks}) <= period; };
  if (at_least > ranks_ || !fits(ranks_)) return ranks_ + 1;
  if (fits(at_least)) return at_least;
  int low = at_least + 1, high = ranks_;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (fits(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

std::optional<std::vector<PipelineGroup>> PipelineGroups::consecutive(const std::vector<int>& order,
                                                                      double period) const {
  const std::size_t count = order.size();
  constexpr int none = std::numeric_limits<int>::max() / 2;
  std::vector<int> fewest(count + 1, none), ranks_of_last(count + 1);
  std::vector<std::size_t> first_of_last(count + 1);
  fewest[0] = 0;
  for (std::size_t begin = 0; begin < count; ++begin) {
    if (fewest[begin] >= ranks_) continue;
    PipelineGroup group;
    for (std::size_t end = begin + 1; end <= count; ++end) {
      group.tasks.push_back(order[end - 1]);
      group.ranks = fewest_ranks(group, group.ranks, period);
      if (fewest[begin] + group.ranks > ranks_) break;
      if (fewest[begin] + group.ranks >= fewest[end]) continue;
      fewest[end] = fewest[begin] + group.ranks;
      ranks_of_last[end] = group.ranks;
      first_of_last[end] = begin;
    }
  }
  if (fewest[count] > ranks_) return std::nullopt;
  std::vector<PipelineGroup> groups;
  for (std::size_t end = count; end > 0; end = first_of_last[end]) {
    PipelineGroup& group = groups.emplace_back();
    group.ranks = ranks_of_last[end];
    for (std::size_t i = first_of_last[end]; i < end; ++i) group.tasks.push_back(order[i]);
  }
  std::ranges::reverse(groups);
  return groups;
}

std::optional<std::vector<PipelineGroup>> PipelineGroups::packed(const std::vector<int>& order,
                                                                 double period) const {
  std::vector<PipelineGroup> groups;
  std::vector<double> loads;
  int used = 0;
  for (const int task : order) {
    std::size_t place = 0;
    while (place < groups.size() && loads[place] + seconds(task, groups[place].ranks) > period) ++place;
    if (place == groups.size()) {
      PipelineGroup group{{task}, 1};
      group.ranks = fewest_ranks(group, 1, period);
      used += group.ranks;
      if (used > ranks_) return std::nullopt;
      loads.push_back(load(group));
      groups.push_back(std::move(group));
      continue;
    }
    groups[place].tasks.push_back(task);
    loads[place] += seconds(task, groups[place].ranks);
  }
  return groups;
}

std::vector<PipelineGroup> PipelineGroups::single_ranks(const std::vector<int>& order) const {
  std::vector<PipelineGroup> groups(std::min(order.size(), static_cast<std::size_t>(ranks_)));
  std::vector<double> loads(groups.size());
  for (const int task : order) {
    const auto place = static_cast<std::size_t>(std::ranges::min_element(loads) - loads.begin());
    groups[place].tasks.push_back(task);
    loads[place] += seconds(task, 1);
  }
  return groups;
}

void PipelineGroups::add_free_ranks(std::vector<PipelineGroup>& groups) const {
  int free = ranks_;
  for (const PipelineGroup& group : groups) free -= group.ranks;
  while (free > 0) {
    PipelineGroup& group = groups[heaviest(groups)];
    PipelineGroup larger = group;
    // One more rank may not help where more of them do: the entries of a table are steps.
    for (; free > 0 && load(larger) >= load(group) * lower_load; --free) ++larger.ranks;
    if (load(larger) >= load(group) * lower_load) return;
    group = larger;
  }
}

bool PipelineGroups::move_task(std::vector<PipelineGroup>& groups, std::size_t heaviest) const {
  const double before = load(groups[heaviest]);
  if (groups[heaviest].tasks.size() < 2) return false;
  for (std::size_t place = 0; place < groups[heaviest].tasks.size(); ++place)
    for (std::size_t other = 0; other < groups.size(); ++other) {
      const int task = groups[heaviest].tasks[place];
      if (other == heaviest ||
          load(groups[other]) + seconds(task, groups[other].ranks) >= before * lower_load)
        continue;
      groups[heaviest].tasks.erase(groups[heaviest].tasks.begin() + static_cast<std::ptrdiff_t>(place));
      groups[other].tasks.push_back(task);
      return true;
    }
  return false;
}

bool PipelineGroups::swap_tasks(std::vector<PipelineGroup>& groups, std::size_t heaviest) const {
  const double before = load(groups[heaviest]);
  for (int& own : groups[heaviest].tasks)
    for (std::size_t other = 0; other < groups.size(); ++other) {
      if (other == heaviest) continue;
      for (int& theirs : groups[other].tasks) {
        std::swap(own, theirs);
        if (std::max(load(groups[heaviest]), load(groups[other])) < before * lower_load) return true;
        std::swap(own, theirs);
      }
    }
  return false;
}

bool PipelineGroups::move_rank(std::vector<PipelineGroup>& groups, std::size_t heaviest) const {
  const double before = load(groups[heaviest]);
  PipelineGroup larger = groups[heaviest];
  ++larger.ranks;
  if (load(larger) >= before * lower_load) return false;
  for (std::size_t other = 0; other < groups.size(); ++other) {
    if (other == heaviest || groups[other].ranks < 2) continue;
    if (load({groups[other].tasks, groups[other].ranks - 1}) >= before * lower_load) continue;
    --groups[other].ranks;
    groups[heaviest] = std::move(larger);
    return true;
  }
  return false;
}

void PipelineGroups::improve(std::vector<PipelineGroup>& groups) const {
  constexpr int most_moves = 1000;
  add_free_ranks(groups);
  for (int moves = 0; moves < most_moves; ++moves) {
    const std::size_t place = heaviest(groups);
    if (!move_rank(groups, place) && !move_task(groups, place) && !swap_tasks(groups, place)) return;
  }
}

}  // namespace tessera::group::detail
