// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tiffio.h>

#include <cstdint>
#include <limits>
#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"

namespace tessera::io::detail {

/// The largest number of bytes that a strip or tile may have to be read. A row of a file that Tessera writes
/// may have as many bytes.
inline constexpr std::int64_t most_chunk_bytes = std::numeric_limits<int>::max();

/// The layout of the points of a page in a TIFF file. The points lie in chunks, which are strips or tiles.
struct TiffLayout {
  ElementType type = ElementType::uint8;
  Box domain;
  bool tiled = false;
  bool planar = false;  ///< whether each channel has chunks of its own
  std::int64_t chunk_width = 0;
  std::int64_t chunk_height = 0;  ///< the last strip may have fewer rows; all tiles have the full size

  std::int64_t channels() const { return domain.dimensions == 3 ? domain[2].size() : 1; }
  std::int64_t columns() const { return (domain[0].size() + chunk_width - 1) / chunk_width; }
  std::int64_t rows() const { return (domain[1].size() + chunk_height - 1) / chunk_height; }
};

/// Returns the layout of the page of which libtiff has read the header. If the page has YCbCr samples with
/// JPEG compression, libtiff is set to decode them to RGB. Throws InputError about `path` when the page is
/// not of a supported kind, or when its header has sizes that are impossible for a file of `file_bytes`
/// bytes.
TiffLayout read_layout(TIFF* tiff, const std::string& path, std::int64_t file_bytes);

}  // namespace tessera::io::detail
