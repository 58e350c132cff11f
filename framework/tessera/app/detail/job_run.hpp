// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tessera/app/detail/interruptions.hpp"
#include "tessera/app/detail/launch.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/recorders.hpp"
#include "tessera/app/detail/records.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/job_application.hpp"
#include "tessera/app/session.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/graph/graph.hpp"
#include "tessera/graph/task.hpp"
#include "tessera/pipeline/run/bindings.hpp"

namespace tessera::app {

/// Adds the section `run` to a report: the program, its version, the ranks and their threads, and the deck.
void add_run(Report& report, const Session& session, const std::string& program, int threads,
             const deck::Deck& deck);

/// The services of a run whose work is not a single plan, but consists of parts such as graphs or turns:
/// progress, report, trace, and the times of phases and parts. The constructor, begin_work(), run(),
/// run_alone(), end_work() and write() are collective.
class JobRun final : public JobRunner {
 public:
  /// Creates the files of the report and of the trace. `threads` is the number of threads of each rank, and
  /// `files` are the paths of the other files that the run reads or writes, except decks. `launch`
  /// and `deck` must outlive this object. Throws InputError.
  JobRun(const Launch& launch, const deck::Deck& deck, int threads, const std::vector<std::string>& files);

  Progress& progress() { return progress_; }
  Report& report() { return report_; }
  /// The paths of the report and of the trace.
  std::vector<std::string> paths() const { return records_.paths(); }
  /// Prints the first line of the run: the program, its ranks, and their threads, which are called `noun`.
  void say_start(const char* noun);

  /// Ends the phase that is under way, and begins the work.
  void begin_work();
  /// Records that a part of the work begins, and that the last one has ended. `item` is the number of the
  /// turn, or -1. The run ends if a part takes longer than the deck allows by `watchdog`.
  void begin(const std::string& part, std::int64_t item);
  void begin(const std::string& part) override { begin(part, -1); }
  void say(const std::string& line) override { progress_.line(line); }
  void add(const std::string& section, const Row& values) override { report_.add(section, values); }
  void add_row(const std::string& table, const Row& row) override { report_.add_row(table, row); }
  /// Runs a graph as a part of the work, and adds its tasks and pools to the report. Returns the report of
  /// this rank. `wait` waits for the end of the graph. The run ends if no call of a task ends for longer than
  /// the deck allows by `watchdog`. Throws as graph::Run::wait does.
  graph::Report run(
      graph::Graph& graph, graph::RunOptions options,
      const std::function<void(graph::Run&)>& wait = [](graph::Run& run) { run.wait(); });
  graph::Report run(graph::Graph& graph) override;
  graph::Report run_alone(graph::Graph& graph) override;
  /// The progress of the iteration, if the work is one.
  LoopProgress& loop() { return loop_; }
  std::int64_t turns() const override { return loop_.turns; }
  double residual() const override { return loop_.residual; }
  /// Ends the work.
  void end_work();
  /// Ends the run: adds the times of phases and parts to the report, and writes the files.
  void write();

 private:
  /// Returns the number of a part or task. They are numbered in the order of their first calls.
  int number_of(const std::string& part, const char* kind);

  const Launch& launch_;
  const deck::Deck& deck_;
  int threads_;
  double watchdog_seconds_;
  Progress progress_;
  Records records_;
  Report report_;
  std::optional<Recorder> recorder_;
  LoopProgress loop_ = {.loop = 0};
  /// The names of parts and of tasks of graphs, by their numbers in the trace.
  StepNames names_;
  /// The part that is under way, for the thread of the watchdog.
  std::atomic<const StepName*> part_ = nullptr;
  std::optional<Watchdog> watchdog_;
};

/// Returns how the graphs of a program with these threads run: with the memory that the deck allows.
graph::RunOptions run_options(const deck::Deck& deck, int threads);

/// Returns the settings of a graph that a deck gives by the keys `graph.window`, `graph.<task>.workers`,
/// `graph.<task>.on` and `graph.<pool>.count`, as far as its schema has them.
graph::Settings graph_settings(const deck::Deck& deck, const std::vector<std::string>& tasks,
                               const std::vector<std::string>& pools);

}  // namespace tessera::app
