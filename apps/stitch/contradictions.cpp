// SPDX-License-Identifier: BSD-3-Clause
#include "contradictions.hpp"

#include <algorithm>
#include <array>

namespace stitch {
namespace {

/// The pairs of four tiles around a corner: the upper and the lower one to the right, and the left and the
/// right one down.
using Circle = std::array<std::size_t, 4>;

std::vector<Circle> circles_of(const Grid& grid, const std::vector<Pair>& pairs,
                               const std::vector<Placement>& placements) {
  const std::size_t none = pairs.size();
  std::vector<std::size_t> right(at(grid.size()), none), below(at(grid.size()), none);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (placements[i].origin != Origin::model)
      (pairs[i].direction == Direction::right ? right : below)[at(pairs[i].first)] = i;
  std::vector<Circle> circles;
  for (int row = 0; row + 1 < grid.rows(); ++row)
    for (int column = 0; column + 1 < grid.columns(); ++column) {
      const int tile = grid.number({row, column});
      const Circle circle{right[at(tile)], right[at(tile + grid.columns())], below[at(tile)],
                          below[at(tile + 1)]};
      if (std::ranges::find(circle, none) == circle.end()) circles.push_back(circle);
    }
  return circles;
}

/// Returns whether both ways around a circle lead to the same place, but for so many pixels.
bool closes(const Circle& circle, const std::vector<Placement>& placements, int tolerance) {
  const auto [upper, lower, left, right] = circle;
  const auto shift = [&](std::size_t pair) { return placements[pair].translation.shift; };
  const Shift one{shift(upper).x + shift(right).x, shift(upper).y + shift(right).y};
  const Shift other{shift(left).x + shift(lower).x, shift(left).y + shift(lower).y};
  return distance(one, other) <= tolerance;
}

/// The pixels that rounding may add to the difference of the two ways.
constexpr int rounding = 1;

}  // namespace

std::vector<bool> confirmed(const Grid& grid, const std::vector<Pair>& pairs,
                            const std::vector<Placement>& placements) {
  const std::vector<Circle> circles = circles_of(grid, pairs, placements);
  std::vector<bool> is_confirmed(pairs.size());
  for (const Circle& circle : circles)
    for (const std::size_t pair : circle)
      if (closes(circle, placements, 0)) is_confirmed[pair] = true;
  for (const Circle& circle : circles)
    for (const std::size_t pair : circle)
      if (!closes(circle, placements, rounding)) is_confirmed[pair] = false;
  return is_confirmed;
}

std::vector<bool> contradicted(const Grid& grid, const std::vector<Pair>& pairs,
                               const std::vector<Placement>& placements) {
  const std::vector<Circle> circles = circles_of(grid, pairs, placements);
  // How many circles of each pair do not close. Those in one that closes are beyond doubt.
  std::vector<int> doubts(pairs.size());
  for (const Circle& circle : circles)
    for (const std::size_t pair : circle) doubts[pair] += closes(circle, placements, rounding) ? 0 : 1;
  for (const Circle& circle : circles)
    for (const std::size_t pair : circle)
      if (closes(circle, placements, rounding)) doubts[pair] = 0;
  std::vector<bool> is_contradicted(pairs.size());
  for (const Circle& circle : circles) {
    const std::size_t worst =
        *std::ranges::max_element(circle, {}, [&](std::size_t pair) { return doubts[pair]; });
    const auto as_bad =
        std::ranges::count(circle, doubts[worst], [&](std::size_t pair) { return doubts[pair]; });
    if (doubts[worst] > 0 && as_bad == 1) is_contradicted[worst] = true;
  }
  return is_contradicted;
}

}  // namespace stitch
