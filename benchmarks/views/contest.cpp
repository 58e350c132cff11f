// SPDX-License-Identifier: BSD-3-Clause
#include "views/contest.hpp"

#include <algorithm>

namespace bench {
namespace {

/// Microseconds of each contender; `state` counts the time of the first.
std::vector<double> medians(benchmark::State& state, const Trial& trial,
                            const std::vector<Contender>& contenders) {
  Turns turns(trial, contenders);
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(turns.round());
  return turns.medians();
}

}  // namespace

Outcome compete(benchmark::State& state, const Trial& trial, const std::function<void()>& tessera,
                const std::vector<Contender>& baselines) {
  std::vector<Contender> contenders = {{"tessera", tessera}};
  contenders.insert(contenders.end(), baselines.begin(), baselines.end());
  const std::vector<double> times = medians(state, trial, contenders);
  const auto fastest = std::min_element(times.begin() + 1, times.end());
  state.SetLabel("against " + contenders[static_cast<std::size_t>(fastest - times.begin())].name);
  const Outcome outcome{times.front(), *fastest};
  state.counters["tessera_us"] = outcome.tessera;
  state.counters["baseline_us"] = outcome.baseline;
  state.counters["ratio"] = outcome.tessera / outcome.baseline;
  return outcome;
}

double time_alone(benchmark::State& state, const Trial& trial, const std::function<void()>& run) {
  return medians(state, trial, {{"tessera", run}}).front();
}

}  // namespace bench
