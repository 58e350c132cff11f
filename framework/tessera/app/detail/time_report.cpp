// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/time_report.hpp"

#include <algorithm>
#include <numeric>

#include "tessera/app/detail/transfers.hpp"

namespace tessera::app {
namespace {

/// A kind of work for which a run spends time; `rest` is the time outside phases and steps.
enum class Use { preparing, reading, computing, exchanging, writing, finishing, rest };
constexpr std::array use_names = {"preparing", "reading",   "computing", "exchanging",
                                  "writing",   "finishing", "rest"};
constexpr std::size_t use_count = use_names.size();

Use use_of(const PlanNode& node) {
  if (std::holds_alternative<plan::Read>(node.step)) return Use::reading;
  if (std::holds_alternative<plan::Write>(node.step)) return Use::writing;
  if (std::holds_alternative<plan::Exchange>(node.step) ||
      std::holds_alternative<plan::FinishExchange>(node.step) ||
      std::holds_alternative<plan::Reduce>(node.step))
    return Use::exchanging;
  return Use::computing;
}

/// Returns the seconds that this rank spent for each Use. The last entry is the time of the whole run.
std::vector<double> own_times(const Plan& plan, const StepRecorder& recorder) {
  std::vector<double> seconds(use_count + 1, 0.0);
  const auto at = [&seconds](Use use) -> double& { return seconds[static_cast<std::size_t>(use)]; };
  for (const Phase phase : all_phases)
    at(phase == Phase::finish ? Use::finishing : Use::preparing) += recorder.total(phase).seconds;
  walk(plan.root, [&](const PlanNode& node) {
    at(use_of(node)) += recorder.totals()[static_cast<std::size_t>(node.id)].seconds;
  });
  const double explained = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  seconds.back() = recorder.wall_seconds();
  at(Use::rest) = std::max(0.0, seconds.back() - explained);
  return seconds;
}

}  // namespace

void add_times(Report& report, MPI_Comm communicator, const Plan& plan, const StepRecorder& recorder) {
  const std::vector<std::vector<double>> ranks = gather(communicator, own_times(plan, recorder));
  if (ranks.empty()) return;
  std::vector<double> slowest(use_count + 1, 0.0), sum(use_count + 1, 0.0);
  for (const std::vector<double>& rank : ranks)
    for (std::size_t i = 0; i < rank.size(); ++i) {
      slowest[i] = std::max(slowest[i], rank[i]);
      sum[i] += rank[i];
    }
  for (std::size_t i = 0; i < use_count; ++i)
    report.add_row("time", {{"spent", std::string(use_names[i])},
                            {"slowest_seconds", slowest[i]},
                            {"mean_seconds", sum[i] / static_cast<double>(ranks.size())},
                            {"share", sum[i] / sum.back()}});
  report.add("totals", {{"wall_seconds", slowest.back()},
                        {"explained_share", 1 - sum[static_cast<std::size_t>(Use::rest)] / sum.back()}});
}

}  // namespace tessera::app
