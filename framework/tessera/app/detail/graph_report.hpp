// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/app/detail/options.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/session.hpp"
#include "tessera/deck/deck.hpp"
#include "tessera/graph/report.hpp"
#include "tessera/io/text_file.hpp"

namespace tessera::app {

/// Adds rows about the tasks of a run of a graph to the table `tasks`, with the numbers of all ranks
/// together, and rows about the pools of this rank to the table `pools`. Returns the number of items that the
/// task `counted` has taken on all ranks without being left out. Only the report of rank 0 is changed.
/// Collective.
std::int64_t add_graph(Report& full, MPI_Comm communicator, const graph::Report& report,
                       const std::string& counted);

/// The files of the report and of the trace of a program that runs graphs. The constructor and `write` are
/// collective.
class GraphRecords {
 public:
  /// Creates the files that the options name, so that one that cannot be written is noticed at once. `taken`
  /// are the paths of the other files that the run reads or writes. Throws InputError when a file cannot be
  /// written, when it is one of `taken`, or when both are the same.
  GraphRecords(Session& session, const Options& options, const std::vector<std::string>& taken);

  bool is_wanted() const { return prints_report_ || report_file_ || trace_file_; }
  bool wants_trace() const { return trace_file_.has_value(); }
  /// Writes and prints `full`, which only rank 0 needs to pass, and the trace of `reports`: those of the
  /// graphs of this rank, in the order of their runs.
  void write(const Report& full, const std::vector<graph::Report>& reports);

 private:
  Session& session_;
  const Options& options_;
  bool prints_report_ = false;
  std::optional<io::TextFile> report_file_;
  std::optional<io::TextFile> trace_file_;
};

/// Returns a report that has the section `run`, about a run of graphs.
Report report_of_run(const Session& session, const std::string& program, int workers, const deck::Deck& deck);

}  // namespace tessera::app
