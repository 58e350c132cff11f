// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tessera/app/detail/progress.hpp"
#include "tessera/app/detail/report.hpp"
#include "tessera/app/detail/series_files.hpp"
#include "tessera/app/ledger.hpp"
#include "tessera/app/session.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::app {

/// The ledger of a series of files, which lies beside its results (see Ledger). A result counts as whole if
/// the sizes and times of its file and of all files that it was made from are those of then.
class SeriesLedger {
 public:
  /// Makes the ledger of a series of files. `shared` are the images that the series reads once.
  SeriesLedger(const PipelineApplication& application, const deck::Deck& deck,
               const std::vector<NamedFile>& shared);

  /// Takes those items out of `items` whose results are whole. The last of them stays, and is computed again,
  /// so that there is an image that can be read. One rank should call it, before the first `add`.
  void leave_out_whole(std::vector<SeriesItem>& items);
  /// Returns a line about the results that were left out; an empty text if there are none.
  std::string remark() const { return ledger_.remark(left_out_, "result"); }

  /// Makes the file, whose folder must exist, and removes unfinished files that a killed run has left in the
  /// place of results of `items`. One rank should call it.
  void begin(const std::vector<SeriesItem>& items) const;
  /// Notes that the result of `item` is whole.
  void add(const SeriesItem& item) const;
  /// Returns a sink that passes the block of a result on to `sink`, and then calls add(item) on rank 0 of
  /// `communicator`. Its `write_part` must not be used.
  std::unique_ptr<BlockSink> noting(MPI_Comm communicator, const SeriesItem& item,
                                    std::unique_ptr<BlockSink> sink) const;
  /// Removes the file at the end of the series, and unfinished files as begin() does: processes of a killed
  /// run may have lived a little longer. One rank should call it.
  void finish(const std::vector<SeriesItem>& items) const;

 private:
  Ledger ledger_;
  std::int64_t left_out_ = 0;
};

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

/// Counts the results that this rank has written, and shows it. Keeps lines about images. Several threads may
/// use it at the same time.
class SeriesProgress {
 public:
  /// `count` is the number of results that this rank is to write, or not positive if nobody knows it.
  SeriesProgress(Progress& progress, std::int64_t count) : progress_(progress), count_(count) {}

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
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
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
