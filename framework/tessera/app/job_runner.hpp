// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tessera/cost/work.hpp"

namespace tessera::app {

/// The services of the framework for a program while it runs.
class JobRunner {
 public:
  virtual ~JobRunner() = default;
  /// Named values of the report, in their order.
  using Row = std::vector<std::pair<std::string, std::variant<std::int64_t, double, std::string>>>;
  /// Says that a part of the work begins, and that the last one has ended. The report and the trace have the
  /// times of the parts, and the key `watchdog` limits them.
  virtual void begin(const std::string& part) = 0;
  /// Prints a line about the progress, on rank 0 only, unless the program is to be quiet.
  virtual void say(const std::string& line) = 0;
  /// Adds named values to a section of the report.
  virtual void add(const std::string& section, const Row& values) = 0;
  /// Adds a row to a table of the report. All rows of a table have the same names.
  virtual void add_row(const std::string& table, const Row& row) = 0;
};

/// A program without a pipeline, on one rank, from its start to its end.
class JobProgram {
 public:
  virtual ~JobProgram() = default;
  /// Returns the paths of all files that a run reads or writes, but those of the decks.
  virtual std::vector<std::string> files() const = 0;
  /// Returns lines that say what a run would do and need, from the headers of files alone. Collective.
  virtual std::string check() = 0;
  /// Returns the work of a run on `ranks` ranks, from the headers of files alone, for --estimate. Called on
  /// rank 0 only.
  virtual cost::Work work(int ranks) const = 0;
};

}  // namespace tessera::app
