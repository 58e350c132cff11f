// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tessera/app/session.hpp"
#include "tessera/cost/work.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/deck/key.hpp"

namespace tessera::app {

/// The surroundings of a program without a pipeline, which it knows when it is made.
struct JobSetting {
  /// The lifetime of MPI and Kokkos, with the communicator of all ranks.
  Session& session;
  /// The deck.
  const deck::Deck& deck;
  /// The number of threads of each rank.
  int threads = 1;
  /// The paths of the decks.
  std::vector<std::string> deck_files;
};

class JobRun;

/// The services of the framework for a program while it runs.
class JobRunner {
 public:
  /// Makes the services of a run, which must outlive this object.
  explicit JobRunner(JobRun& job) : job_(job) {}
  virtual ~JobRunner() = default;
  /// Named values of the report, in their order.
  using Row = std::vector<std::pair<std::string, std::variant<std::int64_t, double, std::string>>>;
  /// Says that a part of the work begins, and that the last one has ended. The report and the trace have the
  /// times of the parts, and the key `watchdog` limits them.
  void begin(const std::string& part);
  /// Prints a line about the progress, on rank 0 only, unless the program is to be quiet.
  void say(const std::string& line);
  /// Adds named values to a section of the report.
  void add(const std::string& section, const Row& values);
  /// Adds a row to a table of the report. All rows of a table have the same names.
  void add_row(const std::string& table, const Row& row);

 protected:
  JobRun& job() { return job_; }  ///< The run that this class serves.

 private:
  JobRun& job_;
};

/// A program without a pipeline, on one rank, from its start to its end.
class JobProgram {
 public:
  virtual ~JobProgram() = default;
  /// Returns the paths of all files that a run reads or writes, except decks.
  virtual std::vector<std::string> files() const = 0;
  /// Returns lines that say what a run would do and need, from the headers of files alone. Collective.
  virtual std::string check() = 0;
  /// Returns the work of a run on `ranks` ranks, from the headers of files alone, for --estimate. Called on
  /// rank 0 only.
  virtual cost::Work work(int ranks) const = 0;
};

/// The surroundings of a tool.
struct ToolSetting {
  /// The lifetime of MPI and Kokkos, with the communicator of all ranks. Kokkos has not been started.
  Session& session;
  /// The deck.
  const deck::Deck& deck;
  /// The number of threads of each rank.
  int threads = 1;
  /// The paths of the files that the run has already: decks, the report and the trace.
  std::vector<std::string> taken;
  /// Whether the tool only looks at its deck and its files, and does not run.
  bool only_checks = false;
  /// The services of the framework.
  JobRunner& runner;
};

/// A description of a program that runs neither a pipeline nor graphs, but has decks, options and errors as
/// all programs have.
struct ToolApplication {
  /// The name of the program.
  std::string program;
  /// A sentence that says what the program does, for --help.
  std::string summary;
  /// The declarations of the program's own keys. All tools also have those of declare_common_keys.
  std::vector<deck::KeyDeclaration> keys = {};
  /// A function that runs the program. Collective. It may throw InputError, on all ranks together.
  std::function<ExitStatus(const ToolSetting&)> run = {};
};

/// Runs a tool: reads options and deck, calls ToolApplication::run, and writes its report. `build` says how
/// the program is compiled. Returns the exit status, which main() should return.
int run_tool_application(int argc, char** argv, const ToolApplication& application,
                         const ProgramBuild& build = this_program);

}  // namespace tessera::app
