// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <png.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/png_calls.hpp"
#include "tessera/io/detail/png_samples.hpp"
#include "tessera/io/detail/row_source.hpp"

namespace tessera::io::detail {

/// Decodes one PNG file.
class PngReader final : public RowReader {
 public:
  /// Opens the file, and reads everything before the pixels.
  explicit PngReader(const std::string& path);
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() override;

  ElementType type() const override { return sample_type(layout_); }
  Box domain() const override { return domain_of(layout_); }
  /// Decodes the next row. If the file is interlaced, the first call decodes the whole image, which then
  /// stays in memory.
  void read_row(std::byte* samples) override;
  void finish() override;

 private:
  /// Calls `call`, which calls libpng. Throws InputError when libpng reports an error.
  template <class Call>
  void checked(const Call& call);
  void read_header();
  void refuse_transparent_grey() const;
  void decode_interlaced();

  std::string path_;
  File file_;
  PngErrors errors_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  PngLayout layout_;
  int passes_ = 1;
  std::size_t row_bytes_ = 0;
  /// The whole image, if the file is interlaced.
  std::vector<std::byte> image_;
  std::size_t next_row_ = 0;
};

}  // namespace tessera::io::detail
