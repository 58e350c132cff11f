// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/session.hpp"

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

/// Returns the lines that all ranks pass, in the order of the series, on rank 0. Collective.
std::vector<ImageLine> gather_lines(MPI_Comm communicator, const std::vector<ImageLine>& mine);

/// Returns the texts of lines.
std::vector<std::string> texts_of(const std::vector<ImageLine>& lines);

/// What all ranks together have done with a series. Only rank 0 has the lines, which are in the order of the
/// series.
struct SeriesOutcome {
  std::int64_t written = 0;
  double seconds = 0;
  /// Lines about images that were left out.
  std::vector<std::string> left_out = {};
  /// Lines about images with a loop that has not converged.
  std::vector<std::string> not_converged = {};
  /// The remarks of all pipelines, each once.
  std::vector<std::string> remarks = {};

  /// Returns the number of images that were written in a second.
  double per_second() const { return written == 0 ? 0 : static_cast<double>(written) / seconds; }
  /// Adds the section `series`, and the tables `left_out` and `not_converged`.
  void add(Report& report) const;
};

/// Returns how far a series is: "3 of 10 images, 1.5 per second, 5 s left". `count` is the number of all
/// images, or not positive if nobody knows it.
std::string rate_text(std::int64_t done, std::int64_t count, double seconds);

/// Prints what has become of a series. `is_stopped` says whether this rank has received a signal that ends
/// it, and `count` is the number of all images, which is negative if nobody knows it. Returns the exit
/// status, which is the same on all ranks. Collective.
ExitStatus tell_outcome(const Session& session, const std::string& program, Progress& progress,
                        const SeriesOutcome& outcome, bool is_stopped, std::int64_t count);

}  // namespace tessera::app
