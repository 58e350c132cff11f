// SPDX-License-Identifier: BSD-3-Clause
#include "tile_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "csv.hpp"
#include "tessera/domain/error.hpp"

namespace stitch {
namespace {

using tessera::InputError;

/// Input.overlap is 0.95 at most, so that lines of tiles have this share of a tile between them, and half of
/// it where tiles do not lie exactly in their lines.
constexpr double least_gap = 0.025;

/// Returns how far it is from tiles to the nearest other one, as a share of a tile: the distance that three
/// quarters of the tiles do not exceed.
double share_to_nearest(const std::vector<NominalTile>& tiles, Extent extent) {
  std::vector<std::pair<double, double>> places;
  for (const NominalTile& tile : tiles) places.emplace_back(tile.x / extent.width, tile.y / extent.height);
  std::ranges::sort(places);
  std::vector<double> nearest(places.size(), 1);
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t j = i + 1; j < places.size(); ++j) {
      const double right = places[j].first - places[i].first;
      if (right >= 1) break;
      const double distance = std::max(right, std::abs(places[j].second - places[i].second));
      for (const std::size_t one : {i, j}) nearest[one] = std::min(nearest[one], distance);
    }
  const std::size_t place = (3 * (nearest.size() - 1) + 3) / 4;
  std::ranges::nth_element(nearest, nearest.begin() + static_cast<std::ptrdiff_t>(place));
  return nearest[place];
}

/// Returns the distance of neighbouring lines of tiles with `gaps` between them: the median of those that are
/// not much more than the least one. Lines may be missing in the other gaps, and in all of them if they are
/// wider than a tile, whose size is `side`; the step is then what `share` of a tile lets expect.
double step_of(std::vector<double> gaps, double side, double share) {
  const double most = 1.5 * std::ranges::min(gaps);
  std::erase_if(gaps, [&](double gap) { return gap > most; });
  std::ranges::sort(gaps);
  const double step = gaps[(gaps.size() - 1) / 2];
  return step > side ? share * side : step;
}

/// Returns for each coordinate the number of its line of tiles, from 0. A line begins after a gap of half of
/// the expected step, which is `share` of the size `side` of a tile. Lines without any tile are counted.
std::vector<std::int64_t> lines_of(const std::vector<double>& values, double side, double share) {
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  const double gap = std::max(share / 2, least_gap) * side;
  std::vector<double> first, sums, counts;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || sorted[i] - sorted[i - 1] >= gap) {
      first.push_back(sorted[i]);
      sums.push_back(0);
      counts.push_back(0);
    }
    sums.back() += sorted[i];
    ++counts.back();
  }
  std::vector<double> gaps;
  for (std::size_t i = 1; i < first.size(); ++i)
    gaps.push_back(sums[i] / counts[i] - sums[i - 1] / counts[i - 1]);
  std::vector<std::int64_t> numbers(first.size());
  if (!gaps.empty()) {
    const double step = step_of(gaps, side, share);
    for (std::size_t i = 0; i < gaps.size(); ++i)
      numbers[i + 1] = numbers[i] + std::max<std::int64_t>(1, std::llround(gaps[i] / step));
  }
  std::vector<std::int64_t> lines;
  for (const double value : values)
    lines.push_back(
        numbers[static_cast<std::size_t>(std::ranges::upper_bound(first, value) - first.begin()) - 1]);
  return lines;
}

std::vector<double> values_of(const std::vector<NominalTile>& tiles, double NominalTile::*coordinate) {
  std::vector<double> values;
  for (const NominalTile& tile : tiles) values.push_back(tile.*coordinate);
  return values;
}

}  // namespace

std::vector<NominalTile> read_tile_table(const std::string& path, const std::string& text) {
  const auto parse = [](std::string_view field, double& value) {
    return parse_number(field, value) && value > -1e9 && value < 1e9;
  };
  const CsvTable table{path, "file,x,y", "correct it"};
  std::vector<NominalTile> tiles;
  for (const auto& [number, fields] : table.lines(text)) {
    NominalTile tile;
    const bool is_good =
        fields.size() == 3 && !fields[0].empty() && parse(fields[1], tile.x) && parse(fields[2], tile.y);
    if (!is_good) table.refuse(number, "this is no file with two numbers, file,x,y");
    tile.path = (std::filesystem::path(path).parent_path() / fields[0]).string();
    tiles.push_back(tile);
  }
  if (tiles.empty()) table.refuse(2, "there are no tiles");
  return tiles;
}

TileFiles arrange_table(const std::string& path, const std::vector<NominalTile>& tiles, Extent extent,
                        bool skip_missing) {
  const double share = share_to_nearest(tiles, extent);
  const auto columns = lines_of(values_of(tiles, &NominalTile::x), extent.width, share);
  const auto rows = lines_of(values_of(tiles, &NominalTile::y), extent.height, share);
  const std::int64_t height = std::ranges::max(rows) + 1, width = std::ranges::max(columns) + 1;
  constexpr std::int64_t most = 1 << 24;
  if (height > most || width > most || height * width > most)
    throw InputError(
        fmt::format("{}: {} x {} tiles are too many: correct their positions", path, height, width));
  TileFiles files{Grid(static_cast<int>(height), static_cast<int>(width))};
  files.paths.resize(at(files.grid.size()));
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    std::string& place =
        files.paths[at(files.grid.number({static_cast<int>(rows[i]), static_cast<int>(columns[i])}))];
    if (!place.empty())
      throw InputError(fmt::format("{}: {} and {} have the same place in the grid: correct their positions",
                                   path, place, tiles[i].path));
    place = tiles[i].path;
  }
  for (int tile = 0; tile < files.grid.size(); ++tile) {
    const Cell cell = files.grid.cell(tile);
    files.names.push_back(cell);
    if (!files.paths[at(tile)].empty()) continue;
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
