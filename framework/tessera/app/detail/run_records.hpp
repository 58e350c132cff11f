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

/// What a run writes about itself: the report and the trace that the options ask for, and the history of its
/// loops. All calls are collective.
class RunRecords {
 public:
  /// Creates the files, so that a place that cannot be written is an InputError before any work; so is a name
  /// among `taken`.
  RunRecords(MPI_Comm communicator, const Options& options, const std::string& history_path,
             const std::vector<std::string>& taken);

  RecorderOptions recorder_options() const;
  bool wants_report() const { return prints_report_ || report_file_; }

  /// Writes the files, or prints the report. It is complete on rank 0.
  void write(const Report& report, const Algorithm& pipeline, const Plan& plan, const StepRecorder& recorder,
             const LoopHistory& history);

  /// The names of the files.
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
