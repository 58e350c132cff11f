// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/loop_history.hpp"

#include <fmt/format.h>

#include <iterator>
#include <numeric>

namespace tessera::app {

LoopHistory::LoopHistory(const Algorithm& pipeline, int rank)
    : pipeline_(pipeline), keeps_(rank == 0), loops_(pipeline.loops().size()) {}

void LoopHistory::add(const LoopProgress& progress) {
  const auto loop = static_cast<std::size_t>(progress.loop);
  if (pipeline_.loops()[loop].residuals.empty()) return;
  Entries& entries = loops_[loop];
  if (progress.turns == 1) entries.turns.push_back(0);
  entries.turns.back() = progress.turns;
  if (keeps_) entries.residuals.push_back(progress.residual);
}

void LoopHistory::resume(int loop, std::int64_t turns, const std::vector<double>& residuals) {
  Entries& entries = loops_[static_cast<std::size_t>(loop)];
  if (pipeline_.loops()[static_cast<std::size_t>(loop)].residuals.empty()) return;
  entries.turns.push_back(turns);
  if (keeps_) entries.residuals.insert(entries.residuals.end(), residuals.begin(), residuals.end());
}

std::vector<double> LoopHistory::residuals(int loop) const {
  const Entries& entries = loops_[static_cast<std::size_t>(loop)];
  if (entries.turns.empty() || entries.residuals.empty()) return {};
  return {entries.residuals.end() - entries.turns.back(), entries.residuals.end()};
}

std::string LoopHistory::csv() const {
  std::string text = "loop,run,turn,residual\n";
  for (std::size_t loop = 0; loop < loops_.size(); ++loop) {
    auto residual = loops_[loop].residuals.begin();
    for (std::size_t run = 0; run < loops_[loop].turns.size(); ++run)
      for (std::int64_t turn = 1; turn <= loops_[loop].turns[run]; ++turn)
        fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", pipeline_.loops()[loop].name, run + 1, turn,
                       *residual++);
  }
  return text;
}

std::vector<io::NumberList> LoopHistory::lists() const {
  std::vector<io::NumberList> lists;
  for (std::size_t loop = 0; loop < loops_.size(); ++loop) {
    if (loops_[loop].turns.empty()) continue;
    const std::string group = "history/" + pipeline_.loops()[loop].name;
    const std::vector<std::int64_t>& turns = loops_[loop].turns;
    const std::int64_t all = std::accumulate(turns.begin(), turns.end(), std::int64_t{0});
    lists.push_back({group + "/residual", all, loops_[loop].residuals});
    lists.push_back(
        {group + "/turns", static_cast<std::int64_t>(turns.size()), {turns.begin(), turns.end()}});
  }
  return lists;
}

}  // namespace tessera::app
