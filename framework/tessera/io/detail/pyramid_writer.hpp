// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/pyramid_level.hpp"
#include "tessera/io/detail/row_sink.hpp"
#include "tessera/io/detail/tiff_file.hpp"

namespace tessera::io::detail {

/// Returns the name of a type in OME-XML; empty if OME has no such type.
std::string ome_type(ElementType type);

/// Writes an OME-TIFF file with a pyramid, on one rank. The rows of the image go to the file as they come.
/// Those of the levels above it, each of which is made from the one below, go to a nameless file in the same
/// folder, from which they are copied when the image is complete. So memory holds a few rows.
class PyramidWriter final : public RowWriter {
 public:
  /// Opens the file at the temporary path of `output`, and replaces its content.
  PyramidWriter(const UnfinishedFile& output, const Box& domain, ElementType type);

  void write_rows(const HostBlock& rows) override;
  void finish() override;

 private:
  /// A level above the image.
  struct Level {
    Box domain;
    /// The place of its next row in the nameless file, and of its first one.
    std::int64_t next = 0;
    std::int64_t first = 0;
    std::int64_t row_bytes = 0;
    /// Makes its rows from those of the level below.
    std::unique_ptr<RowHalver> halver;
  };

  void add_levels();
  std::string description() const;
  void keep_row(std::size_t level, const std::byte* row);
  void write_level(const Level& level);
  void check(bool is_done) const;

  std::string path_;
  Box domain_;
  ElementType type_;
  std::vector<std::byte> samples_;
  TiffFile file_;
  File kept_;
  std::vector<Level> levels_;
};

}  // namespace tessera::io::detail
