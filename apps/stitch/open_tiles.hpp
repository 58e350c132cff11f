// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/app/graph_application.hpp"
#include "tile_reader.hpp"

namespace stitch {

/// The tiles that a deck names.
struct OpenTiles {
  TileReader reader;
  /// The share of a tile that its neighbour shows, too, as far as it is known.
  double overlap = 0;
};

/// Looks for the tiles and reads their headers, both on rank 0 alone. All ranks read the flat field.
/// Collective. Throws InputError if the tiles or the keys about them are faulty.
OpenTiles open_tiles(const tessera::app::GraphSetting& setting);

}  // namespace stitch
