// SPDX-License-Identifier: BSD-3-Clause
#include "tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <tuple>

#include "tessera/domain/error.hpp"
#include "tessera/domain/json.hpp"

namespace stitch {
namespace {

using tessera::InputError, tessera::Json;

constexpr std::string_view translations_header = "row,col,neighbour,x,y,correlation,evidence,peak";

const char* neighbour(const Pair& pair) { return pair.direction == Direction::right ? "left" : "above"; }

/// Returns the row, the column and the neighbour of a pair, by which tables name it.
std::string name_of(const TileFiles& tiles, const Pair& pair) {
  const Cell cell = tiles.names[at(pair.second)];
  return fmt::format("{},{},{}", cell.row, cell.column, neighbour(pair));
}

/// Returns a correlation for tables, which is empty where there is none.
std::string text_of(double correlation) {
  return correlation == no_correlation ? "" : fmt::format("{}", correlation);
}

template <class T>
bool parse(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
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
      text += fmt::format("{},{},{},{}\n", tiles.names[at(tile)].row, tiles.names[at(tile)].column,
                          positions[at(tile)].x, positions[at(tile)].y);
  return text;
}

std::vector<Position> read_positions(const std::string& path, const std::string& text,
                                     const TileFiles& tiles) {
  const auto refuse = [&](std::size_t number, const char* why) {
    throw InputError(fmt::format("{}:{}: {}: write the file anew with output.positions", path, number, why));
  };
  std::map<std::string, int> open;
  for (int tile = 0; tile < tiles.grid.size(); ++tile)
    if (tiles.grid.has(tile))
      open[fmt::format("{},{}", tiles.names[at(tile)].row, tiles.names[at(tile)].column)] = tile;
  std::vector<Position> positions(at(tiles.grid.size()));
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != "row,col,x,y") refuse(1, "the first line is not row,col,x,y");
  for (std::size_t number = 2; std::getline(lines, line); ++number) {
    constexpr std::int64_t most = std::int64_t(1) << 30;
    const auto fields = fields_of(line);
    Position one;
    const bool is_good = fields.size() == 4 && parse(fields[2], one.x) && parse(fields[3], one.y) &&
                         one.x >= 0 && one.y >= 0 && one.x < most && one.y < most;
    if (!is_good) refuse(number, "this is no position");
    const auto found = open.find(fmt::format("{},{}", fields[0], fields[1]));
    if (found == open.end()) refuse(number, "there is no such tile, or it is listed twice");
    positions[at(found->second)] = one;
    open.erase(found);
  }
  if (!open.empty())
    throw InputError(
        fmt::format("{}: it lacks {} tiles, such as {}: write the file anew with output.positions", path,
                    open.size(), open.begin()->first));
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
                                           const TileFiles& tiles, const std::vector<Pair>& pairs) {
  std::map<std::string, std::size_t> open;
  for (std::size_t i = 0; i < pairs.size(); ++i) open[name_of(tiles, pairs[i])] = i;
  std::vector<Translation> translations(pairs.size());
  std::istringstream lines(text);
  std::string line;
  const auto refuse = [&](std::size_t number, const std::string& why) {
    throw InputError(
        fmt::format("{}:{}: {}: write the file anew with output.translations", path, number, why));
  };
  if (!std::getline(lines, line) || line != translations_header)
    refuse(1, fmt::format("the first line is not {}", translations_header));
  for (std::size_t number = 2; std::getline(lines, line); ++number) {
    const auto fields = fields_of(line);
    Translation one;
    const bool is_good = fields.size() == 8 && parse(fields[3], one.shift.x) &&
                         parse(fields[4], one.shift.y) &&
                         (fields[5].empty() || parse(fields[5], one.correlation)) &&
                         parse(fields[6], one.evidence) && parse(fields[7], one.peak);
    if (!is_good) refuse(number, "this is no translation");
    const auto found = open.find(fmt::format("{},{},{}", fields[0], fields[1], fields[2]));
    if (found == open.end()) refuse(number, "the tiles have no such pair, or it is listed twice");
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
                                       {"file", tiles.paths[at(tile)]},
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
