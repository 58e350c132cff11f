// SPDX-License-Identifier: BSD-3-Clause
#include "groups/random_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace bench {
namespace {

using tessera::cost::TaskCost;
using tessera::group::Edge;
using tessera::group::Task;
using tessera::group::TaskId;

/// Makes one program.
class ProgramMaker {
 public:
  explicit ProgramMaker(std::uint64_t seed) : engine_(seed) {}

  int between(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  /// A number that is even in the logarithm.
  double logarithmic(double low, double high) {
    const double share = static_cast<double>(engine_() >> 11) / 9007199254740992.0;
    return low * std::pow(high / low, share);
  }

  void layers(int tasks) {
    int before_begin = 0, begin = 0;
    while (begin < tasks) {
      const int end = std::min(tasks, begin + between(1, 8));
      for (int task = begin; task < end; ++task) {
        add(cost(), "");
        if (begin == 0) continue;
        std::vector<int> read;
        for (int i = between(1, 3); i > 0; --i) read.push_back(between(before_begin, begin - 1));
        std::ranges::sort(read);
        read.erase(std::unique(read.begin(), read.end()), read.end());
        for (const int from : read) connect(from, task);
      }
      before_begin = begin;
      begin = end;
    }
  }

  void fork_join(int tasks) {
    int last = add(cost(), "fork");
    while (count() < tasks) {
      const int branches = std::min(between(2, 16), tasks - count());
      const TaskCost equal = cost();
      const int first = count();
      for (int i = 0; i < branches; ++i) connect(last, add(equal, fmt::format("branch{}", first)));
      if (count() == tasks) return;
      last = add(cost(), "join");
      for (int i = 0; i < branches; ++i) connect(first + i, last);
    }
  }

  /// Adds tasks between a first and a last one. Returns these two.
  std::pair<int, int> series_parallel(int tasks) {
    if (tasks == 1) {
      const int task = add(cost(), "");
      return {task, task};
    }
    if (tasks < 4 || between(0, 1) == 0) {
      const int part = between(1, tasks - 1);
      const auto one = series_parallel(part), other = series_parallel(tasks - part);
      connect(one.second, other.first);
      return {one.first, other.second};
    }
    const int first = add(cost(), "");
    const int part = between(1, tasks - 3);
    const auto one = series_parallel(part), other = series_parallel(tasks - 2 - part);
    const int last = add(cost(), "");
    for (const auto& branch : {one, other}) {
      connect(first, branch.first);
      connect(branch.second, last);
    }
    return {first, last};
  }

  tessera::group::TaskGraph graph() { return {std::move(tasks_), std::move(edges_)}; }

 private:
  int count() const { return static_cast<int>(tasks_.size()); }

  TaskCost cost() {
    const double seconds = logarithmic(0.1, 10);
    const double serial = between(0, 9) < 3 ? 0 : logarithmic(1e-4, 0.1);
    const TaskCost law = TaskCost::amdahl(seconds, serial);
    if (between(0, 3) > 0) return law;
    std::vector<tessera::cost::TimedRanks> table;
    for (int ranks = 1; ranks <= 1024; ranks *= 2) table.push_back({ranks, law.seconds(ranks)});
    return TaskCost::table(std::move(table));
  }

  int add(const TaskCost& cost, const std::string& type) {
    tasks_.push_back({fmt::format("t{}", tasks_.size()), cost, type, {}});
    return count() - 1;
  }

  void connect(int from, int to) {
    const auto bytes = static_cast<std::int64_t>(logarithmic(1e6, 64e6));
    edges_.push_back({TaskId(from), TaskId(to), "image", bytes});
  }

  std::mt19937_64 engine_;
  std::vector<Task> tasks_;
  std::vector<Edge> edges_;
};

}  // namespace

RandomProgram random_program(std::uint64_t seed) {
  ProgramMaker sizes(seed + 1000000);
  const auto shape = static_cast<ProgramShape>(seed % 3);
  const int tasks = sizes.between(5, 60);
  const int ranks = std::clamp(static_cast<int>(std::lround(sizes.logarithmic(2, 1024))), 2, 1024);
  return random_program(seed, shape, tasks, ranks);
}

RandomProgram random_program(std::uint64_t seed, ProgramShape shape, int tasks, int ranks) {
  ProgramMaker maker(seed);
  if (shape == ProgramShape::layers)
    maker.layers(tasks);
  else if (shape == ProgramShape::fork_join)
    maker.fork_join(tasks);
  else
    maker.series_parallel(tasks);
  return {shape, maker.graph(), ranks};
}

}  // namespace bench
