// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "correction.hpp"

// Where tiles lie.
namespace stitch {

/// Returns for each placement whether others confirm it: it is in a circle of four pairs (see contradicted)
/// that closes exactly, and in none that does not close.
std::vector<bool> confirmed(const Grid& grid, const Placements& placements);

/// Returns for each placement whether others contradict it. Four tiles around a corner have four pairs: if
/// all four translations are right, both ways from the first tile to the last one lead to the same place,
/// except for a pixel that rounding may add. A pair is contradicted if it is in no such circle that closes,
/// and if in one that does not close it is the worst: each of the others is in one that closes, or in fewer
/// that do not. Circles with a pair of the model do not count.
std::vector<bool> contradicted(const Grid& grid, const Placements& placements);

/// How positions follow from translations.
enum class Solver : std::uint8_t {
  tree,          ///< Along the spanning tree of pairs with the largest correlations (see contradicted).
  least_squares  ///< So that the squares of the deviations from all translations have the least sum.
};
inline constexpr std::string_view solver_names[] = {"tree", "least_squares"};

/// The upper left corner of a tile in pixels.
struct Position {
  std::int64_t x = 0, y = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

/// Returns the position of each tile of the grid; those of missing tiles have no meaning. The least x and the
/// least y are 0. Pairs whose translation is that of the model count only where no others reach a tile. The
/// model places parts of the grid that no pairs connect.
std::vector<Position> positions_of(const Grid& grid, const Placements& placements, const StageModel& model,
                                   Solver solver);

/// Returns the tiles none of whose pairs was measured or searched successfully: they lie where the model puts
/// them.
std::vector<int> tiles_placed_by_model(const Grid& grid, const Placements& placements);

/// Returns the number of parts of the plate within which pairs were measured or searched successfully, and
/// between which none was: the model places them. Single tiles do not count.
int measured_parts(const Grid& grid, const Placements& placements);

}  // namespace stitch
