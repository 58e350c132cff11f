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

/// Offsets in a TIFF file have 32 bits, and its tables take some space, too: data beyond needs BigTIFF.
constexpr bool needs_big_tiff(std::int64_t data_bytes) { return data_bytes > std::int64_t{3900} << 20; }

/// Writes one TIFF file of strips that are not compressed, row by row, on one rank.
class TiffWriter final : public RowWriter {
 public:
  /// Overwrites the file `output` under its temporary name.
  TiffWriter(const UnfinishedFile& output, const Box& domain, ElementType type);

  void write_row(const HostBlock& rows, std::int64_t y) override;
  void finish() override;

 private:
  void write_header();
  [[noreturn]] void fail_here() const;

  std::string path_;
  Box domain_;
  ElementType type_;
  std::vector<std::byte> samples_;
  TiffFile file_;
};

}  // namespace tessera::io::detail
