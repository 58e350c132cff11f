// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tessera/app/detail/options.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/step_recorder.hpp"
#include "tessera/app/loop_history.hpp"
#include "tessera/io/text_file.hpp"

namespace tessera::app {

/// Returns the text of a trace with the events of all ranks.
using TraceText = std::function<std::string(const std::vector<std::vector<Recorder::Event>>& events)>;

/// The files that a run writes about itself: the report and the trace that the options ask for, and the
/// history of its loops. The constructor and write() are collective.
class Records {
 public:
  /// Creates the files, so that a file that cannot be written is noticed before any computation. `taken` are
  /// the paths of the other files that the run reads or writes, on rank 0. There is no history if
  /// `history_path` is empty. Throws InputError when a file cannot be written, when it is one of `taken`, or
  /// when two of the files are the same.
  Records(MPI_Comm communicator, const Options& options, const std::string& history_path,
          const std::vector<std::string>& taken);

  /// The options with which the recorder must run, so that it records the times that the report and the trace
  /// need.
  RecorderOptions recorder_options() const;
  /// Whether the options ask for a report.
  bool wants_report() const { return prints_report_ || report_file_; }
  /// Whether the options ask for a trace.
  bool wants_trace() const { return trace_file_.has_value(); }

  /// Writes the files. Prints the report if the options ask for it on standard output. `report` and
  /// `history` are used on rank 0 only. The trace has the events of the recorders of all ranks: `trace`
  /// returns its text on rank 0.
  void write(const Report& report, const TraceText& trace, const Recorder& recorder,
             const LoopHistory& history = LoopHistory(std::vector<RecordedLoop>(), 0));

  /// The paths of the files.
  std::vector<std::string> paths() const;

 private:
  MPI_Comm communicator_;
  std::string report_path_;
  std::string trace_path_;
  std::string history_path_;
  bool prints_report_ = false;
  std::optional<io::TextFile> report_file_;
  std::optional<io::TextFile> trace_file_;
  std::optional<io::TextFile> history_file_;
};

}  // namespace tessera::app
