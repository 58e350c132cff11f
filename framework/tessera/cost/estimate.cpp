// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/cost/estimate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "tessera/pipeline/plan/plan_nodes.hpp"
#include "tessera/pipeline/plan/plan_work.hpp"
#include "tessera/pipeline/plan/tiles.hpp"

namespace tessera::cost {
namespace {

/// The bytes of a line of a cache.
constexpr std::int64_t line_bytes = 64;

/// The seconds of one run of a step, and the part of the machine that the step waits for.
struct Seconds {
  double value = 0;
  Bound bound = Bound::nothing;
  bool assumes_costs = false;
};

/// The seconds of the messages of a rank in one direction: for their latencies, and for their bytes.
struct MessageSeconds {
  double latency = 0, bytes = 0;
  double sum() const { return latency + bytes; }
};

/// Returns the speed of copies in the nearest caches of all threads of a node.
Speed near_cache_of(const MachineDescription& machine) {
  return {machine.near_cache_thread,
          machine.near_cache_thread * static_cast<double>(std::max(machine.threads, machine.node_cores()))};
}

/// Returns the number of steps in which a binary tree joins the values of its leaves.
int levels_of_tree(std::int64_t leaves) { return std::bit_width(static_cast<std::uint64_t>(leaves - 1)); }

Seconds of_messages(const MessageSeconds& messages) {
  return {messages.sum(), messages.latency >= messages.bytes ? Bound::latency : Bound::bandwidth};
}

/// The prices of the parts of a machine for one of several ranks that work at the same time.
struct Prices {
  Prices(const MachineDescription& described, std::int64_t ranks, int threads)
      : machine(described),
        rank_count(ranks),
        ranks_per_node(cost::ranks_per_node(described, threads)),
        ranks_on_node(std::min(ranks, ranks_per_node)),
        share(described, ranks_on_node, threads) {}

  Seconds of_bytes(double bytes, bool are_in_cache) const {
    if (bytes == 0) return {};
    return {bytes / share.of(are_in_cache ? machine.last_cache : machine.memory),
            are_in_cache ? Bound::last_cache : Bound::memory};
  }

  /// Returns the time of reading or writing, where all ranks share the speed of files evenly.
  Seconds of_file(double bytes, double speed) const {
    if (bytes == 0) return {};
    if (speed <= 0) return {0, Bound::unknown};
    return {bytes * static_cast<double>(rank_count) / speed, Bound::files};
  }

  Seconds with_launches(Seconds seconds, double launches) const {
    const double launch = launches * share.launch_seconds();
    if (launch > seconds.value) seconds.bound = Bound::launch;
    seconds.value += launch;
    return seconds;
  }

  /// Returns the time of messages to ranks that are spread evenly over all nodes.
  MessageSeconds of_spread_messages(double messages, double bytes) const {
    double within = 1;
    if (machine.between_nodes && rank_count > ranks_on_node)
      within = static_cast<double>(ranks_on_node - 1) / static_cast<double>(rank_count - 1);
    const NetworkCost near = machine.within_node, far = machine.between_nodes.value_or(near);
    return {messages * (within * near.latency_seconds + (1 - within) * far.latency_seconds),
            bytes * (within * near.seconds_per_byte + (1 - within) * far.seconds_per_byte)};
  }

  Seconds of_part(const WorkPart& part) const {
    const Seconds read = of_file(part.read_bytes, machine.file_read),
                  written = of_file(part.written_bytes, machine.file_write);
    const bool lacks_files = read.bound == Bound::unknown || written.bound == Bound::unknown;
    Seconds longest{0, lacks_files ? Bound::unknown : Bound::nothing};
    for (const Seconds& seconds :
         {Seconds{read.value + written.value, Bound::files}, of_bytes(part.memory_bytes, false),
          Seconds{part.operations / share.of(machine.arithmetic), Bound::arithmetic},
          of_messages(of_spread_messages(part.messages, part.message_bytes))})
      if (seconds.value > longest.value) longest = seconds;
    return with_launches(longest, part.launches);
  }

  const MachineDescription& machine;
  std::int64_t rank_count, ranks_per_node, ranks_on_node;
  NodeShare share;
};

class PlanEstimator {
 public:
  PlanEstimator(const Algorithm& pipeline, const Plan& plan, const MachineDescription& machine,
                const StageCosts& costs)
      : pipeline_(pipeline),
        plan_(plan),
        machine_(machine),
        costs_(costs),
        prices_(machine, plan.rank_count, plan.target.threads),
        fits_in_cache_(2 * plan.array_bytes * prices_.ranks_on_node <= machine.last_cache_bytes) {}

  RankEstimate estimate() {
    visit(plan_.root, 1);
    RankEstimate rank{plan_.rank, std::move(steps_), 0};
    for (const StepEstimate& step : rank.steps) rank.seconds += step.seconds;
    return rank;
  }

 private:
  /// An exchange that is under way while points are computed.
  struct Pending {
    Seconds seconds;
    double computed_since = 0;
  };

  void visit(const PlanNode& node, double times) {
    if (const auto* children = children_of(node)) {
      const double each = times * turns_of(node);
      const bool is_loop = std::holds_alternative<plan::Repeat>(node.step);
      loops_around_ += is_loop ? 1 : 0;
      for (const PlanNode& child : *children) visit(child, each);
      loops_around_ -= is_loop ? 1 : 0;
    } else if (is_step(node)) {
      const Seconds once = seconds_of(node);
      steps_.push_back({node.id, times, times * once.value, once.bound, once.assumes_costs});
    }
  }

  /// Returns how often the children of a node run when the node runs once.
  double turns_of(const PlanNode& node) {
    if (const auto* bands = std::get_if<plan::Bands>(&node.step))
      return static_cast<double>(bands->band.count);
    const auto* loop = std::get_if<plan::Repeat>(&node.step);
    if (loop == nullptr) return 1;
    if (loop->rounds_of >= 0) turns_in_rounds_[loop->rounds_of] = loop->maximum / loop->turns * loop->turns;
    const std::int64_t done = loop->continues ? turns_in_rounds_[loop->loop] : 0;
    const std::int64_t rounds = std::max<std::int64_t>(0, loop->maximum - done) / loop->turns;
    return static_cast<double>(rounds);
  }

  Seconds seconds_of(const PlanNode& node) {
    const Seconds seconds = visit_step(
        node, [&](const plan::Compute& step) { return of_compute(node, step); },
        [&](const plan::FillBoundary& step) { return of_boundary(step); },
        [&](const plan::Exchange& step) {
          const Seconds messages = of_exchange(step);
          if (!step.overlapped) return messages;
          pending_[node.id] = {messages, 0};
          return Seconds{};
        },
        [&](const plan::FinishExchange& step) { return of_wait(pending_[step.exchange]); },
        [&](const plan::Reduce& step) { return of_reduction(pipeline_[step.stage]); },
        [&](const plan::Read&) { return of_file(node, machine_.file_read); },
        [&](const plan::Write&) { return of_file(node, machine_.file_write); },
        [](const plan::AnyOf<plan::Sequence, plan::Repeat, plan::Bands, plan::Swap> auto&) {
          return Seconds{};
        });
    if (std::holds_alternative<plan::Compute>(node.step) ||
        std::holds_alternative<plan::FillBoundary>(node.step))
      for (auto& [exchange, pending] : pending_) pending.computed_since += seconds.value;
    return seconds;
  }

  Seconds of_compute(const PlanNode& node, const plan::Compute& step) const {
    const StepWork work = work_of(pipeline_, node);
    if (work.points == 0) return {};
    Seconds longest = of_bytes(work.bytes);
    const auto take = [&longest](double seconds, Bound bound) {
      if (seconds > longest.value) longest = {seconds, bound, longest.assumes_costs};
    };
    const Arithmetic arithmetic = arithmetic_of(step);
    // If the threads cannot have equally many tiles, the slowest threads have one tile more than the others.
    const auto tiles = static_cast<double>(std::max<std::int64_t>(1, Tiles(step.parts, step.tile).size()));
    const double threads = prices_.share.threads();
    const double imbalance = std::ceil(tiles / threads) * threads / tiles;
    take(arithmetic.known_seconds / threads * imbalance +
             arithmetic.operations / prices_.share.of(machine_.arithmetic) * imbalance,
         Bound::arithmetic);
    take(arithmetic.near_bytes / prices_.share.of(near_cache_of(machine_)) * imbalance, Bound::near_cache);
    longest.assumes_costs = arithmetic.near_bytes > 0;
    return prices_.with_launches(longest, 1);
  }

  /// The arithmetic of a step: the seconds of one thread and the operations of those stages whose cost is
  /// known, and the bytes that the bodies of the other stages read and write.
  struct Arithmetic {
    double known_seconds = 0, operations = 0, near_bytes = 0;
  };

  Arithmetic arithmetic_of(const plan::Compute& step) const {
    std::vector<std::int64_t> points(step.members.size());
    visit_computed(pipeline_, step, [&](std::size_t m, const Box& box) { points[m] += box.size(); });
    for (const Box& part : step.parts) points.back() += part.size();
    Arithmetic sum;
    for (std::size_t m = 0; m < points.size(); ++m) {
      const auto count = static_cast<double>(points[m]);
      auto cost = costs_.find(pipeline_[step.members[m]].name);
      if (cost == costs_.end()) cost = costs_.find(pipeline_[step.stage].name);
      if (cost == costs_.end())
        add_unmeasured(step.members[m], count, sum);
      else
        sum.known_seconds += count * cost->second;
    }
    return sum;
  }

  /// Adds the arithmetic of a stage that has no given cost.
  void add_unmeasured(ArrayId stage, double points, Arithmetic& sum) const {
    const double operations = pipeline_[stage].kernel->unwrapped().operations_per_point();
    if (operations > 0)
      sum.operations += points * operations;
    else
      sum.near_bytes += points * cache_bytes_per_point(pipeline_, stage, points_of(stage));
  }

  /// Returns the points of a stage, or those that a global reduction reduces.
  Box points_of(ArrayId stage) const {
    const ArrayDeclaration& declaration = pipeline_[stage];
    return declaration.is_reduction() ? declaration.reduced : plan_.stages[stage].domain;
  }

  /// Returns the time to move bytes once. The bytes are in the cache only if a loop has moved them there, and
  /// if the cache holds all arrays.
  Seconds of_bytes(std::int64_t bytes) const {
    return prices_.of_bytes(static_cast<double>(bytes), loops_around_ > 0 && fits_in_cache_);
  }

  /// Returns the time to read and write the points beyond a border. The points of a row take whole lines of
  /// the cache, even if they are few.
  Seconds of_boundary(const plan::FillBoundary& step) const {
    const ArrayDeclaration& array = pipeline_[step.array];
    std::int64_t bytes = 0;
    for (const Box& part : difference(step.box, array.domain)) {
      const std::int64_t row_bytes = part[0].size() * array.element_bytes();
      bytes += part.size() / part[0].size() * ((row_bytes + line_bytes - 1) / line_bytes * line_bytes);
    }
    return bytes == 0 ? Seconds{} : prices_.with_launches(of_bytes(2 * bytes), 1);
  }

  std::int64_t node_of(int rank) const { return rank / prices_.ranks_per_node; }
  const NetworkCost& network_to(int partner) const {
    return machine_.between_nodes && node_of(partner) != node_of(plan_.rank) ? *machine_.between_nodes
                                                                             : machine_.within_node;
  }

  MessageSeconds messages_of(const plan::Exchange& step, std::vector<Message> ExchangeLists::*side) const {
    std::map<int, std::int64_t> bytes_of_partner;
    for (const plan::ArrayMessages& array : step.arrays)
      for (const Message& message : array.lists.*side)
        bytes_of_partner[message.partner] += bytes_of(pipeline_, array.array, message.box);
    MessageSeconds seconds;
    for (const auto& [partner, bytes] : bytes_of_partner) {
      seconds.latency += network_to(partner).latency_seconds;
      seconds.bytes += static_cast<double>(bytes) * network_to(partner).seconds_per_byte;
    }
    return seconds;
  }

  Seconds of_exchange(const plan::Exchange& step) const {
    const MessageSeconds out = messages_of(step, &ExchangeLists::sends);
    const MessageSeconds in = messages_of(step, &ExchangeLists::receives);
    const MessageSeconds& longer = out.sum() >= in.sum() ? out : in;
    std::int64_t copied = 0;
    for (const plan::ArrayMessages& array : step.arrays)
      for (const Message& message : array.lists.copies)
        copied += 2 * bytes_of(pipeline_, array.array, message.box);
    const Seconds copies = of_bytes(copied);
    const double sum = longer.sum() + copies.value;
    if (sum == 0) return {};
    return {sum, copies.value > longer.sum() ? copies.bound : of_messages(longer).bound};
  }

  static Seconds of_wait(const Pending& pending) {
    if (pending.seconds.value == 0) return {};
    const double left = pending.seconds.value - pending.computed_since;
    if (left <= 0) return {0, Bound::hidden};
    return {left, pending.seconds.bound};
  }

  Seconds of_reduction(const ArrayDeclaration& stage) const {
    const int levels = levels_of_tree(plan_.rank_count);
    if (levels == 0) return {};
    const int within =
        machine_.between_nodes ? std::min(levels, levels_of_tree(prices_.ranks_on_node)) : levels;
    const auto value_bytes = static_cast<double>(stage.reduction()->value_bytes());
    MessageSeconds seconds;
    const auto add = [&](int count, const NetworkCost& network) {
      seconds.latency += count * network.latency_seconds;
      seconds.bytes += count * value_bytes * network.seconds_per_byte;
    };
    add(within, machine_.within_node);
    if (levels > within) add(levels - within, *machine_.between_nodes);
    return of_messages(seconds);
  }

  Seconds of_file(const PlanNode& node, double speed) const {
    return prices_.of_file(static_cast<double>(work_of(pipeline_, node).bytes), speed);
  }

  const Algorithm& pipeline_;
  const Plan& plan_;
  const MachineDescription& machine_;
  const StageCosts& costs_;
  Prices prices_;
  /// Whether all arrays of the ranks on a node fit into half of its last-level caches.
  bool fits_in_cache_;
  /// The number of loops around the current node.
  int loops_around_ = 0;
  std::vector<StepEstimate> steps_;
  /// The exchanges that are under way, by the ids of their nodes.
  std::map<int, Pending> pending_;
  /// The turns that a loop has made in rounds before it goes on with single turns, by the number of the loop.
  std::map<int, std::int64_t> turns_in_rounds_;
};

}  // namespace

std::string_view name_of(Bound bound) {
  constexpr std::array<std::string_view, 11> names = {"-",          "hidden",     "not known",  "memory",
                                                      "last cache", "near cache", "arithmetic", "launch",
                                                      "latency",    "bandwidth",  "files"};
  return names[static_cast<std::size_t>(bound)];
}

RankEstimate estimate(const Algorithm& pipeline, const Plan& plan, const MachineDescription& machine,
                      const StageCosts& costs) {
  return PlanEstimator(pipeline, plan, machine, costs).estimate();
}

RankEstimate estimate(const Work& work, const MachineDescription& machine, std::int64_t ranks, int threads) {
  const Prices prices(machine, ranks, threads);
  RankEstimate rank;
  for (const WorkPart& part : work.parts) {
    const Seconds once = prices.of_part(part);
    rank.steps.push_back(
        {static_cast<int>(rank.steps.size()), part.times, part.times * once.value, once.bound});
    rank.seconds += rank.steps.back().seconds;
  }
  return rank;
}

void PlanEstimates::add(const RankEstimate& rank) {
  const bool is_first = longest_.empty();
  if (is_first || rank.seconds > slowest_.seconds) slowest_ = rank;
  if (is_first || rank.seconds < fastest_.seconds) fastest_ = rank;
  longest_.resize(std::max(longest_.size(), rank.steps.size()));
  for (std::size_t i = 0; i < rank.steps.size(); ++i)
    longest_[i] = std::max(longest_[i], rank.steps[i].seconds);
}

double PlanEstimates::seconds_if_all_wait() const {
  return std::accumulate(longest_.begin(), longest_.end(), 0.0);
}

}  // namespace tessera::cost
