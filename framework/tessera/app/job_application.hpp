// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tessera/app/session.hpp"
#include "tessera/cost/work.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/deck/schema.hpp"
#include "tessera/io/formats.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::graph {
class Graph;
struct Report;
}  // namespace tessera::graph

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

/// The services of the framework for a program while it runs.
class JobRunner {
 public:
  virtual ~JobRunner() = default;
  /// Named values of the report, in their order.
  using Row = std::vector<std::pair<std::string, std::variant<std::int64_t, double, std::string>>>;
  /// Says that a part of the work begins, and that the last one has ended. The report and the trace have the
  /// times of the parts, and the key `watchdog` limits them.
  virtual void begin(const std::string& part) = 0;
  /// Prints a line about the progress, on rank 0 only, unless the user asked for quiet.
  virtual void say(const std::string& line) = 0;
  /// Adds named values to a section of the report.
  virtual void add(const std::string& section, const Row& values) = 0;
  /// Adds a row to a table of the report. All rows of a table have the same names.
  virtual void add_row(const std::string& table, const Row& row) = 0;
  /// Runs a graph on all ranks together, with the threads and the memory that the deck gives. Returns what it
  /// has done on this rank. Collective. Throws as graph::Run::wait does.
  virtual graph::Report run(graph::Graph& graph) = 0;
  /// Runs a graph on each rank by itself. Its bodies may make collective calls in the same order on all
  /// ranks, and must then see to it that all ranks end alike.
  virtual graph::Report run_alone(graph::Graph& graph) = 0;
  /// Returns the number of turns of an iteration that have ended, including those of an earlier run;
  /// 0 in programs that do not iterate.
  virtual std::int64_t turns() const = 0;
  /// Returns the residual of the last turn.
  virtual double residual() const = 0;
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

/// A program that computes by task graphs.
class GraphProgram : public JobProgram {
 public:
  /// Returns the graphs in the order of their runs. They must be complete, so that they can be explained.
  virtual std::vector<graph::Graph*> graphs() = 0;
  /// Runs the program. Collective.
  virtual ExitStatus run(JobRunner& runner) = 0;
};

/// The names of those tasks and pools of a graph that decks may change.
struct GraphNames {
  /// The tasks that decks may give workers: the key `graph.<task>.workers`.
  std::vector<std::string> tasks;
  /// The pools whose number of buffers decks may change: the key `graph.<pool>.count`.
  std::vector<std::string> pools;
};

/// A description of a program that computes by task graphs, one after the other.
struct GraphApplication {
  /// The name of the program.
  std::string program;
  /// A sentence that says what the program does, for --help.
  std::string summary;
  /// The declarations of the program's own keys.
  std::vector<deck::KeyDeclaration> keys = {};
  /// The names in each graph, in the order of GraphProgram::graphs.
  std::vector<GraphNames> graphs = {};
  /// The words that --help prints after "without it" for the key `graph.window`.
  std::string default_window = "four for each thread";
  /// The words that --help prints after "without it" for the key `memory`.
  std::string default_memory = "there is no limit";
  /// A function that makes the program. Collective. It may throw InputError, on all ranks together.
  std::function<std::unique_ptr<GraphProgram>(const JobSetting&)> make = {};
};

/// Runs an application: reads options and deck, makes the program, and checks, estimates, explains or runs
/// it. The keys of the deck are those of the application, `threads`, `memory`, which limits the buffers of
/// all pools of a graph, and those of the block `graph`. `build` says how the program is compiled. Returns
/// the exit status, which main() should return.
int run_graph_application(int argc, char** argv, const GraphApplication& application,
                          const ProgramBuild& build = this_program);

/// The end of a turn of an iteration. All ranks return the same.
struct IterationTurn {
  /// The residual, which says how far the iteration is from its end. The run ends with the status `diverged`
  /// if it is not finite.
  double residual = 0;
  /// Whether there is no further turn.
  bool has_converged = false;
};

/// A program that repeats turns until data or the deck end them. The state that it carries from turn to turn
/// is held by arrays, so that checkpoints can hold it. All calls but files(), work(), problem() and arrays()
/// are collective, and are made in the order of their declarations. They may throw InputError, on all
/// ranks together.
class IterationProgram : public JobProgram {
 public:
  /// Returns lines "name: value" about the input, from the headers of files alone, that must be the same when
  /// a run goes on from a checkpoint.
  virtual std::string problem() const { return {}; }
  /// Creates the files of the results under temporary names, before the input is read, so that one that
  /// cannot be written is noticed at once. --check does so, too, and drops them.
  virtual void create_results() {}
  /// Reads the input. Kokkos has been started.
  virtual void prepare(JobRunner& runner) = 0;
  /// Returns lines that say what each rank computes and sends.
  virtual std::string explain() = 0;
  /// Returns the names, types and domains of the arrays that are carried from turn to turn. Before the input
  /// has been read, it returns none if it does not know them.
  virtual std::vector<io::FileArray> arrays() const = 0;
  /// Fills this rank's part of array number `array` with points from `source`, in place of the values with
  /// which the iteration begins.
  virtual void load(int array, BlockSource& source) = 0;
  /// Passes this rank's part of array number `array` to `sink`.
  virtual void store(int array, BlockSink& sink) = 0;
  /// Begins the turns. The arrays have their first values, or those that were loaded.
  virtual void begin() = 0;
  /// Computes a turn.
  virtual IterationTurn turn() = 0;
  /// Writes the results.
  virtual void end(JobRunner& runner) = 0;
};

/// A description of a program that iterates.
struct IterationApplication {
  /// The name of the program.
  std::string program;
  /// A sentence that says what the program does, for --help.
  std::string summary;
  /// The declarations of the program's own keys. Those that begin with `output.` do not change what is
  /// computed. All such programs also have those of checkpoints, and `memory`, which they must keep to.
  std::vector<deck::KeyDeclaration> keys = {};
  /// The name of the loop, for progress lines, reports and checkpoints.
  std::string loop;
  /// The name of the residual.
  std::string residual;
  /// The name of the key with the greatest number of turns, which must have a default.
  std::string turns_key = "turns";
  /// The names of those other keys that only say when the turns end, and may change at a restart.
  std::vector<std::string> turn_limits = {};
  /// A function that makes the program. Collective. It may throw InputError, on all ranks together.
  std::function<std::unique_ptr<IterationProgram>(const JobSetting&)> make = {};
};

/// Runs an application: reads options and deck, makes the program, and checks, estimates, explains or runs
/// it, with progress, checkpoints and reports. `build` says how the program is compiled. Returns the exit
/// status, which main() should return.
int run_iteration_application(int argc, char** argv, const IterationApplication& application,
                              const ProgramBuild& build = this_program);

/// The surroundings of a tool. Kokkos has not been started.
struct ToolSetting : JobSetting {
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
