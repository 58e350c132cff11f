// SPDX-License-Identifier: BSD-3-Clause
#include "grid.hpp"

#include <algorithm>
#include <cstddef>

namespace stitch {
namespace {

/// Returns the cells of rows [0, rows), by rows, by columns or by diagonals. A diagonal holds the cells whose
/// row and column have the same sum, from its topmost cell on.
std::vector<std::vector<Cell>> lines(int rows, int columns, Traversal traversal) {
  std::vector<std::vector<Cell>> lines;
  const bool by_rows = traversal == Traversal::rows || traversal == Traversal::chained_rows;
  const bool by_columns = traversal == Traversal::columns || traversal == Traversal::chained_columns;
  const int count = by_rows ? rows : by_columns ? columns : rows + columns - 1;
  for (int line = 0; line < count; ++line) {
    auto& cells = lines.emplace_back();
    const int length = by_rows ? columns : rows;
    for (int i = 0; i < length; ++i) {
      const Cell cell = by_rows ? Cell{line, i} : by_columns ? Cell{i, line} : Cell{i, line - i};
      if (cell.column >= 0 && cell.column < columns) cells.push_back(cell);
    }
  }
  return lines;
}

bool is_chained(Traversal traversal) {
  return traversal == Traversal::chained_rows || traversal == Traversal::chained_columns ||
         traversal == Traversal::chained_diagonals;
}

}  // namespace

Grid::Grid(int rows, int columns)
    : rows_(rows), columns_(columns), present_(at(rows) * at(columns), std::uint8_t(1)) {}

std::vector<Pair> Grid::pairs() const { return pairs_of(*this, {0, rows_}); }

Band Band::of_rank(const Grid& grid, int ranks, int rank) {
  const auto border = [&](int number) {
    return static_cast<int>(std::int64_t(grid.rows()) * number / ranks);
  };
  return {border(rank), border(rank + 1)};
}

std::vector<int> ranks_that_need(const Grid& grid, int ranks, int row) {
  std::vector<int> needing;
  for (int rank = 0; rank < ranks; ++rank) {
    const Band band = Band::of_rank(grid, ranks, rank), needed = band.transformed(Halo::recompute);
    if (band.begin < band.end && needed.begin <= row && row < needed.end) needing.push_back(rank);
  }
  return needing;
}

Traversal shortest_traversal(const Grid& grid, Band rows) {
  return grid.columns() <= rows.end - rows.begin ? Traversal::rows : Traversal::columns;
}

std::vector<Pair> pairs_of(const Grid& grid, Band band) {
  std::vector<Pair> pairs;
  for (int row = band.begin; row < band.end; ++row)
    for (int column = 0; column < grid.columns(); ++column) {
      const int tile = grid.number({row, column});
      if (!grid.has(tile)) continue;
      if (column > 0 && grid.has(tile - 1)) pairs.push_back({tile - 1, tile, Direction::right});
      if (row > 0 && grid.has(tile - grid.columns()))
        pairs.push_back({tile - grid.columns(), tile, Direction::below});
    }
  return pairs;
}

std::vector<int> tiles_in_order(const Grid& grid, Band band, Halo halo, std::optional<Traversal> traversal) {
  const Band rows = band.transformed(halo);
  const Traversal order = traversal.value_or(shortest_traversal(grid, rows));
  // Who sends the last row of the band must have it for the pairs below.
  const Band paired{band.begin, halo == Halo::send ? std::min(band.end + 1, grid.rows()) : band.end};
  std::vector<std::uint8_t> is_needed(at(grid.size()));
  for (const Pair& pair : pairs_of(grid, paired)) is_needed[at(pair.first)] = is_needed[at(pair.second)] = 1;
  std::vector<int> tiles;
  bool backwards = false;
  for (std::vector<Cell>& line : lines(rows.end - rows.begin, grid.columns(), order)) {
    if (backwards) std::ranges::reverse(line);
    for (const Cell cell : line)
      if (const int tile = grid.number({rows.begin + cell.row, cell.column}); is_needed[at(tile)] != 0)
        tiles.push_back(tile);
    backwards = is_chained(order) && !backwards;
  }
  return tiles;
}

}  // namespace stitch
