// SPDX-License-Identifier: BSD-3-Clause
#include "open_tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>

#include "deck_choice.hpp"
#include "exchange.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/collectively.hpp"
#include "tile_table.hpp"

namespace stitch {
namespace {

using namespace tessera;
using deck::Deck;

/// Whether tiles may be missing.
bool skips(const Deck& deck) { return deck.text_of("missing") == "skip"; }

TileRequest request_of(const Deck& deck) {
  const int corner = choice_of<int>(deck, "input.start", corner_names);
  return {.pattern = deck.text_of("input.tiles"),
          .rows = number_of(deck, "input.rows"),
          .columns = number_of(deck, "input.columns"),
          .order = choice_of<Order>(deck, "input.order", order_names),
          .start = {.is_right = corner % 2 == 1, .is_lower = corner / 2 == 1},
          .skip_missing = skips(deck)};
}

TileChoice choice_in_files(const Deck& deck) {
  return {.dataset = deck.text_of("input.dataset"), .page = number_of(deck, "input.page")};
}

/// Returns the tiles whose names fit a pattern. Collective.
TileFiles tiles_by_name(const app::GraphSetting& setting) {
  const MPI_Comm communicator = setting.session.communicator();
  const TileRequest request = request_of(setting.deck);
  std::vector<TileNumbers> found;
  collectively(communicator, [&] {
    if (!NamePattern(request.pattern).has_index() && setting.deck.is_set("input.order"))
      setting.deck.fail("input.order",
                        "names with {row} and {col} tell where tiles lie: leave it out, or use {index}");
    if (setting.session.rank() == 0) found = list_tiles(request);
  });
  found = broadcast_list(communicator, std::move(found));
  TileFiles files;
  collectively(communicator, [&] { files = arrange(request, found); });
  return files;
}

/// Returns for each tile of a table whether its file is absent. Throws InputError about `path`, the table, if
/// all are, or if one is and none may be.
std::vector<char> absent_files(const std::string& path, const std::vector<NominalTile>& tiles,
                               bool skip_missing) {
  std::vector<char> absent;
  for (const NominalTile& tile : tiles) {
    std::error_code error;
    absent.push_back(std::filesystem::exists(tile.path, error) || error ? 0 : 1);
    if (absent.back() != 0 && !skip_missing)
      throw InputError(fmt::format("{}: there is no file {}: add it, or give missing=skip", path, tile.path));
  }
  if (std::ranges::find(absent, 0) == absent.end())
    throw InputError(fmt::format("{}: there is none of its files, such as {}: correct their paths", path,
                                 tiles.front().path));
  return absent;
}

/// Removes the tiles whose files are absent from the grid.
void remove_absent(TileFiles& files, const std::vector<NominalTile>& tiles, const std::vector<char>& absent) {
  std::set<std::string> paths;
  for (std::size_t i = 0; i < tiles.size(); ++i)
    if (absent[i] != 0) paths.insert(tiles[i].path);
  for (int tile = 0; tile < files.grid.size(); ++tile)
    if (paths.contains(files.paths[at(tile)])) files.grid.remove(tile);
}

/// Returns the tiles that a table lists, and sets the overlap that follows from it. Collective.
TileFiles tiles_by_table(const app::GraphSetting& setting, double& overlap) {
  const MPI_Comm communicator = setting.session.communicator();
  const std::string path = setting.deck.text_of("input.positions");
  std::vector<char> text, absent;
  Extent extent;
  const auto table = [&] { return read_tile_table(path, std::string(text.begin(), text.end())); };
  collectively(communicator, [&] {
    if (setting.session.rank() != 0) return;
    const std::string read = io::read_text_file(path, "a table of positions");
    text.assign(read.begin(), read.end());
    absent = absent_files(path, table(), skips(setting.deck));
    const auto first = std::ranges::find(absent, 0) - absent.begin();
    const TileChoice choice = choice_in_files(setting.deck);
    const Box domain = io::inspect_image(table()[static_cast<std::size_t>(first)].path,
                                         {.dataset = choice.dataset, .page = choice.page})
                           .domain;
    extent = {static_cast<int>(domain[0].size()), static_cast<int>(domain[1].size())};
  });
  text = broadcast_list(communicator, std::move(text));
  absent = broadcast_list(communicator, std::move(absent));
  extent = broadcast_list(communicator, std::vector{extent}).front();
  TileFiles files;
  collectively(communicator, [&] {
    files = arrange_table(path, table(), extent, skips(setting.deck));
    overlap = overlap_of(files, table(), extent);
    remove_absent(files, table(), absent);
  });
  return files;
}

void check_keys(const Deck& deck) {
  if (!deck.is_set("input.positions")) return;
  for (const char* key : {"input.tiles", "input.rows", "input.columns", "input.order", "input.start"})
    if (deck.is_set(key))
      deck.fail(key, "'input.positions' is given, too, and tells the grid: give one of them");
}

void check_tiles(const Deck& deck, const OpenTiles& tiles) {
  const TileReader& reader = tiles.reader;
  const auto [width, height] = reader.extent();
  const bool is_too_small = (reader.grid().columns() > 1 && tiles.overlap * width < 1) ||
                            (reader.grid().rows() > 1 && tiles.overlap * height < 1);
  const bool follows = deck.is_set("input.positions") && !deck.is_set("input.overlap");
  if (is_too_small && !deck.is_set("input.placed"))
    deck.fail(
        follows ? "input.positions" : "input.overlap",
        fmt::format(
            "a share of {:.4g} of tiles of {} x {} leaves no pixel: give the share that neighbours both show",
            tiles.overlap, width, height));
}

/// Returns the place among `numbers` of the channel or the slice that is compared: the one that the deck
/// gives, or else the first one.
int chosen(const Deck& deck, const char* key, const std::vector<std::int64_t>& numbers, const char* what) {
  if (!deck.is_set(key)) return 0;
  const auto found = std::ranges::find(numbers, deck.get<std::int64_t>(key));
  if (found != numbers.end()) return static_cast<int>(found - numbers.begin());
  if (numbers.size() == 1) deck.fail(key, fmt::format("there is only {} {}: leave it out", what, numbers[0]));
  constexpr std::size_t most = 10;
  std::string listed;
  for (std::size_t i = 0; i < std::min(numbers.size(), most); ++i) {
    const char* const joint = i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ";
    listed += fmt::format("{}{}", joint, numbers[i]);
  }
  if (numbers.size() > most) listed += fmt::format(" and others up to {}", numbers.back());
  deck.fail(key, fmt::format("there are {}s {}: give one of them", what, listed));
}

/// Returns the numbers of the channels of a slice: those in the names, or else from 0 on.
std::vector<std::int64_t> numbers_of_channels(const TileReader& reader) {
  if (reader.channels_of_slice() == static_cast<int>(reader.files().channels.size()))
    return reader.files().channels;
  std::vector<std::int64_t> numbers(at(reader.channels_of_slice()));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace

OpenTiles open_tiles(const app::GraphSetting& setting) {
  const Deck& deck = setting.deck;
  const MPI_Comm communicator = setting.session.communicator();
  collectively(communicator, [&] { check_keys(deck); });
  double overlap = 0;
  TileFiles files =
      deck.is_set("input.positions") ? tiles_by_table(setting, overlap) : tiles_by_name(setting);
  if (deck.is_set("input.overlap") || !deck.is_set("input.positions"))
    overlap = deck.get<double>("input.overlap");
  io::ImageInfo info;
  collectively(communicator, [&] {
    if (setting.session.rank() == 0) info = TileReader::inspect(files, choice_in_files(deck));
  });
  OpenTiles tiles{TileReader(std::move(files), io::broadcast(communicator, std::move(info))), overlap};
  collectively(communicator, [&] {
    check_tiles(deck, tiles);
    tiles.reader.set_compared(chosen(deck, "input.channel", numbers_of_channels(tiles.reader), "channel"),
                              chosen(deck, "input.slice", tiles.reader.files().slices, "slice"));
    if (deck.is_set("flat_field.file")) tiles.reader.set_flat_field(deck.text_of("flat_field.file"));
  });
  return tiles;
}

}  // namespace stitch
