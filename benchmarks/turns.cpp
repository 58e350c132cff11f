// SPDX-License-Identifier: BSD-3-Clause
#include "turns.hpp"

#include <algorithm>
#include <atomic>

namespace bench {
namespace {

/// More than the last-level caches that a rank is likely to have to itself.
constexpr std::size_t flushed_bytes = std::size_t{96} << 20;
constexpr std::size_t line_bytes = 64;

}  // namespace

Turns::Turns(const Trial& trial, std::vector<Contender> contenders)
    : trial_(trial),
      contenders_(std::move(contenders)),
      samples_(contenders_.size()),
      other_(trial.cold ? flushed_bytes : 0) {
  for (const Contender& contender : contenders_) contender.run();
}

double Turns::round() {
  const std::size_t count = contenders_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t turn = (first_ + i) % count;
    samples_[turn].push_back(slowest_seconds(contenders_[turn].run) * 1e6);
  }
  ++first_;
  return samples_.front().back() * 1e-6;
}

void Turns::rounds(int count) {
  for (int i = 0; i < count; ++i) round();
}

std::vector<double> Turns::medians() const {
  std::vector<double> result;
  for (const auto& times : samples_) result.push_back(median(times));
  return result;
}

/// The same on all ranks.
double Turns::slowest_seconds(const std::function<void()>& run) {
  flush_caches();
  MPI_Barrier(trial_.communicator);
  const double start = MPI_Wtime();
  for (int i = 0; i < trial_.batch; ++i) run();
  double seconds = (MPI_Wtime() - start) / trial_.batch;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, trial_.communicator);
  return seconds;
}

void Turns::flush_caches() {
  for (std::size_t i = 0; i < other_.size(); i += line_bytes) ++other_[i];
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace bench
