// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tables.hpp"
#include "tessera/app/job_application.hpp"
#include "tessera/app/ledger.hpp"
#include "tessera/domain/box.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/block_io.hpp"
#include "tile_reader.hpp"

// The files that a run writes.
namespace stitch {

/// Returns all points of the picture of a grid: (x, y, colour).
tessera::Box picture_domain(const Grid& grid);

/// Returns a picture of the grid, x first, then y, then red, green and blue. Each tile is a grey square of 12
/// x 12 points, which is black if it is missing, and blue if it lies where the model puts it. Between two
/// tiles lies a bar of 6 points: green if their translation was measured, yellow if it was searched, the
/// brighter the better they correlate, and red if it is that of the model.
std::vector<std::uint8_t> picture_of(const Grid& grid, const Results& results);

/// The files that the deck names for what a run finds. The constructor and all functions that write are
/// collective.
class Outputs {
 public:
  /// Creates the tables, and tests that the files of the plate can be written. `reader` must outlive this
  /// object. Throws InputError if the deck names no file, one twice, or one that is read, if a format does
  /// not take as many channels as the tiles have, or if there is no room for a plate of some `plate_bytes`.
  Outputs(const tessera::app::JobSetting& setting, const TileReader& reader, std::int64_t plate_bytes);
  ~Outputs();

  /// Returns the paths of all files that the deck names and of all tiles, but not those of the decks.
  std::vector<std::string> files() const;
  /// Returns the paths of all files that are written.
  std::vector<std::string> written_paths() const;
  /// The ledger of plates and translations, which lies beside the first of these files.
  const tessera::app::Ledger& ledger() const { return *ledger_; }
  /// The number of files of the plate that an earlier run has written, by the ledger: they are left out.
  int whole_plates() const;
  /// Returns whether there are other files of the plate, which are written.
  bool has_plate() const { return !parts().empty(); }
  /// Returns the numbers of those parts, of channels that are composed together, which are in these files.
  std::vector<int> parts() const;
  /// Returns the number of channels that are composed together: one, or all of a slice where they lie in one
  /// file of a tile, or in an image file of the plate, which has whole rows of pixels.
  int channels_together() const;
  /// Writes a text to the file that the deck names for a key, if it does.
  void write_table(const std::string& key, const std::string& text);
  /// Writes the tables of all results and the picture.
  void write_tables(const Results& results);
  /// Says that a plate with these points will be written. Throws InputError if there is no room. Collective.
  void begin_plate(tessera::Range x, tessera::Range y);
  /// Writes rows of some channels of a slice to the files that they belong to (see Composition::Write). Files
  /// are created before their first rows and closed after their last ones.
  void write_plate(const tessera::HostBlock& rows, tessera::Range band, int first);

 private:
  struct PlateFile;
  void add_plates(const char* key);
  void check_files() const;
  void find_whole_plates();
  std::string key_of(const PlateFile& file) const;
  std::vector<tessera::app::ExpectedFile> expected_files(std::int64_t bytes) const;
  tessera::Range channels_in(const PlateFile& file, int first, int count) const;
  std::vector<std::pair<std::string, std::string>> written_files() const;
  void check_room(std::int64_t plate_bytes) const;
  std::unique_ptr<tessera::BlockSink> create_sink(const PlateFile& file, const tessera::Box& domain) const;

  const tessera::app::JobSetting& setting_;
  const TileReader& reader_;
  std::vector<PlateFile> plates_;
  std::optional<tessera::app::Ledger> ledger_;
  /// The digest of what all plates are made from. Only rank 0 has it.
  std::uint64_t made_from_ = 0;
  std::map<std::string, tessera::io::TextFile> tables_;
  std::unique_ptr<tessera::BlockSink> picture_;
};

}  // namespace stitch
