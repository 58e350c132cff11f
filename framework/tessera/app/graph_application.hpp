// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tessera/app/job_application.hpp"
#include "tessera/graph/graph.hpp"

namespace tessera::app {

/// Runs the graphs of a program, and collects what the report says of them.
class GraphRunner : public JobRunner {
 public:
  /// Makes the services of a run with this setting. The arguments must outlive this object.
  GraphRunner(JobRun& job, const JobSetting& setting) : JobRunner(job), setting_(setting) {}
  /// Runs a graph on all ranks together, and returns what it has done on this rank. Collective. Throws as
  /// graph::Run::wait does.
  graph::Report run(graph::Graph& graph);
  /// Runs a graph on each rank by itself. Its bodies may make collective calls in the same order on all
  /// ranks, and must then see to it that all ranks end alike.
  graph::Report run_alone(graph::Graph& graph);

 private:
  const JobSetting& setting_;
};

/// A program that computes by task graphs.
class GraphProgram : public JobProgram {
 public:
  /// Returns the graphs in the order of their runs. They must be complete, so that they can be explained.
  virtual std::vector<graph::Graph*> graphs() = 0;
  /// Runs the program. Collective.
  virtual ExitStatus run(GraphRunner& runner) = 0;
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

}  // namespace tessera::app
