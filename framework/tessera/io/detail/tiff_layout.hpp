// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tiffio.h>

#include <cstdint>
#include <limits>
#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"

namespace tessera::io::detail {

/// The bytes of a strip or tile that is still read: as many as a row of a file that we write may have.
inline constexpr std::int64_t most_chunk_bytes = std::numeric_limits<int>::max();

/// Where the points of a page lie in a TIFF file: in chunks, which are strips or tiles.
struct TiffLayout {
  ElementType type = ElementType::uint8;
  Box domain;
  bool tiled = false;
  bool planar = false;  ///< each channel has chunks of its own
  std::int64_t chunk_width = 0;
  std::int64_t chunk_height = 0;  ///< the last strip may be lower; tiles at the rims are padded

  std::int64_t channels() const { return domain.dimensions == 3 ? domain[2].size() : 1; }
  std::int64_t columns() const { return (domain[0].size() + chunk_width - 1) / chunk_width; }
  std::int64_t rows() const { return (domain[1].size() + chunk_height - 1) / chunk_height; }
};

/// The layout of the page that libtiff has read last. Makes libtiff decode YCbCr JPEG to RGB. Throws
/// InputError about `path` when the page is not of a supported kind, or claims sizes that a file of so many
/// bytes cannot have.
TiffLayout read_layout(TIFF* tiff, const std::string& path, std::int64_t file_bytes);

}  // namespace tessera::io::detail
