// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "picture.hpp"
#include "plate_sink.hpp"
#include "tables.hpp"
#include "tessera/app/graph_application.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/block_io.hpp"
#include "tile_reader.hpp"

namespace stitch {

/// Returns the number of channels that are composed together: one, or all of a slice where they lie in one
/// file of a tile, or in an image file of the plate, which has whole rows of pixels.
int channels_together(const tessera::deck::Deck& deck, const TileReader& reader);

/// The files that the deck names for what a run finds. All functions are collective.
class Outputs {
 public:
  /// Creates the tables, and tests that the files of the plate can be written, so that one that cannot be is
  /// noticed at once. `reader` must outlive this object. Throws InputError if the deck names no file at all,
  /// one file twice, or one that is read, if a format does not take as many channels as the tiles have, or if
  /// a file system has no room for its files of a plate of some `plate_bytes`.
  Outputs(const tessera::app::GraphSetting& setting, const TileReader& reader, std::int64_t plate_bytes);

  /// Returns the paths of all files that the deck names and of all tiles, but not those of the decks.
  std::vector<std::string> files() const;
  /// Whether the deck names a file for the plate.
  bool has_plate() const;
  void write_translations(const std::string& csv);
  void write_tables(const TileFiles& tiles, const Results& results);
  /// Returns the sinks of the plate, whose points are `domain`. Throws InputError if there is no room for
  /// their files.
  std::vector<PlateSink> create_plate(const tessera::Box& domain) const;

 private:
  void create(std::optional<tessera::io::TextFile>& table, const char* key) const;

  std::vector<PlateSink> sinks(tessera::Range x, tessera::Range y) const;
  std::unique_ptr<tessera::BlockSink> create_sink(std::string_view key, const std::string& path,
                                                  const tessera::Box& domain) const;
  void write_picture(const Grid& grid, const Results& results);

  const tessera::app::GraphSetting& setting_;
  const TileReader& reader_;
  std::optional<tessera::io::TextFile> translations_, positions_, pairs_, json_;
  std::unique_ptr<tessera::BlockSink> picture_;
};

}  // namespace stitch
