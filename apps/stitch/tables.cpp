// SPDX-License-Identifier: BSD-3-Clause
#include "tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

#include "tessera/domain/error.hpp"
#include "tessera/domain/json.hpp"

namespace stitch {
namespace {

using tessera::InputError, tessera::Json;

/// For each line of a file, its number and its fields.
using Lines = std::vector<std::pair<std::size_t, std::vector<std::string_view>>>;

/// A table as CSV. The first line of the file is `header`, and messages about a faulty file end with
/// `advice`.
struct CsvTable {
  std::string path, header, advice;

  Lines lines(std::string_view text) const;
  /// Throws InputError about a line of the file.
  [[noreturn]] void refuse(std::size_t number, const std::string& why) const {
    throw InputError(fmt::format("{}:{}: {}: {}", path, number, why, advice));
  }
  /// Throws InputError unless `open` is empty. It has the names of the lines that the table lacks, and `what`
  /// says what they are.
  template <class T>
  void check_lack(const std::map<std::string, T>& open, const std::string& what) const {
    if (!open.empty())
      throw InputError(fmt::format("{}: it lacks {} {}, such as {}: {}", path, open.size(), what,
                                   open.begin()->first, advice));
  }
};

/// Returns the lines of `text` below the header, whose fields refer to `text`. Lines end with LF or CR LF,
/// and empty lines at the end do not count. If a line has more fields than the header, further commas belong
/// to its first field, such as to the name of a file. The list of fields is empty if a line has fewer.
Lines CsvTable::lines(std::string_view text) const {
  const auto count = std::ranges::count(header, ',') + 1;
  Lines lines;
  text = text.substr(0, text.find_last_not_of("\r\n") + 1);
  for (std::size_t number = 1; number == 1 || !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (number == 1 && line != header) refuse(1, fmt::format("the first line is not {}", header));
    if (number == 1) continue;
    const bool is_complete = std::ranges::count(line, ',') + 1 >= count;
    std::vector<std::string_view> fields(is_complete ? static_cast<std::size_t>(count) : 0);
    for (std::size_t i = fields.size(); i-- > 0;) {
      const std::size_t comma = i == 0 ? std::string_view::npos : line.rfind(',');
      fields[i] = line.substr(comma + 1);
      line = line.substr(0, comma);
    }
    lines.emplace_back(number, std::move(fields));
  }
  return lines;
}

/// Reads one number from each field into `values`, from the field `i` on. Returns false if a whole field is
/// not a number.
template <class... T>
bool parse_numbers(const std::vector<std::string_view>& fields, std::size_t i, T&... values) {
  const auto parse = [](std::string_view text, auto& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  };
  return (parse(fields[i++], values) && ...);
}

/// The least gap between two rows or columns of tiles, as a share of a tile. As input.overlap is at most
/// 0.95, they are 0.05 apart or more; half of that remains where tiles do not lie exactly in line.
constexpr double least_gap = 0.025;

/// Returns the distance from a tile to the nearest one, as a share of a tile: the distance that three
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
  const std::size_t quartile = (3 * (nearest.size() - 1) + 3) / 4;
  std::ranges::nth_element(nearest, nearest.begin() + static_cast<std::ptrdiff_t>(quartile));
  return nearest[quartile];
}

/// Returns the distance of neighbouring lines of tiles, which are rows or columns: the median of those `gaps`
/// that are not much wider than the smallest one, as lines may be missing in the wider gaps. If even the
/// median is wider than a tile of the size `side`, lines are missing in all gaps, and the distance is `share`
/// of a tile.
double step_of(std::vector<double> gaps, double side, double share) {
  const double most = 1.5 * std::ranges::min(gaps);
  std::erase_if(gaps, [&](double gap) { return gap > most; });
  std::ranges::sort(gaps);
  const double step = gaps[(gaps.size() - 1) / 2];
  return step > side ? share * side : step;
}

/// Returns for each of `values`, the coordinates of tiles along x or y, the number of its line of tiles, from
/// 0. A line begins after a gap of half of the expected step, which is `share` of the size `side` of a tile.
/// Lines without any tile are counted.
std::vector<std::int64_t> lines_of(const std::vector<double>& values, double side, double share) {
  struct Line {
    double first, sum = 0, count = 0;
    std::int64_t number = 0;
  };
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  const double gap = std::max(share / 2, least_gap) * side;
  std::vector<Line> lines;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || sorted[i] - sorted[i - 1] >= gap) lines.push_back({sorted[i]});
    lines.back().sum += sorted[i];
    ++lines.back().count;
  }
  std::vector<double> gaps;
  for (std::size_t i = 1; i < lines.size(); ++i)
    gaps.push_back(lines[i].sum / lines[i].count - lines[i - 1].sum / lines[i - 1].count);
  const double step = gaps.empty() ? side : step_of(gaps, side, share);
  for (std::size_t i = 1; i < lines.size(); ++i)
    lines[i].number = lines[i - 1].number + std::max<std::int64_t>(1, std::llround(gaps[i - 1] / step));
  std::vector<std::int64_t> numbers;
  for (const double value : values)
    numbers.push_back(std::prev(std::ranges::upper_bound(lines, value, {}, &Line::first))->number);
  return numbers;
}

constexpr const char* translations_header = "row,col,neighbour,x,y,correlation,evidence,peak";

/// Returns where the first tile of a pair lies, as seen from the second one.
const char* neighbour(const Pair& pair) { return pair.direction == Direction::right ? "left" : "above"; }

/// Returns what tables call a tile.
std::string name_of(Cell cell) { return fmt::format("{},{}", cell.row, cell.column); }

/// Returns what tables call a pair.
std::string name_of(const TileFiles& tiles, const Pair& pair) {
  return fmt::format("{},{}", name_of(tiles.names[at(pair.second)]), neighbour(pair));
}

std::string_view name_of(Origin origin) { return origin_names[static_cast<std::size_t>(origin)]; }

std::string text_of(double correlation) {
  return correlation == no_correlation ? "" : fmt::format("{}", correlation);
}

Json json_of(double correlation) { return correlation == no_correlation ? Json() : Json(correlation); }

Json json_of(const StageStep& step) {
  const auto& [shift, repeatability, measured] = step;
  return Json::Object{{"x", shift.x}, {"y", shift.y}, {"repeatability", repeatability}, {"pairs", measured}};
}

}  // namespace

std::vector<NominalTile> read_tile_table(const std::string& path, const std::string& text) {
  const CsvTable table{path, "file,x,y", "correct it"};
  std::vector<NominalTile> tiles;
  for (const auto& [number, fields] : table.lines(text)) {
    NominalTile tile;
    if (fields.empty() || fields[0].empty() || !parse_numbers(fields, 1, tile.x, tile.y) ||
        !(std::abs(tile.x) < 1e9 && std::abs(tile.y) < 1e9))
      table.refuse(number, "this line must have a file and two numbers, file,x,y");
    tile.path = (std::filesystem::path(path).parent_path() / fields[0]).string();
    tiles.push_back(tile);
  }
  if (tiles.empty()) table.refuse(2, "there are no tiles");
  return tiles;
}

TileFiles arrange_table(const std::string& path, const std::vector<NominalTile>& tiles, Extent extent,
                        bool skip_missing) {
  const double share = share_to_nearest(tiles, extent);
  std::vector<double> x, y;
  for (const NominalTile& tile : tiles) {
    x.push_back(tile.x);
    y.push_back(tile.y);
  }
  const auto columns = lines_of(x, extent.width, share), rows = lines_of(y, extent.height, share);
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
  const auto overlap = [](const std::vector<double>& places, std::int64_t lines, int side) {
    const auto [least, greatest] = std::ranges::minmax(places);
    return lines > 1 ? 1 - (greatest - least) / static_cast<double>(lines - 1) / side : 0.95;
  };
  files.overlap =
      std::clamp(std::min(overlap(x, width, extent.width), overlap(y, height, extent.height)), 0.0, 0.95);
  return files;
}

std::string positions_csv(const TileFiles& tiles, const std::vector<Position>& positions) {
  std::string text = "row,col,x,y\n";
  for (const int tile : tiles.grid.tiles())
    text += fmt::format("{},{},{}\n", name_of(tiles.names[at(tile)]), positions[at(tile)].x,
                        positions[at(tile)].y);
  return text;
}

std::vector<Position> read_positions(const std::string& path, const std::string& text, const TileFiles& tiles,
                                     bool ignore_others) {
  std::map<std::string, int> numbers;
  for (const int tile : tiles.grid.tiles()) numbers[name_of(tiles.names[at(tile)])] = tile;
  std::map<std::string, int> open = numbers;
  const CsvTable table{path, "row,col,x,y", "write the file anew with output.positions"};
  std::vector<Position> positions(at(tiles.grid.size()));
  for (const auto& [number, fields] : table.lines(text)) {
    constexpr tessera::Range possible{0, std::int64_t(1) << 30};
    Position one;
    Cell cell;
    if (fields.empty() || !parse_numbers(fields, 0, cell.row, cell.column, one.x, one.y) ||
        !possible.contains(one.x) || !possible.contains(one.y))
      table.refuse(number, "this is no position");
    if (ignore_others && !numbers.contains(name_of(cell))) continue;
    const auto found = open.find(name_of(cell));
    if (found == open.end()) table.refuse(number, "there is no such tile, or it is listed twice");
    positions[at(found->second)] = one;
    open.erase(found);
  }
  table.check_lack(open, "tiles");
  return positions;
}

std::string translations_csv(const TileFiles& tiles, const Pairs& pairs,
                             const std::vector<Translation>& translations) {
  std::string text = fmt::format("{}\n", translations_header);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Translation& one = translations[i];
    text += fmt::format("{},{},{},{},{},{}\n", name_of(tiles, pairs[i]), one.shift.x, one.shift.y,
                        text_of(one.correlation), one.evidence, one.peak);
  }
  return text;
}

std::vector<Translation> read_translations(const std::string& path, const std::string& text,
                                           const TileFiles& tiles, const Pairs& pairs, Extent extent) {
  std::map<std::string, std::size_t> open;
  for (std::size_t i = 0; i < pairs.size(); ++i) open[name_of(tiles, pairs[i])] = i;
  std::vector<Translation> translations(pairs.size());
  const CsvTable table{path, translations_header, "write the file anew with output.translations"};
  for (const auto& [number, fields] : table.lines(text)) {
    Translation one;
    if (fields.empty() || !parse_numbers(fields, 3, one.shift.x, one.shift.y) ||
        !(fields[5].empty() || parse_numbers(fields, 5, one.correlation)) ||
        !parse_numbers(fields, 6, one.evidence, one.peak) || !std::isfinite(one.correlation) ||
        !std::isfinite(one.evidence) || !std::isfinite(one.peak))
      table.refuse(number, "this is no translation");
    if (std::abs(std::int64_t(one.shift.x)) >= extent.width ||
        std::abs(std::int64_t(one.shift.y)) >= extent.height)
      table.refuse(number, fmt::format("tiles of {} x {} at this distance show nothing in common",
                                       extent.width, extent.height));
    const auto found = open.find(fmt::format("{},{},{}", fields[0], fields[1], fields[2]));
    if (found == open.end()) table.refuse(number, "the tiles have no such pair, or it is listed twice");
    translations[found->second] = one;
    open.erase(found);
  }
  table.check_lack(open, fmt::format("of {} pairs", pairs.size()));
  return translations;
}

std::string pairs_csv(const TileFiles& tiles, const Results& results) {
  std::string text =
      "row,col,neighbour,x,y,correlation,origin,measured_x,measured_y,measured_correlation,evidence,peak\n";
  auto measured = results.measured.begin();
  for (const auto& [final, origin, pair] : results.placements) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", name_of(tiles, pair), final.shift.x, final.shift.y,
                        text_of(final.correlation), name_of(origin), measured->shift.x, measured->shift.y,
                        text_of(measured->correlation), measured->evidence, measured->peak);
    ++measured;
  }
  return text;
}

std::string results_json(const TileFiles& tiles, const Results& results) {
  Json::List all_tiles, all_pairs;
  for (const int tile : tiles.grid.tiles()) {
    const bool is_found = std::ranges::find(results.by_model, tile) == results.by_model.end();
    all_tiles.push_back(Json::Object{{"row", tiles.names[at(tile)].row},
                                     {"col", tiles.names[at(tile)].column},
                                     {"file", tiles.path(tile)},
                                     {"x", results.positions[at(tile)].x},
                                     {"y", results.positions[at(tile)].y},
                                     {"placed_by", is_found ? "pairs" : "model"}});
  }
  for (const auto& [final, origin, pair] : results.placements)
    all_pairs.push_back(Json::Object{{"row", tiles.names[at(pair.second)].row},
                                     {"col", tiles.names[at(pair.second)].column},
                                     {"neighbour", neighbour(pair)},
                                     {"x", final.shift.x},
                                     {"y", final.shift.y},
                                     {"correlation", json_of(final.correlation)},
                                     {"peak", results.measured[all_pairs.size()].peak},
                                     {"origin", std::string(name_of(origin))}});
  const Json json = Json::Object{{"rows", tiles.grid.rows()},
                                 {"columns", tiles.grid.columns()},
                                 {"model", Json::Object{{"right", json_of(results.model.right)},
                                                        {"below", json_of(results.model.below)}}},
                                 {"tiles", std::move(all_tiles)},
                                 {"pairs", std::move(all_pairs)}};
  return tessera::to_text(json, 1) + "\n";
}

}  // namespace stitch
