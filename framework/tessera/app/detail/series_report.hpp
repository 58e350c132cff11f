// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/app/detail/graph_report.hpp"
#include "tessera/app/detail/options.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/app/pipeline_application.hpp"
#include "tessera/app/session.hpp"
#include "tessera/graph/graph.hpp"

namespace tessera::app {

/// A line about an image.
struct ImageLine {
  /// The number of the image in the series.
  std::int64_t index = 0;
  /// The line, which begins with the name of the image.
  std::string text;
};

/// Returns a line about an image, which names the file once: `reason` may begin with it.
std::string line_about(const std::string& file, const std::string& reason);

/// Returns what --check says about a series of files: the images that would be left out, the number of the
/// others, and the first and the last result.
std::string checked_text(const std::vector<ImageLine>& left_out, std::int64_t good, const std::string& first,
                         const std::string& last);

/// The lines of one rank about its images, in any order.
struct SeriesLines {
  /// Lines about images that were left out.
  std::vector<ImageLine> left_out = {};
  /// Lines about images with a loop that has not converged.
  std::vector<ImageLine> not_converged = {};
  /// The remarks of pipelines (see Algorithm::remark), each with an image whose pipeline has it.
  std::vector<ImageLine> remarks = {};
};

/// Returns the lines that all ranks pass, in the order of the series, on rank 0. Collective.
std::vector<ImageLine> gather_lines(MPI_Comm communicator, const std::vector<ImageLine>& mine);

/// Returns the texts of lines.
std::vector<std::string> texts_of(const std::vector<ImageLine>& lines);

/// What all ranks together have done with a series.
struct SeriesOutcome {
  std::int64_t written = 0;
  double seconds = 0;
  /// Lines about the images that were left out, in the order of the series. Empty on all ranks but the first.
  std::vector<std::string> left_out = {};
  /// Lines about the images with a loop that has not converged. They are ordered and kept as those above.
  std::vector<std::string> not_converged = {};
  /// The remarks of all pipelines, each once. They are ordered and kept as the lines above.
  std::vector<std::string> remarks = {};
};

/// Returns how far a series is: "3 of 10 images, 1.5 per second, 5 s left". `count` is the number of all
/// images, or not positive if nobody knows it.
std::string rate_text(std::int64_t done, std::int64_t count, double seconds);

/// Prints what has become of a series. `is_stopped` says whether this rank has received a signal that ends
/// it, and `count` is the number of all images, which is negative if nobody knows it. Returns the exit
/// status, which is the same on all ranks. Collective.
ExitStatus tell_outcome(const Session& session, const std::string& program, Progress& progress,
                        const SeriesOutcome& outcome, bool is_stopped, std::int64_t count);

/// Adds the section `series` and the tables `left_out` and `not_converged` to a report.
void add_outcome(Report& report, const SeriesOutcome& outcome);

/// The report and the trace of a series. The constructor and `write` are collective.
class SeriesReport {
 public:
  /// Creates the files that the options name, so that one that cannot be written is noticed at once. `taken`
  /// are the paths of the other files of the run. Throws InputError.
  SeriesReport(Session& session, const Options& options, const PipelineApplication& application,
               const deck::Deck& deck, const std::vector<std::string>& taken);

  bool is_wanted() const { return records_.is_wanted(); }
  bool wants_trace() const { return records_.wants_trace(); }
  /// Writes the files. `report` and `lines` are those of this rank. Returns the sums over all ranks.
  SeriesOutcome write(const graph::Report& report, const SeriesLines& lines);

 private:
  Session& session_;
  const PipelineApplication& application_;
  const deck::Deck& deck_;
  GraphRecords records_;
};

}  // namespace tessera::app
