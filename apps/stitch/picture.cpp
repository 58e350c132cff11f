// SPDX-License-Identifier: BSD-3-Clause
#include "picture.hpp"

#include <algorithm>
#include <array>

namespace stitch {
namespace {

constexpr int side = 12, gap = 6, pitch = side + gap;

using Colour = std::array<std::uint8_t, 3>;

/// Fills a rectangle of the picture.
void fill(std::vector<std::uint8_t>& picture, const tessera::Box& domain, int left, int top, int width,
          int height, Colour colour) {
  for (std::size_t plane = 0; plane < 3; ++plane)
    for (int y = top; y < top + height; ++y) {
      const std::int64_t first =
          (static_cast<std::int64_t>(plane) * domain[1].size() + y) * domain[0].size() + left;
      std::fill_n(picture.begin() + first, width, colour[plane]);
    }
}

Colour colour_of(const Placement& placement) {
  const double bright = 0.25 + 0.75 * std::clamp(placement.translation.correlation, 0.0, 1.0);
  const auto level = static_cast<std::uint8_t>(255 * bright + 0.5);
  switch (placement.origin) {
    case Origin::measured:
      return {0, level, 0};
    case Origin::searched:
      return {level, level, 0};
    default:
      return {255, 0, 0};
  }
}

}  // namespace

tessera::Box picture_domain(const Grid& grid) {
  return {
      {0, std::int64_t(grid.columns()) * pitch + gap}, {0, std::int64_t(grid.rows()) * pitch + gap}, {0, 3}};
}

std::vector<std::uint8_t> picture_of(const Grid& grid, const Results& results) {
  const tessera::Box domain = picture_domain(grid);
  std::vector<std::uint8_t> picture(static_cast<std::size_t>(domain.size()));
  const auto corner = [](int place) { return gap + place * pitch; };
  for (int tile = 0; tile < grid.size(); ++tile) {
    if (!grid.has(tile)) continue;
    const bool is_by_model = std::ranges::find(results.by_model, tile) != results.by_model.end();
    fill(picture, domain, corner(grid.cell(tile).column), corner(grid.cell(tile).row), side, side,
         is_by_model ? Colour{64, 96, 255} : Colour{160, 160, 160});
  }
  for (std::size_t i = 0; i < results.pairs.size(); ++i) {
    const Cell cell = grid.cell(results.pairs[i].second);
    const int left = corner(cell.column), top = corner(cell.row);
    const Colour colour = colour_of(results.placements[i]);
    if (results.pairs[i].direction == Direction::right)
      fill(picture, domain, left - gap, top + side / 4, gap, side / 2, colour);
    else
      fill(picture, domain, left + side / 4, top - gap, side / 2, gap, colour);
  }
  return picture;
}

}  // namespace stitch
