// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/loop_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace tessera::app {

std::vector<RecordedLoop> recorded_loops(const Algorithm& pipeline) {
  std::vector<RecordedLoop> loops;
  for (const LoopDeclaration& loop : pipeline.loops()) {
    RecordedLoop recorded{.name = loop.name,
                          .maximum = loop.maximum,
                          .has_condition = loop.condition >= 0,
                          .is_of_rounds = loop.rounds_of >= 0};
    if (!loop.residuals.empty()) {
      const ElementType type = pipeline[loop.residuals.front()].type;
      recorded.residual = pipeline[loop.residuals.front()].name;
      recorded.residual_is_norm = type == ElementType::float32 || type == ElementType::float64;
    }
    for (const auto& feed : loop.feeds)
      recorded.points = std::max(recorded.points, pipeline[feed.to].domain.size());
    loops.push_back(recorded);
  }
  return loops;
}

LoopHistory::LoopHistory(std::vector<RecordedLoop> loops, int rank)
    : loops_(std::move(loops)), keeps_(rank == 0), entries_(loops_.size()) {}

void LoopHistory::add(const LoopProgress& progress) {
  const auto loop = static_cast<std::size_t>(progress.loop);
  if (loops_[loop].residual.empty()) return;
  Entries& entries = entries_[loop];
  if (progress.turns == 1) entries.turns.push_back(0);
  entries.turns.back() = progress.turns;
  if (keeps_) entries.residuals.push_back(progress.residual);
}

void LoopHistory::resume(int loop, std::int64_t turns, const std::vector<double>& residuals) {
  Entries& entries = entries_[static_cast<std::size_t>(loop)];
  if (loops_[static_cast<std::size_t>(loop)].residual.empty()) return;
  entries.turns.push_back(turns);
  if (keeps_) entries.residuals.insert(entries.residuals.end(), residuals.begin(), residuals.end());
}

std::vector<double> LoopHistory::residuals(int loop) const {
  const Entries& entries = entries_[static_cast<std::size_t>(loop)];
  if (entries.turns.empty() || entries.residuals.empty()) return {};
  return {entries.residuals.end() - entries.turns.back(), entries.residuals.end()};
}

std::string LoopHistory::csv() const {
  std::string text = "loop,run,turn,residual\n";
  for (std::size_t loop = 0; loop < entries_.size(); ++loop) {
    auto residual = entries_[loop].residuals.begin();
    for (std::size_t run = 0; run < entries_[loop].turns.size(); ++run)
      for (std::int64_t turn = 1; turn <= entries_[loop].turns[run]; ++turn)
        fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", loops_[loop].name, run + 1, turn,
                       *residual++);
  }
  return text;
}

std::vector<io::NumberList> LoopHistory::lists() const {
  std::vector<io::NumberList> lists;
  for (std::size_t loop = 0; loop < entries_.size(); ++loop) {
    if (entries_[loop].turns.empty()) continue;
    const std::string group = "history/" + loops_[loop].name;
    const std::vector<std::int64_t>& turns = entries_[loop].turns;
    const std::int64_t all = std::accumulate(turns.begin(), turns.end(), std::int64_t{0});
    lists.push_back({group + "/residual", all, entries_[loop].residuals});
    lists.push_back(
        {group + "/turns", static_cast<std::int64_t>(turns.size()), {turns.begin(), turns.end()}});
  }
  return lists;
}

}  // namespace tessera::app
