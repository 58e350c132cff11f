// SPDX-License-Identifier: BSD-3-Clause
#include "tile_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>

#include "tessera/domain/counted.hpp"
#include "tessera/domain/error.hpp"

namespace stitch {
namespace {

using tessera::InputError;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

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

/// Marks the tiles that have a file. `cell` returns the place of a file.
template <class CellOf>
void mark_files(TileFiles& tiles, const std::vector<TileNumbers>& found, const TileRequest& request,
                const CellOf& cell) {
  std::vector<std::uint8_t> has(static_cast<std::size_t>(tiles.grid.size()));
  for (const TileNumbers& numbers : found)
    has[static_cast<std::size_t>(tiles.grid.number(cell(numbers)))] = 1;
  std::int64_t missing = 0;
  int first = -1;
  for (int tile = tiles.grid.size(); tile-- > 0;) {
    if (has[static_cast<std::size_t>(tile)] != 0) continue;
    tiles.grid.remove(tile);
    first = tile;
    ++missing;
  }
  if (missing == 0 || request.skip_missing) return;
  const Cell name = tiles.names[static_cast<std::size_t>(first)];
  throw InputError(
      fmt::format("{}: this tile, of row {} and column {}, is missing{}: add it, or give missing=skip",
                  tiles.paths[static_cast<std::size_t>(first)], name.row, name.column,
                  missing > 1 ? fmt::format(", and {}", tessera::counted(missing - 1, "more tile")) : ""));
}

TileFiles find_by_cells(const NamePattern& pattern, const TileRequest& request,
                        const std::vector<TileNumbers>& found) {
  Span rows, columns;
  for (const TileNumbers& numbers : found) {
    rows.add(numbers.row);
    columns.add(numbers.column);
  }
  rows = span_of(rows, request.rows, "rows");
  columns = span_of(columns, request.columns, "columns");
  check_count(rows.count(), columns.count());
  TileFiles tiles{Grid(static_cast<int>(rows.count()), static_cast<int>(columns.count())), {}, {}};
  const auto turned = [&](Cell cell) -> Cell {
    return {request.start.is_lower ? tiles.grid.rows() - 1 - cell.row : cell.row,
            request.start.is_right ? tiles.grid.columns() - 1 - cell.column : cell.column};
  };
  for (int tile = 0; tile < tiles.grid.size(); ++tile) {
    const Cell cell = turned(tiles.grid.cell(tile));
    const TileNumbers numbers{.row = rows.least + cell.row, .column = columns.least + cell.column};
    tiles.paths.push_back(pattern.path(numbers));
    tiles.names.push_back({static_cast<int>(numbers.row), static_cast<int>(numbers.column)});
  }
  mark_files(tiles, found, request, [&](const TileNumbers& numbers) {
    return turned(
        {static_cast<int>(numbers.row - rows.least), static_cast<int>(numbers.column - columns.least)});
  });
  return tiles;
}

TileFiles find_by_index(const NamePattern& pattern, const TileRequest& request,
                        const std::vector<TileNumbers>& found) {
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
  TileFiles tiles{Grid(rows, columns), {}, {}};
  tiles.paths.resize(static_cast<std::size_t>(tiles.grid.size()));
  const auto cell = [&](std::int64_t index) {
    return cell_of(static_cast<int>(index - indices.least), rows, columns, request.order, request.start);
  };
  for (std::int64_t index = indices.least; index <= indices.greatest; ++index)
    tiles.paths[static_cast<std::size_t>(tiles.grid.number(cell(index)))] = pattern.path({.index = index});
  for (int tile = 0; tile < tiles.grid.size(); ++tile) tiles.names.push_back(tiles.grid.cell(tile));
  mark_files(tiles, found, request, [&](const TileNumbers& numbers) { return cell(numbers.index); });
  return tiles;
}

}  // namespace

NamePattern::NamePattern(const std::string& text) {
  const std::size_t slash = text.rfind('/');
  folder_ = slash == std::string::npos ? "" : text.substr(0, slash + 1);
  for (std::size_t at = folder_.size(); at < text.size();) {
    const std::size_t open = std::min(text.find('{', at), text.size());
    if (open > at) parts_.push_back({.literal = text.substr(at, open - at)});
    if (open == text.size()) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) throw InputError(fmt::format("the '{{' in {} has no '}}': add it", text));
    add_field(text.substr(open + 1, close - open - 1));
    at = close + 1;
  }
  const auto count = [&](std::int64_t TileNumbers::*field) {
    return std::ranges::count(parts_, field, &Part::field);
  };
  const auto rows = count(&TileNumbers::row), columns = count(&TileNumbers::column),
             indices = count(&TileNumbers::index);
  has_index_ = indices == 1;
  if (!(rows == 1 && columns == 1 && indices == 0) && !(rows == 0 && columns == 0 && indices == 1))
    throw InputError(
        fmt::format("{} does not number tiles: write {{row}} and {{col}} once each into the file name, or "
                    "{{index}}, such as "
                    "tile_r{{row:3}}_c{{col:3}}.tif",
                    text));
}

void NamePattern::add_field(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  Part part;
  if (name == "row") part.field = &TileNumbers::row;
  if (name == "col") part.field = &TileNumbers::column;
  if (name == "index") part.field = &TileNumbers::index;
  bool is_good = part.field != nullptr;
  if (name.size() < text.size()) {
    const char* const begin = text.data() + name.size() + 1;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, part.width);
    is_good = is_good && error == std::errc() && stop == end && part.width >= 1 && part.width <= 18;
  }
  if (!is_good)
    throw InputError(
        fmt::format("'{{{}}}' is not one of {{row}}, {{col}} and {{index}}, or one with digits such as "
                    "{{row:3}}: correct it",
                    text));
  parts_.push_back(part);
}

std::string NamePattern::folder() const { return folder_.empty() ? "." : folder_; }

std::string NamePattern::path(const TileNumbers& numbers) const {
  std::string path = folder_;
  for (const Part& part : parts_)
    path += part.field == nullptr ? part.literal : fmt::format("{:0{}}", numbers.*part.field, part.width);
  return path;
}

/// Returns whether a number ends after its least digits although another digit may follow.
bool NamePattern::is_exact(std::size_t part) const {
  if (part + 1 == parts_.size()) return false;
  const Part& next = parts_[part + 1];
  return parts_[part].width > 0 && (next.field != nullptr || is_digit(next.literal.front()));
}

std::optional<TileNumbers> NamePattern::match(std::string_view name) const {
  TileNumbers numbers;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    if (part.field == nullptr) {
      if (!name.starts_with(part.literal)) return std::nullopt;
      name.remove_prefix(part.literal.size());
      continue;
    }
    std::size_t digits = 0;
    while (digits < name.size() && is_digit(name[digits]) && !(is_exact(i) && digits == part.width)) ++digits;
    const std::size_t least = std::max<std::size_t>(part.width, 1);
    if (digits < least || digits > 9 || (digits > least && name.front() == '0')) return std::nullopt;
    std::from_chars(name.data(), name.data() + digits, numbers.*part.field);
    name.remove_prefix(digits);
  }
  return name.empty() ? std::optional(numbers) : std::nullopt;
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

TileFiles arrange(const TileRequest& request, const std::vector<TileNumbers>& found) {
  const NamePattern pattern(request.pattern);
  return pattern.has_index() ? find_by_index(pattern, request, found)
                             : find_by_cells(pattern, request, found);
}

}  // namespace stitch
