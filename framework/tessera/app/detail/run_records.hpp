// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/app/detail/options.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/step_recorder.hpp"
#include "tessera/app/loop_history.hpp"
#include "tessera/io/text_file.hpp"

namespace tessera::app {

/// The files that a run writes about itself: the report and the trace that the options ask for, and the
/// history of its loops. The constructor and write() are collective.
class RunRecords {
 public:
  /// Creates the files. Throws InputError when one cannot be written, or is the same file as one of `taken`
  /// or another one of them, so that this is known before any work.
  RunRecords(MPI_Comm communicator, const Options& options, const std::string& history_path,
             const std::vector<std::string>& taken);

  /// The work that a recorder must do for the report and the trace.
  RecorderOptions recorder_options() const;
  /// Whether the options ask for a report.
  bool wants_report() const { return prints_report_ || report_file_; }

  /// Writes the files, and prints a report that goes to standard output. Only rank 0's `report` and `history`
  /// count; traces have the events of all ranks.
  void write(const Report& report, const Algorithm& pipeline, const Plan& plan, const StepRecorder& recorder,
             const LoopHistory& history);

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
