// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <png.h>

#include <cstddef>
#include <string>

#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/png_calls.hpp"

namespace tessera::io::detail {

/// Encodes one PNG file, row by row, on one rank. Every function throws InputError when writing fails.
class PngWriter {
 public:
  /// Opens the file at the temporary path of `output`, and replaces its content.
  PngWriter(const UnfinishedFile& output, const PngLayout& layout);
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;
  ~PngWriter();

  /// Writes the next row. `samples` holds all channels of a pixel together, in the byte order of this
  /// machine.
  void write_row(const std::byte* samples);
  /// Completes and closes the file.
  void finish();

 private:
  /// Calls `call`, which calls libpng. Throws InputError when libpng reports an error.
  template <class Call>
  void checked(const Call& call);
  void write_header(const PngLayout& layout);

  std::string path_;
  File file_;
  PngErrors errors_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

}  // namespace tessera::io::detail
