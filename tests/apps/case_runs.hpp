// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pipelines/pipeline_case.hpp"
#include "tessera/pipeline/plan/plan.hpp"

namespace tessera::test {

/// All points of an output, packed, x fastest.
struct Result {
  Box box;
  ElementType type = ElementType::uint8;
  std::vector<std::byte> bytes;
  /// Points that were written: as many as the box has if each was once.
  std::int64_t written = 0;

  /// A sample of any type.
  double value(const Point& point) const;
  bool same_bits(const Result& other) const {
    return written == box.size() && box == other.box && type == other.type && bytes == other.bytes;
  }
};

/// Runs a case on this many virtual ranks.
Result run(const bench::PipelineCase& the_case, const Schedule& schedule, int ranks = 1, int threads = 1);

/// The cases of a benchmark of that name.
bench::Cases cases_of(const std::string& benchmark, bench::Size size);

/// Returns the schedule of an application's deck, then the overrides; without a name, all is distributed.
Schedule schedule_of(const bench::PipelineCase& the_case, const std::string& deck,
                     const std::vector<std::string>& overrides = {});

/// The names of all decks that a case may be run with, in order. No name, if it has none.
std::vector<std::string> decks_of(const bench::PipelineCase& the_case);

/// How far two images are apart, sample by sample.
struct Differences {
  double allowed = 0;
  std::int64_t samples = 0;
  /// Those further apart than `allowed`.
  std::int64_t beyond = 0;
  double largest = 0;

  void add(double a, double b);
};

}  // namespace tessera::test
