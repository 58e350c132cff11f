// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/session.hpp"
#include "tessera/graph/transfer.hpp"

namespace tessera::app {

/// A line about an image.
struct ImageLine {
  /// The number of the image in the series.
  std::int64_t index = 0;
  /// The line, which begins with the name of the image.
  std::string text;
  static auto members(auto& line) { return std::tie(line.index, line.text); }
};

/// Returns a line about an image, which names the file once: `reason` may begin with it.
std::string line_about(const std::string& file, const std::string& reason);

/// Returns what --check says about a series of files: the images that would be left out, the number of the
/// others, and the first and the last result.
std::string checked_text(const std::vector<ImageLine>& left_out, std::int64_t good, const std::string& first,
                         const std::string& last);

/// Returns the lines that all ranks pass, in the order of the series, on rank 0. Collective.
std::vector<ImageLine> gather_lines(MPI_Comm communicator, const std::vector<ImageLine>& mine);

/// The work of all ranks together on a series. Only rank 0 has the lines, which are in the order of the
/// series.
struct SeriesOutcome {
  std::int64_t written = 0;
  double seconds = 0;
  /// Lines about images that were left out.
  std::vector<ImageLine> left_out = {};
  /// Lines about images with a loop that has not converged.
  std::vector<ImageLine> not_converged = {};
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

/// Counts the results that this rank has written, and shows it. Keeps lines about images. Several threads may
/// use it at the same time.
class SeriesProgress {
 public:
  /// `count` is the number of results that this rank must write, or not positive if nobody knows it.
  SeriesProgress(Progress& progress, std::int64_t count) : progress_(progress), count_(count) {}

  /// Counts a result that was written.
  void wrote();
  void left_out(ImageLine line) { add(left_out_, std::move(line)); }
  void not_converged(ImageLine line) { add(not_converged_, std::move(line)); }
  /// Keeps a remark of the pipeline for an image, once for each text.
  void remark(const ImageLine& line);
  /// Returns what all ranks together have done, and the time since the beginning. Collective.
  SeriesOutcome outcome(MPI_Comm communicator) const;

 private:
  void add(std::vector<ImageLine>& lines, ImageLine line) {
    const std::lock_guard lock(mutex_);
    lines.push_back(std::move(line));
  }

  Progress& progress_;
  std::int64_t count_;
  std::mutex mutex_;
  std::vector<ImageLine> left_out_, not_converged_, remarks_;
  std::int64_t done_ = 0;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// Prints what has become of a series. `is_stopped` says whether this rank has received a signal that ends
/// it, and `count` is the number of all images, which is negative if nobody knows it. Returns the exit
/// status, which is the same on all ranks. Collective.
ExitStatus tell_outcome(const Session& session, const std::string& program, Progress& progress,
                        const SeriesOutcome& outcome, bool is_stopped, std::int64_t count);

}  // namespace tessera::app
