// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "tessera/operators/detail/image_stage.hpp"
#include "tessera/pipeline/body/table.hpp"

namespace tessera::operators::detail {

/// A stage body that replaces each point of uint8 by an entry of a table.
struct ByteTable {
  Table<std::uint8_t, 256> table;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    return table.deferred(tessera::cast<int>(in(x, y, c)));
  }
};

/// Adds a stage that replaces each point by an entry of a table.
Image add_byte_table(Pipeline& pipeline, const std::string& name, const Image& image,
                     const std::array<std::uint8_t, 256>& table);

/// Adds a stage that replaces each point v by function(v), rounded as by `rounded`. Processors look up bytes
/// faster than they compute most functions.
template <class Function>
Image add_byte_function(Pipeline& pipeline, const std::string& name, const Image& image,
                        const Function& function) {
  std::array<std::uint8_t, 256> table;
  for (int value = 0; value < 256; ++value) {
    const double result = std::floor(function(static_cast<double>(value)) + 0.5);
    table[static_cast<std::size_t>(value)] = static_cast<std::uint8_t>(!(result > 0)  ? 0
                                                                       : result > 255 ? 255
                                                                                      : result);
  }
  return add_byte_table(pipeline, name, image, table);
}

}  // namespace tessera::operators::detail
