// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/app/detail/options.hpp"
#include "tessera/app/detail/recorders.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/session.hpp"
#include "tessera/io/text_file.hpp"

namespace tessera::app {

/// The files that a run writes about itself: the report and the trace that the options ask for, and the
/// history of its loops. The constructor and write() are collective.
class Records {
 public:
  /// Creates the files. `taken` are the paths of the other files that the run reads or writes, on rank 0.
  /// There is no history if `history_path` is empty. Throws InputError when a file cannot be written, when it
  /// is one of `taken`, or when two of the files are the same.
  Records(MPI_Comm communicator, const Options& options, const std::string& history_path,
          const std::vector<std::string>& taken);

  /// The options of a recorder of the times that the report and the trace need.
  RecorderOptions recorder_options() const;
  /// Whether the options ask for a report.
  bool wants_report() const { return prints_report_ || report_.file; }
  /// Whether the options ask for a trace.
  bool wants_trace() const { return trace_.file.has_value(); }

  /// Writes the files, and prints the report if the options ask for that. `events` are the events of this
  /// rank, for the trace. `names` has the names of the parts in the trace, and `loops` is for the history.
  /// `report`, `names` and `loops` are used on rank 0 only.
  void write(const Report& report, const StepNames& names, const std::vector<Recorder::Event>& events,
             const LoopRecorder* loops = nullptr);

  /// The paths of the files.
  std::vector<std::string> paths() const;

 private:
  /// A file that is written if its path is not empty.
  struct File {
    std::string path;
    std::optional<io::TextFile> file = {};
  };

  MPI_Comm communicator_;
  bool prints_report_ = false;
  File report_, trace_, history_;
};

/// Returns a trace of all ranks in the JSON format of Chrome's trace viewer, which Perfetto also reads. It
/// has a process for each rank, and an event for each span of a phase and each call of a part that `names`
/// has.
std::string trace_text(const StepNames& names,
                       const std::vector<std::vector<Recorder::Event>>& events_by_rank);

/// Calls `make` on rank 0 only. Prints the first of the texts that it returns, and writes the others to
/// `files`, one to each. `files` are pairs as check_names gets them; a file whose path is empty is left out.
/// Throws InputError as check_names does, when a file cannot be written, and the exceptions of `make`.
/// Collective.
void print_and_write(const Session& session, const std::vector<std::string>& taken,
                     const std::vector<std::pair<std::string, std::string>>& files,
                     const std::function<std::vector<std::string>()>& make);

}  // namespace tessera::app
