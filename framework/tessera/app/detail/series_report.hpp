// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace tessera::app
