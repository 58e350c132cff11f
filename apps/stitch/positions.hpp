// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "stage_model.hpp"

namespace stitch {

/// How positions follow from translations.
enum class Solver : std::uint8_t {
  tree,          ///< Along the spanning tree of pairs with the largest correlations (see contradicted).
  least_squares  ///< So that the squares of the deviations from all translations have the least sum.
};
/// The names of the solvers in decks, in the order of the enumeration.
inline constexpr std::string_view solver_names[] = {"tree", "least_squares"};

/// The upper left corner of a tile in pixels.
struct Position {
  std::int64_t x = 0;
  std::int64_t y = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

/// Returns the position of each tile of the grid; those of missing tiles have no meaning. The least x and the
/// least y are 0. Pairs whose translation is that of the model count only where no others reach a tile. Parts
/// of the grid that no pairs connect lie to each other as the model says.
std::vector<Position> positions_of(const Grid& grid, const std::vector<Pair>& pairs,
                                   const std::vector<Placement>& placements, const StageModel& model,
                                   Solver solver);

/// Returns the tiles none of whose pairs was measured or searched successfully: they lie where the model puts
/// them.
std::vector<int> tiles_placed_by_model(const Grid& grid, const std::vector<Pair>& pairs,
                                       const std::vector<Placement>& placements);

/// Returns the number of parts of the plate within which pairs were measured or searched successfully, and
/// between which none was: they lie to each other as the model says. Single tiles do not count.
int measured_parts(const Grid& grid, const std::vector<Pair>& pairs,
                   const std::vector<Placement>& placements);

}  // namespace stitch
