// SPDX-License-Identifier: BSD-3-Clause
#include "tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "csv.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/domain/json.hpp"

namespace stitch {
namespace {

using tessera::InputError, tessera::Json;

constexpr const char* translations_header = "row,col,neighbour,x,y,correlation,evidence,peak";

const char* neighbour(const Pair& pair) { return pair.direction == Direction::right ? "left" : "above"; }

/// Returns the row and the column of a tile, by which tables name it.
std::string name_of(Cell cell) { return fmt::format("{},{}", cell.row, cell.column); }

/// Returns the row, the column and the neighbour of a pair, by which tables name it.
std::string name_of(const TileFiles& tiles, const Pair& pair) {
  return fmt::format("{},{}", name_of(tiles.names[at(pair.second)]), neighbour(pair));
}

/// Returns a correlation for tables, which is empty where there is none.
std::string text_of(double correlation) {
  return correlation == no_correlation ? "" : fmt::format("{}", correlation);
}

Json json_of(double correlation) { return correlation == no_correlation ? Json() : Json(correlation); }

Json json_of(const StageStep& step) {
  return Json::Object{{"x", step.step.x},
                      {"y", step.step.y},
                      {"repeatability", step.repeatability},
                      {"pairs", step.measured}};
}

}  // namespace

std::string positions_csv(const TileFiles& tiles, const std::vector<Position>& positions) {
  std::string text = "row,col,x,y\n";
  for (int tile = 0; tile < tiles.grid.size(); ++tile)
    if (tiles.grid.has(tile))
      text += fmt::format("{},{},{}\n", name_of(tiles.names[at(tile)]), positions[at(tile)].x,
                          positions[at(tile)].y);
  return text;
}

std::vector<Position> read_positions(const std::string& path, const std::string& text, const TileFiles& tiles,
                                     bool ignore_others) {
  std::map<std::string, int> numbers;
  for (int tile = 0; tile < tiles.grid.size(); ++tile)
    if (tiles.grid.has(tile)) numbers[name_of(tiles.names[at(tile)])] = tile;
  const CsvTable table{path, "row,col,x,y", "write the file anew with output.positions"};
  std::vector<Position> positions(at(tiles.grid.size()));
  std::vector<std::uint8_t> is_listed(positions.size());
  std::size_t listed = 0;
  for (const auto& [number, fields] : table.lines(text)) {
    constexpr std::int64_t most = std::int64_t(1) << 30;
    Position one;
    Cell cell;
    const bool is_good = fields.size() == 4 && parse_number(fields[0], cell.row) &&
                         parse_number(fields[1], cell.column) && parse_number(fields[2], one.x) &&
                         parse_number(fields[3], one.y) && one.x >= 0 && one.y >= 0 && one.x < most &&
                         one.y < most;
    if (!is_good) table.refuse(number, "this is no position");
    const auto found = numbers.find(name_of(cell));
    if (found == numbers.end() && ignore_others) continue;
    if (found == numbers.end() || is_listed[at(found->second)] != 0)
      table.refuse(number, "there is no such tile, or it is listed twice");
    positions[at(found->second)] = one;
    is_listed[at(found->second)] = 1;
    ++listed;
  }
  if (listed < numbers.size()) {
    const auto first =
        std::ranges::find_if(numbers, [&](const auto& one) { return is_listed[at(one.second)] == 0; });
    throw InputError(
        fmt::format("{}: it lacks {} tiles, such as {}: write the file anew with output.positions", path,
                    numbers.size() - listed, first->first));
  }
  return positions;
}

std::string translations_csv(const TileFiles& tiles, const std::vector<Pair>& pairs,
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
                                           const TileFiles& tiles, const std::vector<Pair>& pairs,
                                           Extent extent) {
  std::map<std::string, std::size_t> open;
  for (std::size_t i = 0; i < pairs.size(); ++i) open[name_of(tiles, pairs[i])] = i;
  std::vector<Translation> translations(pairs.size());
  const CsvTable table{path, translations_header, "write the file anew with output.translations"};
  for (const auto& [number, fields] : table.lines(text)) {
    Translation one;
    const bool is_good =
        fields.size() == 8 && parse_number(fields[3], one.shift.x) && parse_number(fields[4], one.shift.y) &&
        (fields[5].empty() || parse_number(fields[5], one.correlation)) &&
        parse_number(fields[6], one.evidence) && parse_number(fields[7], one.peak) &&
        std::isfinite(one.correlation) && std::isfinite(one.evidence) && std::isfinite(one.peak);
    if (!is_good) table.refuse(number, "this is no translation");
    if (one.shift.x <= -extent.width || one.shift.x >= extent.width || one.shift.y <= -extent.height ||
        one.shift.y >= extent.height)
      table.refuse(number, fmt::format("tiles of {} x {} that lie so far apart show nothing in common",
                                       extent.width, extent.height));
    const auto found = open.find(fmt::format("{},{},{}", fields[0], fields[1], fields[2]));
    if (found == open.end()) table.refuse(number, "the tiles have no such pair, or it is listed twice");
    translations[found->second] = one;
    open.erase(found);
  }
  if (!open.empty())
    throw InputError(
        fmt::format("{}: it lacks {} of {} pairs, such as {}: write the file anew with output.translations",
                    path, open.size(), pairs.size(), open.begin()->first));
  return translations;
}

std::string pairs_csv(const TileFiles& tiles, const Results& results) {
  std::string text =
      "row,col,neighbour,x,y,correlation,origin,measured_x,measured_y,measured_correlation,evidence,peak\n";
  for (std::size_t i = 0; i < results.pairs.size(); ++i) {
    const Placement& final = results.placements[i];
    const Translation& measured = results.measured[i];
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", name_of(tiles, results.pairs[i]),
                        final.translation.shift.x, final.translation.shift.y,
                        text_of(final.translation.correlation),
                        origin_names[static_cast<std::size_t>(final.origin)], measured.shift.x,
                        measured.shift.y, text_of(measured.correlation), measured.evidence, measured.peak);
  }
  return text;
}

std::string results_json(const TileFiles& tiles, const Results& results) {
  Json::List all_tiles, all_pairs;
  for (int tile = 0; tile < tiles.grid.size(); ++tile)
    if (tiles.grid.has(tile)) {
      const bool is_found = std::ranges::find(results.by_model, tile) == results.by_model.end();
      all_tiles.push_back(Json::Object{{"row", tiles.names[at(tile)].row},
                                       {"col", tiles.names[at(tile)].column},
                                       {"file", tiles.path(tile)},
                                       {"x", results.positions[at(tile)].x},
                                       {"y", results.positions[at(tile)].y},
                                       {"placed_by", is_found ? "pairs" : "model"}});
    }
  for (std::size_t i = 0; i < results.pairs.size(); ++i) {
    const Placement& final = results.placements[i];
    const Cell cell = tiles.names[at(results.pairs[i].second)];
    all_pairs.push_back(
        Json::Object{{"row", cell.row},
                     {"col", cell.column},
                     {"neighbour", neighbour(results.pairs[i])},
                     {"x", final.translation.shift.x},
                     {"y", final.translation.shift.y},
                     {"correlation", json_of(final.translation.correlation)},
                     {"peak", results.measured[i].peak},
                     {"origin", std::string(origin_names[static_cast<std::size_t>(final.origin)])}});
  }
  const Json json = Json::Object{{"rows", tiles.grid.rows()},
                                 {"columns", tiles.grid.columns()},
                                 {"model", Json::Object{{"right", json_of(results.model.right)},
                                                        {"below", json_of(results.model.below)}}},
                                 {"tiles", std::move(all_tiles)},
                                 {"pairs", std::move(all_pairs)}};
  return tessera::to_text(json, 1) + "\n";
}

}  // namespace stitch
