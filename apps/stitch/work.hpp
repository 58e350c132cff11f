// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/cost/work.hpp"
#include "tile_reader.hpp"
#include "translations.hpp"

namespace stitch {

/// Returns the work of translating pairs of tiles, on that one of the ranks of `options` that has the most.
tessera::cost::WorkPart work_of_translations(const TileReader& reader, const TranslationOptions& options);

/// Returns the work of one of `ranks` ranks that compose a plate of `plate_bytes` bytes.
tessera::cost::WorkPart work_of_composition(const TileReader& reader, std::int64_t plate_bytes, int ranks);

}  // namespace stitch
