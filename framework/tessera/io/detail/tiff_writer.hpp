// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/row_sink.hpp"
#include "tessera/io/detail/tiff_file.hpp"

namespace tessera::io::detail {

/// Returns whether an image of `data_bytes` bytes must be written as BigTIFF. Offsets in other TIFF files
/// have only 32 bits, and the tables of the file need some space, too.
constexpr bool needs_big_tiff(std::int64_t data_bytes) { return data_bytes > std::int64_t{3900} << 20; }

/// Opens the file at the temporary path of `output`, and removes its content. Throws InputError.
File open_for_writing(const UnfinishedFile& output);

/// Sets the fields of a directory for an image in strips without compression. Returns whether libtiff takes
/// them.
bool set_image_fields(TIFF* tiff, const Box& domain, ElementType type);

/// Writes one TIFF file row by row, on one rank. The strips of the file are not compressed.
class TiffWriter final : public RowWriter {
 public:
  /// Opens the file at the temporary path of `output`, and replaces its content.
  TiffWriter(const UnfinishedFile& output, const Box& domain, ElementType type);

  void write_rows(const HostBlock& rows) override;
  void finish() override;

 private:
  void write_row(const HostBlock& rows, std::int64_t y);
  [[noreturn]] void fail_here() const;

  std::string path_;
  Box domain_;
  ElementType type_;
  std::vector<std::byte> samples_;
  TiffFile file_;
};

}  // namespace tessera::io::detail
