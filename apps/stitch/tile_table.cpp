// SPDX-License-Identifier: BSD-3-Clause
#include "tile_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "tessera/domain/error.hpp"

namespace stitch {
namespace {

using tessera::InputError;

bool parse(const std::string& text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > -1e9 && value < 1e9;
}

/// Returns for each value the number of its group. Groups are numbered by their values, and a new one begins
/// after a gap of `gap` or more.
std::vector<int> groups_of(const std::vector<double>& values, double gap) {
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  std::vector<double> first;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (i == 0 || sorted[i] - sorted[i - 1] >= gap) first.push_back(sorted[i]);
  std::vector<int> groups;
  for (const double value : values)
    groups.push_back(static_cast<int>(std::ranges::upper_bound(first, value) - first.begin()) - 1);
  return groups;
}

std::vector<double> values_of(const std::vector<NominalTile>& tiles, double NominalTile::*coordinate) {
  std::vector<double> values;
  for (const NominalTile& tile : tiles) values.push_back(tile.*coordinate);
  return values;
}

}  // namespace

std::vector<NominalTile> read_tile_table(const std::string& path, const std::string& text) {
  const auto refuse = [&](std::size_t line, const char* why) {
    throw InputError(fmt::format("{}:{}: {}", path, line, why));
  };
  std::vector<NominalTile> tiles;
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != "file,x,y")
    refuse(1, "the first line is not file,x,y: correct it");
  for (std::size_t number = 2; std::getline(lines, line); ++number) {
    const std::size_t second = line.rfind(',');
    const std::size_t first =
        second == std::string::npos || second == 0 ? std::string::npos : line.rfind(',', second - 1);
    NominalTile tile;
    const bool is_good = first != std::string::npos && first > 0 &&
                         parse(line.substr(first + 1, second - first - 1), tile.x) &&
                         parse(line.substr(second + 1), tile.y);
    if (!is_good) refuse(number, "this is no file with two numbers: write file,x,y");
    tile.path = (std::filesystem::path(path).parent_path() / line.substr(0, first)).string();
    tiles.push_back(tile);
  }
  if (tiles.empty()) refuse(2, "there are no tiles: list them");
  return tiles;
}

TileFiles arrange_table(const std::string& path, const std::vector<NominalTile>& tiles, Extent extent,
                        bool skip_missing) {
  const std::vector<int> columns = groups_of(values_of(tiles, &NominalTile::x), extent.width / 8.0);
  const std::vector<int> rows = groups_of(values_of(tiles, &NominalTile::y), extent.height / 8.0);
  TileFiles files{Grid(std::ranges::max(rows) + 1, std::ranges::max(columns) + 1), {}, {}};
  files.paths.resize(static_cast<std::size_t>(files.grid.size()));
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    std::string& place = files.paths[static_cast<std::size_t>(files.grid.number({rows[i], columns[i]}))];
    if (!place.empty())
      throw InputError(fmt::format("{}: {} and {} have the same place in the grid: correct their positions",
                                   path, place, tiles[i].path));
    place = tiles[i].path;
  }
  for (int tile = 0; tile < files.grid.size(); ++tile) {
    const Cell cell = files.grid.cell(tile);
    files.names.push_back(cell);
    if (!files.paths[static_cast<std::size_t>(tile)].empty()) continue;
    if (!skip_missing)
      throw InputError(
          fmt::format("{}: there is no tile in row {} and column {}, from 0: add it, or give missing=skip",
                      path, cell.row, cell.column));
    files.grid.remove(tile);
  }
  return files;
}

double overlap_of(const TileFiles& files, const std::vector<NominalTile>& tiles, Extent extent) {
  const auto share = [&](double NominalTile::*coordinate, int count, int side) {
    const auto [least, greatest] = std::ranges::minmax(values_of(tiles, coordinate));
    return count > 1 ? 1 - (greatest - least) / (count - 1) / side : 0.95;
  };
  return std::clamp(std::min(share(&NominalTile::x, files.grid.columns(), extent.width),
                             share(&NominalTile::y, files.grid.rows(), extent.height)),
                    0.0, 0.95);
}

}  // namespace stitch
