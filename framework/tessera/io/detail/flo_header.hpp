// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>

#include "tessera/domain/box.hpp"

namespace tessera::io::detail {

/// The header of a .flo file, in which the Middlebury benchmark keeps optical flows. After it the file has
/// the displacements u and v of each pixel as floats, row by row, and the least significant byte first.
struct FloHeader {
  static_assert(std::endian::native == std::endian::little, "files of other byte orders are not converted");
  /// The number that all files begin with. Its bytes are the letters PIEH.
  static constexpr float signature = 202021.25f;

  float tag = signature;
  std::int32_t width = 0;
  std::int32_t height = 0;
};
static_assert(sizeof(FloHeader) == 12);

/// Returns the header of the file of a flow with these points.
inline FloHeader flo_header(const Box& domain) {
  return {.width = static_cast<std::int32_t>(domain[0].size()),
          .height = static_cast<std::int32_t>(domain[1].size())};
}

}  // namespace tessera::io::detail
