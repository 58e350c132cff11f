// SPDX-License-Identifier: BSD-3-Clause
#include "work.hpp"

#include <cmath>

namespace stitch {

using tessera::cost::WorkPart;

WorkPart work_of_translations(const TileReader& reader, const TranslationOptions& options) {
  const Grid& grid = reader.grid();
  Band band;
  const auto rows = [&](Band some) {
    const Band all = some.transformed(options.halo);
    return some.end > some.begin ? all.end - all.begin : 0;
  };
  for (int rank = 0; rank < options.ranks; ++rank)
    if (const Band other = Band::of_rank(grid, options.ranks, rank); rows(other) > rows(band)) band = other;
  const auto tiles = static_cast<double>(tiles_in_order(grid, band, options.halo, Traversal::rows).size()),
             pairs = static_cast<double>(pairs_of(grid, band).size());
  const auto pixels = static_cast<double>(reader.extent().pixels());
  const double float_values = options.in_double ? 2 : 1;
  const double spectrum =
      static_cast<double>(reader.extent().frequencies()) * 2 * float_values * sizeof(float);
  // A transform of real numbers takes half of the operations of one of complex numbers, and goes over its
  // numbers in two passes. A pair takes another one, of the quotient of two spectra.
  const double operations = 2.5 * pixels * std::log2(pixels) * float_values;
  WorkPart part{.name = "translations",
                .read_bytes = tiles * pixels * static_cast<double>(size_of(reader.type())),
                .memory_bytes = (tiles * 4 + pairs * 6) * spectrum,
                .operations = (tiles + pairs) * operations};
  if (options.halo == Halo::send && options.ranks > 1) {
    part.messages = grid.columns();
    part.message_bytes = part.messages * (spectrum + pixels * sizeof(std::uint16_t));
  }
  return part;
}

WorkPart work_of_composition(const TileReader& reader, std::int64_t plate_bytes, int ranks) {
  const double share = 1.0 / ranks, plate = static_cast<double>(plate_bytes);
  const double pixels = static_cast<double>(reader.grid().tiles().size()) * reader.channels() *
                        static_cast<double>(reader.extent().pixels());
  const double read = pixels * static_cast<double>(size_of(reader.type()));
  // Rows of tiles are added to sums, which become pixels: each is written and read once.
  return {.name = "composition",
          .read_bytes = read * share,
          .written_bytes = plate * share,
          .memory_bytes = 2 * (read + plate) * share,
          .operations = 2 * pixels * share};
}

}  // namespace stitch
