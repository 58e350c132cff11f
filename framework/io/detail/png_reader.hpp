// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <png.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/png_calls.hpp"

namespace tessera::io::detail {

/// Decodes one PNG file. Every function throws InputError when the file is damaged.
class PngReader {
 public:
  /// Opens the file and reads its header, up to the pixels.
  explicit PngReader(const std::string& path);
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader();

  const PngLayout& layout() const { return layout_; }

  /// Decodes the image to the end of the file, and calls `use` for each row y, with its width x channels
  /// samples, channels fastest, in the byte order of this machine. Once.
  void read_rows(const std::function<void(std::int64_t y, std::byte* samples)>& use);

 private:
  /// Calls libpng; throws InputError when it reports an error.
  template <class Call>
  void checked(const Call& call);
  void read_header();
  void refuse_transparency() const;
  void read_rows_interlaced(const std::function<void(std::int64_t, std::byte*)>& use);

  std::string path_;
  File file_;
  PngErrors errors_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  PngLayout layout_;
  int passes_ = 1;
  std::size_t row_bytes_ = 0;
};

}  // namespace tessera::io::detail
