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

/// Returns a picture of the grid, x first, then y, then red, green and blue. Each tile is a square of 12 x 12
/// points: grey, blue if it lies where the model puts it, or black if it is missing. Between two neighbours
/// lies a bar, 6 points thick: green if their translation was measured, yellow if it was searched, and red if
/// it is the step of the model. Green and yellow bars are brighter if the tiles correlate better.
std::vector<std::uint8_t> picture_of(const Grid& grid, const Results& results);

/// The files that a run writes, as the deck names them. The constructor and all functions that write are
/// collective.
class Outputs {
 public:
  /// Creates the tables, and tests that the files of the plate can be written. `reader` must outlive this
  /// object. Throws InputError if the deck names no file, names a file twice, or names one that is also read;
  /// if a format cannot hold as many channels as the tiles have; or if there is no room for a plate of about
  /// `plate_bytes` bytes.
  Outputs(const tessera::app::JobSetting& setting, const TileReader& reader, std::int64_t plate_bytes);
  ~Outputs();

  /// Returns the paths of all files that the deck names and of all tiles, but not those of the decks.
  std::vector<std::string> files() const;
  /// Returns the paths of all files that are written.
  std::vector<std::string> written_paths() const;
  /// The ledger of plates and translations, which lies beside the first file that is written.
  const tessera::app::Ledger& ledger() const { return *ledger_; }
  /// The number of files of the plate that an earlier run has completed, as the ledger says. They are not
  /// written again.
  int whole_plates() const;
  /// Returns whether there are files of the plate that must be written.
  bool has_plate() const { return !parts().empty(); }
  /// Returns the numbers of the parts that the files to be written have. A part is the channels that are
  /// composed together.
  std::vector<int> parts() const;
  /// Returns the number of channels that are composed together: one, or all channels of a slice. It is all of
  /// them if a file of a tile has several channels, or if an image file of the plate has several, because
  /// such a file is written in rows of whole pixels.
  int channels_together() const;
  /// Writes a text to the file that the deck names for a key; does nothing if the deck names none.
  void write_table(const std::string& key, const std::string& text);
  /// Writes the tables of all results and the picture.
  void write_tables(const Results& results);
  /// Prepares the files for a plate with the columns `x` and the rows `y`. Throws InputError if there is no
  /// room. Collective.
  void begin_plate(tessera::Range x, tessera::Range y);
  /// Writes rows of the channels from `first` on to the files that they belong to (see Composition::Write).
  /// Files are created before their first rows and closed after their last ones.
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
  /// The digest of the states of all files that plates are made from. Only rank 0 has it.
  std::uint64_t made_from_ = 0;
  std::map<std::string, tessera::io::TextFile> tables_;
  std::unique_ptr<tessera::BlockSink> picture_;
};

}  // namespace stitch
