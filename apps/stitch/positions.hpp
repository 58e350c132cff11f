// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "correction.hpp"

// Where tiles lie.
namespace stitch {

/// Returns for each placement whether others confirm it: at least one of its circles (see contradicted)
/// closes exactly, and none of them fails to close.
std::vector<bool> confirmed(const Grid& grid, const Placements& placements);

/// Returns for each placement whether others contradict it. The four pairs of four tiles around a corner are
/// a circle. It closes if both ways from the first tile to the last one lead to the same place, except for a
/// pixel that rounding may add; it does if all four translations are right. A pair is contradicted if none of
/// its circles closes, and if it is the worst pair of one of them: each of the other three pairs is in a
/// circle that closes, or in fewer circles that do not. Circles with a pair of the model do not count.
std::vector<bool> contradicted(const Grid& grid, const Placements& placements);

/// How positions follow from translations.
enum class Solver : std::uint8_t {
  tree,          ///< Along the spanning tree of pairs with the largest correlations (see contradicted).
  least_squares  ///< With the least sum of squares of the deviations from all translations.
};
inline constexpr std::string_view solver_names[] = {"tree", "least_squares"};

/// The upper left corner of a tile in pixels.
struct Position {
  std::int64_t x = 0, y = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

/// Returns the position of each tile of the grid; those of missing tiles have no meaning. The least x and the
/// least y are 0. Pairs whose translation is the step of the model count only where no other pairs reach a
/// tile. Parts of the grid that no pairs connect lie where the model puts their first tiles.
std::vector<Position> positions_of(const Grid& grid, const Placements& placements, const StageModel& model,
                                   Solver solver);

/// Returns the tiles none of whose pairs was measured or searched successfully: they lie where the model puts
/// them.
std::vector<int> tiles_placed_by_model(const Grid& grid, const Placements& placements);

/// Returns the number of parts of the plate whose tiles are connected by pairs that were measured or searched
/// successfully. No such pair connects two parts, so the model places them relative to each other. Single
/// tiles do not count.
int measured_parts(const Grid& grid, const Placements& placements);

}  // namespace stitch
