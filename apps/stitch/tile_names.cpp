// SPDX-License-Identifier: BSD-3-Clause
#include "tile_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "tessera/domain/counted.hpp"
#include "tessera/domain/error.hpp"

namespace stitch {
namespace {

using tessera::InputError;

/// The least and the greatest of some numbers.
struct Span {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t greatest = -1;
  void add(std::int64_t number) {
    least = std::min(least, number);
    greatest = std::max(greatest, number);
  }
  std::int64_t count() const { return greatest - least + 1; }
};

/// Returns the numbers of all rows or columns, of which the deck may give how many there are. Where files of
/// the first or last ones are missing, the numbers begin with 1 or 0 if that fits.
Span span_of(Span found, const std::optional<int>& wanted, const char* what) {
  if (!wanted) return found;
  if (found.count() > *wanted)
    throw InputError(fmt::format("'input.{}': it is {}, but the names of files go from {} to {}: correct it",
                                 what, *wanted, found.least, found.greatest));
  if (found.least >= 1 && found.greatest <= *wanted)
    found.least = 1;
  else if (found.greatest < *wanted)
    found.least = 0;
  found.greatest = found.least + *wanted - 1;
  return found;
}

void check_count(std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t most = 1 << 24;
  if (rows > most || columns > most || rows * columns > most)
    throw InputError(fmt::format("'input.tiles': {} x {} tiles are too many: check the numbers in the names",
                                 rows, columns));
}

/// The tiles of a grid, and the numbers in their names, but for those of planes.
struct Layout {
  TileFiles files;
  std::vector<TileNumbers> numbers;
};

Layout layout_of_cells(const TileRequest& request, const std::vector<TileNumbers>& found) {
  Span rows, columns;
  for (const TileNumbers& numbers : found) {
    rows.add(numbers.row);
    columns.add(numbers.column);
  }
  rows = span_of(rows, request.rows, "rows");
  columns = span_of(columns, request.columns, "columns");
  check_count(rows.count(), columns.count());
  const Grid grid(static_cast<int>(rows.count()), static_cast<int>(columns.count()));
  Layout layout{{grid, {}, {}}, {}};
  for (int tile = 0; tile < grid.size(); ++tile) {
    const auto [row, column] = grid.cell(tile);
    const TileNumbers numbers{
        .row = rows.least + (request.start.is_lower ? grid.rows() - 1 - row : row),
        .column = columns.least + (request.start.is_right ? grid.columns() - 1 - column : column)};
    layout.numbers.push_back(numbers);
    layout.files.names.push_back({static_cast<int>(numbers.row), static_cast<int>(numbers.column)});
  }
  return layout;
}

Layout layout_of_indices(const TileRequest& request, const std::vector<TileNumbers>& found) {
  if (!request.rows && !request.columns)
    throw InputError(
        "'input.tiles': names with {index} do not tell the grid: give input.rows or input.columns, too");
  Span indices;
  for (const TileNumbers& numbers : found) indices.add(numbers.index);
  const auto up = [&](int side) { return static_cast<int>((indices.count() + side - 1) / side); };
  check_count(indices.count(), 1);
  const int rows = request.rows ? *request.rows : up(*request.columns);
  const int columns = request.columns ? *request.columns : up(rows);
  check_count(rows, columns);
  if (indices.count() > std::int64_t(rows) * columns)
    throw InputError(fmt::format(
        "'input.rows': {} x {} tiles are fewer than the names of files, from {} to {}: correct it", rows,
        columns, indices.least, indices.greatest));
  indices = span_of(indices, rows * columns, "rows");
  const Grid grid(rows, columns);
  Layout layout{{grid, {}, {}}, std::vector<TileNumbers>(at(grid.size()))};
  for (int index = 0; index < grid.size(); ++index) {
    const Cell cell = cell_of(index, rows, columns, request.order, request.start);
    layout.numbers[at(grid.number(cell))] = {.index = indices.least + index};
  }
  for (int tile = 0; tile < grid.size(); ++tile) layout.files.names.push_back(grid.cell(tile));
  return layout;
}

/// Returns the different values that a number has in `found`, in their order.
std::vector<std::int64_t> values_of(const std::vector<TileNumbers>& found, std::int64_t TileNumbers::*field) {
  std::vector<std::int64_t> values;
  for (const TileNumbers& numbers : found) values.push_back(numbers.*field);
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Removes the tiles that lack a file from the grid. `found` is sorted. Throws InputError if there are some
/// although none may be missing.
void remove_missing(Layout& layout, const NamePattern& pattern, const TileRequest& request,
                    const std::vector<TileNumbers>& found) {
  TileFiles& tiles = layout.files;
  std::int64_t missing = 0;
  std::string path;
  Cell name;
  for (int tile = tiles.grid.size(); tile-- > 0;) {
    TileNumbers numbers = layout.numbers[at(tile)];
    const auto is_missing = [&] {
      for (const std::int64_t z : tiles.slices)
        for (const std::int64_t channel : tiles.channels) {
          numbers.z = z;
          numbers.channel = channel;
          if (!std::ranges::binary_search(found, numbers)) return true;
        }
      return false;
    };
    if (!is_missing()) continue;
    tiles.grid.remove(tile);
    path = pattern.path(numbers);
    name = tiles.names[at(tile)];
    ++missing;
  }
  if (missing == 0 || request.skip_missing) return;
  throw InputError(fmt::format(
      "{}: this tile, of row {} and column {}, is missing{}: add it, or give missing=skip", path, name.row,
      name.column, missing > 1 ? fmt::format(", and {}", tessera::counted(missing - 1, "more tile")) : ""));
}

}  // namespace

Cell cell_of(int index, int rows, int columns, Order order, Corner start) {
  const bool by_rows = order == Order::rows || order == Order::serpentine_rows;
  const bool is_serpentine = order == Order::serpentine_rows || order == Order::serpentine_columns;
  const int length = by_rows ? columns : rows;
  const int line = index / length;
  const int place = is_serpentine && line % 2 == 1 ? length - 1 - index % length : index % length;
  const Cell cell = by_rows ? Cell{line, place} : Cell{place, line};
  return {start.is_lower ? rows - 1 - cell.row : cell.row,
          start.is_right ? columns - 1 - cell.column : cell.column};
}

std::vector<TileNumbers> list_tiles(const TileRequest& request) {
  const NamePattern pattern(request.pattern);
  std::vector<TileNumbers> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at(pattern.folder(), error), end; !error && at != end;
       at.increment(error))
    if (const auto numbers = pattern.match(at->path().filename().string())) found.push_back(*numbers);
  if (error)
    throw InputError(
        fmt::format("'input.tiles': cannot read the folder {}: {}", pattern.folder(), error.message()));
  if (found.empty())
    throw InputError(fmt::format(
        "'input.tiles': no file is called as {} says: check the folder and the digits", request.pattern));
  return found;
}

TileFiles arrange(const TileRequest& request, std::vector<TileNumbers> found) {
  const NamePattern pattern(request.pattern);
  std::ranges::sort(found);
  Layout layout = pattern.has_index() ? layout_of_indices(request, found) : layout_of_cells(request, found);
  TileFiles& tiles = layout.files;
  tiles.slices = values_of(found, &TileNumbers::z);
  tiles.channels = values_of(found, &TileNumbers::channel);
  remove_missing(layout, pattern, request, found);
  for (const std::int64_t z : tiles.slices)
    for (const std::int64_t channel : tiles.channels) {
      auto& paths = tiles.planes.emplace_back();
      for (TileNumbers numbers : layout.numbers) {
        numbers.z = z;
        numbers.channel = channel;
        paths.push_back(pattern.path(numbers));
      }
    }
  tiles.paths = tiles.planes.front();
  if (!pattern.has_z() && !pattern.has_channel()) tiles.planes.clear();
  return tiles;
}

}  // namespace stitch
