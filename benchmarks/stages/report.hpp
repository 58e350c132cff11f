// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "image_size.hpp"
#include "tessera/app/session.hpp"

namespace bench {

/// The options that --help explains.
struct Options {
  int threads = 0;
  int rounds = 31;
  std::vector<Size> sizes;
  std::vector<std::string> only;
  bool no_header = false;
  /// The text of --help, when it is asked for.
  std::string help;
};

/// The goal of a measurement: bounds of its ratio to something else.
struct Goal {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
};

/// One measurement, and what it is compared with.
struct Measurement {
  std::string_view section;
  std::string name;
  std::string size;
  std::string_view unit;
  double measured;
  double reference;
  Goal goal;
  std::string note = {};
};

void print_header();
/// A line of CSV, printed by rank 0.
void print(const tessera::app::Session& session, const Measurement& measurement);

// The sections of the report. Collective.

/// Stages alone against loops written by hand.
void measure_stages(const tessera::app::Session& session, const Options& options);
/// Measures the cost of a run of a planned pipeline on an image of hardly any points.
void measure_runs(const tessera::app::Session& session, const Options& options);
/// Measures the gain of computing three stages tile by tile.
void measure_fusing(const tessera::app::Session& session, const Options& options);
/// The memory that a plan announces against what is allocated.
void measure_memory(const tessera::app::Session& session, const Options& options);
/// Turns of a loop one by one and together, against a copy.
void measure_loops(const tessera::app::Session& session, const Options& options);
/// The time one rank takes to plan a hundred stages.
void measure_planning(const tessera::app::Session& session, const Options& options);

}  // namespace bench
