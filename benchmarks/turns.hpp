// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace bench {

/// One way to do the job of a benchmark.
struct Contender {
  std::string name;
  std::function<void()> run;
};

/// How a job is timed.
struct Trial {
  MPI_Comm communicator;
  /// Runs per timed section: many, where one is too short for the clock.
  int batch = 1;
  /// Whether the caches hold something else before each timed section.
  bool cold = false;
};

/// Times contenders in turn, so that what disturbs one disturbs all. Collective.
class Turns {
 public:
  /// Runs each contender once, untimed.
  Turns(const Trial& trial, std::vector<Contender> contenders);

  /// Times each contender once; each begins as often as any other: who is second may find caches warmer.
  /// Returns the seconds of one run of the first contender.
  double round();
  void rounds(int count);

  /// Microseconds of one run of each contender: the median over the rounds, of the slowest rank in each.
  std::vector<double> medians() const;

 private:
  double slowest_seconds(const std::function<void()>& run);
  void flush_caches();

  Trial trial_;
  std::vector<Contender> contenders_;
  std::vector<std::vector<double>> samples_;
  std::size_t first_ = 0;
  /// The bytes whose writing flushes caches; empty unless caches are flushed.
  std::vector<unsigned char> other_;
};

/// The middle one of some values: there is at least one.
double median(std::vector<double> values);

}  // namespace bench
