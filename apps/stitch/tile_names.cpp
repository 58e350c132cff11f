// SPDX-License-Identifier: BSD-3-Clause
#include "tile_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <utility>

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

/// Throws InputError if tiles have too many files.
void check_count(std::int64_t rows, std::int64_t columns, std::int64_t planes) {
  constexpr std::int64_t most = 1 << 24;
  if (rows <= most && columns <= most && rows * columns <= most && rows * columns * planes <= most) return;
  throw InputError(fmt::format("'input.tiles': {} x {} tiles{} are too many: check the numbers in the names",
                               rows, columns, planes > 1 ? fmt::format(" in {} planes", planes) : ""));
}

void arrange_cells(TileFiles& tiles, const TileRequest& request, const std::vector<TileNumbers>& found) {
  Span rows, columns;
  for (const TileNumbers& numbers : found) {
    rows.add(numbers.row);
    columns.add(numbers.column);
  }
  rows = span_of(rows, request.rows, "rows");
  columns = span_of(columns, request.columns, "columns");
  check_count(rows.count(), columns.count(), tiles.planes());
  tiles.grid = Grid(static_cast<int>(rows.count()), static_cast<int>(columns.count()));
  for (int tile = 0; tile < tiles.grid.size(); ++tile) {
    const auto [row, column] = tiles.grid.cell(tile);
    tiles.names.push_back(
        {static_cast<int>(rows.least) + (request.start.is_lower ? tiles.grid.rows() - 1 - row : row),
         static_cast<int>(columns.least) +
             (request.start.is_right ? tiles.grid.columns() - 1 - column : column)});
  }
}

void arrange_indices(TileFiles& tiles, const TileRequest& request, const std::vector<TileNumbers>& found) {
  if (!request.rows && !request.columns)
    throw InputError(
        "'input.tiles': names with {index} do not tell the grid: give input.rows or input.columns, too");
  Span indices;
  for (const TileNumbers& numbers : found) indices.add(numbers.index);
  const auto up = [&](int side) { return static_cast<int>((indices.count() + side - 1) / side); };
  check_count(indices.count(), 1, tiles.planes());
  const int rows = request.rows ? *request.rows : up(*request.columns);
  const int columns = request.columns ? *request.columns : up(rows);
  check_count(rows, columns, tiles.planes());
  if (indices.count() > std::int64_t(rows) * columns)
    throw InputError(fmt::format(
        "'input.rows': {} x {} tiles are fewer than the names of files, from {} to {}: correct it", rows,
        columns, indices.least, indices.greatest));
  indices = span_of(indices, rows * columns, "rows");
  tiles.grid = Grid(rows, columns);
  tiles.indices.resize(at(tiles.grid.size()));
  for (int index = 0; index < tiles.grid.size(); ++index) {
    const Cell cell = cell_of(index, rows, columns, request.order, request.start);
    tiles.indices[at(tiles.grid.number(cell))] = indices.least + index;
    tiles.names.push_back(tiles.grid.cell(index));
  }
}

/// Returns the different values that a number has in `found`, in their order.
std::vector<std::int64_t> values_of(const std::vector<TileNumbers>& found, std::int64_t TileNumbers::*field) {
  std::vector<std::int64_t> values;
  for (const TileNumbers& numbers : found) values.push_back(numbers.*field);
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Returns what is to be said of the slice or the channel for which the fewest tiles have a file, or an empty
/// text if more than half of the tiles have one for each. Such a file is more likely to be one too many.
std::string rarest_plane(const std::vector<TileNumbers>& found) {
  using Tile = std::array<std::int64_t, 3>;
  const auto tile_of = [](const TileNumbers& one) { return Tile{one.row, one.column, one.index}; };
  std::set<Tile> all;
  for (const TileNumbers& one : found) all.insert(tile_of(one));
  std::size_t least = all.size();
  std::string text;
  for (const auto& [what, field] :
       {std::pair{"slice", &TileNumbers::z}, {"channel", &TileNumbers::channel}}) {
    std::map<std::int64_t, std::set<Tile>> tiles_of;
    for (const TileNumbers& one : found) tiles_of[one.*field].insert(tile_of(one));
    for (const auto& [number, tiles] : tiles_of) {
      if (tiles.size() >= least) continue;
      least = tiles.size();
      text = fmt::format("{} {} is there for {} of {}: remove it, or add the others", what, number, least,
                         tessera::counted(std::ssize(all), "tile"));
    }
  }
  return 2 * least <= all.size() ? text : "";
}

/// Removes the tiles that lack a file from the grid. `found` is sorted. Throws InputError if there are some
/// although none may be missing, or if no tile is left.
void remove_missing(TileFiles& tiles, const TileRequest& request, const std::vector<TileNumbers>& found) {
  std::int64_t missing = 0;
  std::string path;
  Cell name;
  for (int tile = tiles.grid.size(); tile-- > 0;) {
    int plane = 0;
    while (plane < tiles.planes() && std::ranges::binary_search(found, tiles.numbers(tile, plane))) ++plane;
    if (plane == tiles.planes()) continue;
    tiles.grid.remove(tile);
    path = tiles.path(tile, plane);
    name = tiles.names[at(tile)];
    ++missing;
  }
  const bool is_one_left = missing < tiles.grid.size();
  if (missing == 0 || (request.skip_missing && is_one_left)) return;
  std::string remedy = rarest_plane(found);
  if (remedy.empty())
    remedy = is_one_left ? "add it, or give missing=skip" : "no tile has all slices and channels: add files";
  throw InputError(fmt::format(
      "{}: this tile, of row {} and column {}, is missing{}: {}", path, name.row, name.column,
      missing > 1 ? fmt::format(", and {}", tessera::counted(missing - 1, "more tile")) : "", remedy));
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

TileNumbers TileFiles::numbers(int tile, int plane) const {
  TileNumbers numbers{.z = slices[at(plane) / channels.size()],
                      .channel = channels[at(plane) % channels.size()]};
  if (indices.empty()) {
    numbers.row = names[at(tile)].row;
    numbers.column = names[at(tile)].column;
  } else {
    numbers.index = indices[at(tile)];
  }
  return numbers;
}

std::string TileFiles::path(int tile, int plane) const {
  return pattern ? pattern->path(numbers(tile, plane)) : paths[at(tile)];
}

TileFiles arrange(const TileRequest& request, std::vector<TileNumbers> found) {
  TileFiles tiles;
  tiles.pattern.emplace(request.pattern);
  std::ranges::sort(found);
  tiles.slices = values_of(found, &TileNumbers::z);
  tiles.channels = values_of(found, &TileNumbers::channel);
  tiles.pattern->has_index() ? arrange_indices(tiles, request, found) : arrange_cells(tiles, request, found);
  remove_missing(tiles, request, found);
  return tiles;
}

}  // namespace stitch
