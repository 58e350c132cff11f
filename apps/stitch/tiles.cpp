// SPDX-License-Identifier: BSD-3-Clause
#include "tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "tessera/domain/error.hpp"
#include "tessera/domain/text.hpp"

namespace stitch {
Grid::Grid(int rows, int columns)
    : rows_(rows),
      columns_(columns),
      present_(at(rows) * at(columns), std::uint8_t(1)),
      without_(present_.size()) {}

std::vector<int> Grid::tiles() const {
  std::vector<int> tiles;
  for (int tile = 0; tile < size(); ++tile)
    if (has(tile)) tiles.push_back(tile);
  return tiles;
}

Pairs Grid::pairs() const { return pairs_of(*this, {0, rows_}); }

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

Pairs pairs_of(const Grid& grid, Band band) {
  Pairs pairs;
  for (int row = band.begin; row < band.end; ++row)
    for (int column = 0; column < grid.columns(); ++column) {
      const int tile = grid.number({row, column});
      const Pair left{tile - 1, tile, Direction::right}, above{tile - grid.columns(), tile, Direction::below};
      if (column > 0 && grid.has(left)) pairs.push_back(left);
      if (row > 0 && grid.has(above)) pairs.push_back(above);
    }
  return pairs;
}

std::vector<int> tiles_in_order(const Grid& grid, Band band, Halo halo, std::optional<Traversal> traversal) {
  const Band rows = band.transformed(halo);
  const bool is_wide = grid.columns() > rows.end - rows.begin;
  const auto order = static_cast<int>(traversal.value_or(is_wide ? Traversal::columns : Traversal::rows));
  // A rank that sends transforms must have its last row for the pairs with the row below.
  const Band paired{band.begin, halo == Halo::send ? std::min(band.end + 1, grid.rows()) : band.end};
  std::vector<std::uint8_t> is_needed(at(grid.size()));
  for (const Pair& pair : pairs_of(grid, paired)) is_needed[at(pair.first)] = is_needed[at(pair.second)] = 1;
  std::vector<int> tiles;
  for (int tile = grid.number({rows.begin, 0}); tile < grid.number({rows.end, 0}); ++tile)
    if (is_needed[at(tile)] != 0) tiles.push_back(tile);
  // The line of a tile, which is a row, a column or a diagonal, and its place in the line. Every other line
  // of a chained traversal is read backwards.
  const auto place = [&](int tile) {
    const int row = grid.cell(tile).row - rows.begin, column = grid.cell(tile).column;
    const int line = std::array{row, column, row + column}[at(order % 3)];
    const int along = order % 3 == 0 ? column : row;
    return std::pair(line, order >= 3 && line % 2 == 1 ? -along : along);
  };
  std::ranges::sort(tiles, {}, place);
  return tiles;
}

namespace {

using tessera::InputError;
namespace app = tessera::app;

/// The fields of names, in the order of TileNumbers.
constexpr std::string_view fields[] = {"row", "col", "index", "z", "channel"};

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

/// Returns the range of the numbers of all rows, columns or indices. `found` is the range of those in the
/// names, and `wanted` the count that the deck gives, if it does. Where names of the first or last ones are
/// missing, the range begins with 1, or else with 0, if that fits.
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

/// Throws InputError if there are too many tiles.
void check_count(std::int64_t rows, std::int64_t columns, std::int64_t planes) {
  constexpr std::int64_t most = 1 << 24;
  if (rows <= most && columns <= most && rows * columns <= most && rows * columns * planes <= most) return;
  throw InputError(fmt::format("'input.tiles': {} x {} tiles{} are too many: check the numbers in the names",
                               rows, columns, planes > 1 ? fmt::format(" in {} planes", planes) : ""));
}

/// Sets the grid and the names of tiles whose names have a row and a column.
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

/// Sets the grid, the names and the indices of tiles whose names have an index.
void arrange_indices(TileFiles& tiles, const TileRequest& request, const std::vector<TileNumbers>& found) {
  if (!request.rows && !request.columns)
    throw InputError(
        "'input.tiles': names with {index} do not tell the grid: give input.rows or input.columns, too");
  Span indices;
  for (const TileNumbers& numbers : found) indices.add(numbers.index);
  // Returns how many lines of `side` tiles the indices need.
  const auto lines = [&](int side) { return static_cast<int>((indices.count() + side - 1) / side); };
  check_count(indices.count(), 1, tiles.planes());
  const int rows = request.rows ? *request.rows : lines(*request.columns);
  const int columns = request.columns ? *request.columns : lines(rows);
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

/// Returns all values of a field in the names of the files, in rising order.
std::vector<std::int64_t> values_of(const std::vector<TileNumbers>& found, std::int64_t TileNumbers::*field) {
  std::set<std::int64_t> values;
  for (const TileNumbers& numbers : found) values.insert(numbers.*field);
  return {values.begin(), values.end()};
}

/// Returns a remedy about the slice or the channel that the fewest tiles have. Its files are probably too
/// many, if at most half of the tiles have it; otherwise the text is empty.
std::string rarest_plane(const std::vector<TileNumbers>& found) {
  using Tiles = std::set<std::array<std::int64_t, 3>>;
  Tiles all;
  std::map<std::pair<bool, std::int64_t>, Tiles> planes;  // slices, and then channels
  for (const TileNumbers& one : found)
    for (Tiles* const tiles : {&all, &planes[{false, one.z}], &planes[{true, one.channel}]})
      tiles->insert({one.row, one.column, one.index});
  const auto& [plane, tiles] =
      *std::ranges::min_element(planes, {}, [](const auto& one) { return one.second.size(); });
  if (2 * tiles.size() > all.size()) return "";
  return fmt::format("{} {} is there for {} of {}: remove it, or add the others",
                     plane.first ? "channel" : "slice", plane.second, tiles.size(),
                     tessera::counted(std::ssize(all), "tile"));
}

/// Removes the tiles that lack a file from the grid. `found` is sorted. Throws InputError if tiles may not be
/// missing, or if none is left.
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

app::NamePattern tile_pattern(const std::string& text) {
  app::NamePattern pattern(text, fields);
  for (int field = 0; field < std::ssize(fields); ++field)
    if (pattern.count(field) > 1)
      throw InputError(
          fmt::format("{} has {{{}}} more than once: leave out the others", text, fields[field]));
  if (pattern.count(0) + pattern.count(1) != (pattern.count(index_field) > 0 ? 0 : 2))
    throw InputError(
        fmt::format("{} does not number tiles: write {{row}} and {{col}} once each into the file name, or "
                    "{{index}}, such as tile_r{{row:3}}_c{{col:3}}.tif",
                    text));
  return pattern;
}

std::string path_of(const app::NamePattern& pattern, const TileNumbers& numbers) {
  return pattern.name({std::to_string(numbers.row), std::to_string(numbers.column),
                       std::to_string(numbers.index), std::to_string(numbers.z),
                       std::to_string(numbers.channel)});
}

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
  const app::NamePattern pattern = tile_pattern(request.pattern);
  const std::string folder = request.pattern.substr(0, request.pattern.rfind('/') + 1);
  std::vector<TileNumbers> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end;
       at.increment(error))
    if (const auto numbers = pattern.match(folder + at->path().filename().string()))
      found.push_back({(*numbers)[0], (*numbers)[1], (*numbers)[2], (*numbers)[3], (*numbers)[4]});
  if (error)
    throw InputError(fmt::format("'input.tiles': cannot read the folder {}: {}", folder, error.message()));
  if (found.empty())
    throw InputError(
        fmt::format("'input.tiles': no file matches {}: check the folder and the digits", request.pattern));
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
  return paths.empty() ? path_of(pattern, numbers(tile, plane)) : paths[at(tile)];
}

TileFiles arrange(const TileRequest& request, std::vector<TileNumbers> found) {
  TileFiles tiles;
  tiles.pattern = tile_pattern(request.pattern);
  std::ranges::sort(found);
  tiles.slices = values_of(found, &TileNumbers::z);
  tiles.channels = values_of(found, &TileNumbers::channel);
  tiles.pattern.count(index_field) > 0 ? arrange_indices(tiles, request, found)
                                       : arrange_cells(tiles, request, found);
  remove_missing(tiles, request, found);
  return tiles;
}

}  // namespace stitch
