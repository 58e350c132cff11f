// SPDX-License-Identifier: BSD-3-Clause
#include "views/contest.hpp"

#include <algorithm>

namespace bench {
namespace {

/// More than the last-level caches that a rank is likely to have to itself.
constexpr std::size_t flushed_bytes = std::size_t{96} << 20;
constexpr std::size_t line_bytes = 64;

class CacheFlush {
 public:
  explicit CacheFlush(bool wanted) : memory_(wanted ? flushed_bytes : 0) {}
  void run() {
    for (std::size_t i = 0; i < memory_.size(); i += line_bytes) ++memory_[i];
    benchmark::ClobberMemory();
  }

 private:
  std::vector<unsigned char> memory_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Seconds of one run, of the slowest rank: the same on all ranks.
double slowest_seconds(const Trial& trial, CacheFlush& flush, const std::function<void()>& run) {
  flush.run();
  MPI_Barrier(trial.communicator);
  const double start = MPI_Wtime();
  for (int i = 0; i < trial.batch; ++i) run();
  double seconds = (MPI_Wtime() - start) / trial.batch;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, trial.communicator);
  return seconds;
}

/// Microseconds of each contender; `state` counts the time of the first.
std::vector<double> medians(benchmark::State& state, const Trial& trial,
                            const std::vector<Contender>& contenders) {
  const std::size_t count = contenders.size();
  CacheFlush flush(trial.cold);
  std::vector<std::vector<double>> samples(count);
  for (const Contender& contender : contenders) contender.run();
  std::size_t first = 0;
  for ([[maybe_unused]] auto _ : state) {
    // Each begins as often as any other: who is second may find caches warmer.
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t turn = (first + i) % count;
      samples[turn].push_back(slowest_seconds(trial, flush, contenders[turn].run) * 1e6);
    }
    ++first;
    state.SetIterationTime(samples.front().back() * 1e-6);
  }
  std::vector<double> result;
  for (const auto& times : samples) result.push_back(median(times));
  return result;
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
