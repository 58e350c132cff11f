// SPDX-License-Identifier: BSD-3-Clause
#include "open_tiles.hpp"

#include <fmt/format.h>

#include "deck_choice.hpp"
#include "exchange.hpp"
#include "tessera/domain/counted.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/collectively.hpp"
#include "tile_table.hpp"

namespace stitch {
namespace {

using namespace tessera;
using deck::Deck;

TileRequest request_of(const Deck& deck) {
  const int corner = choice_of<int>(deck, "input.start", corner_names);
  return {.pattern = deck.text_of("input.tiles"),
          .rows = number_of(deck, "input.rows"),
          .columns = number_of(deck, "input.columns"),
          .order = choice_of<Order>(deck, "input.order", order_names),
          .start = {.is_right = corner % 2 == 1, .is_lower = corner / 2 == 1},
          .skip_missing = deck.text_of("missing") == "skip"};
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
    if (setting.session.rank() == 0) found = list_tiles(request);
  });
  found = broadcast_list(communicator, std::move(found));
  TileFiles files;
  collectively(communicator, [&] { files = arrange(request, found); });
  return files;
}

/// Returns the tiles that a table lists, and sets the overlap that follows from it. Collective.
TileFiles tiles_by_table(const app::GraphSetting& setting, double& overlap) {
  const MPI_Comm communicator = setting.session.communicator();
  const std::string path = setting.deck.text_of("input.positions");
  std::vector<char> text;
  Extent extent;
  const auto table = [&] { return read_tile_table(path, std::string(text.begin(), text.end())); };
  collectively(communicator, [&] {
    if (setting.session.rank() != 0) return;
    const std::string read = io::read_text_file(path, "a table of positions");
    text.assign(read.begin(), read.end());
    const std::string first = table().front().path;
    const TileChoice choice = choice_in_files(setting.deck);
    const Box domain = io::inspect_image(first, {.dataset = choice.dataset, .page = choice.page}).domain;
    extent = {static_cast<int>(domain[0].size()), static_cast<int>(domain[1].size())};
  });
  text = broadcast_list(communicator, std::move(text));
  extent = broadcast_list(communicator, std::vector{extent}).front();
  TileFiles files;
  collectively(communicator, [&] {
    files = arrange_table(path, table(), extent, setting.deck.text_of("missing") == "skip");
    overlap = overlap_of(files, table(), extent);
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
  if (is_too_small)
    deck.fail(
        deck.is_set("input.overlap") ? "input.overlap" : "input.positions",
        fmt::format(
            "a share of {:.4g} of tiles of {} x {} leaves no pixel: give the share that neighbours both show",
            tiles.overlap, width, height));
  if (const auto channel = deck.get<std::int64_t>("input.channel"); channel >= reader.channels())
    deck.fail("input.channel", fmt::format("the tiles have {}: give 0 to {}",
                                           counted(reader.channels(), "channel"), reader.channels() - 1));
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
    if (deck.is_set("flat_field.file")) tiles.reader.set_flat_field(deck.text_of("flat_field.file"));
  });
  return tiles;
}

}  // namespace stitch
