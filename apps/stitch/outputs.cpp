// SPDX-License-Identifier: BSD-3-Clause
#include "outputs.hpp"

#include <fmt/format.h>

#include <string_view>

#include "tessera/app/file_names.hpp"
#include "tessera/app/room.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/collectively.hpp"

namespace stitch {
namespace {

using tessera::deck::Deck;
namespace io = tessera::io;

constexpr const char* plate_keys[] = {"output.tiff", "output.ome_tiff", "output.file", "output.png",
                                      "output.raw"};
constexpr const char* table_keys[] = {"output.positions", "output.pairs", "output.json",
                                      "output.translations", "output.picture"};
constexpr const char* read_keys[] = {"input.positions", "input.translations", "input.placed",
                                     "flat_field.file"};

/// Returns the keys of `keys` that the deck has, with their files.
template <std::size_t N>
std::vector<std::pair<std::string, std::string>> files_of(const Deck& deck, const char* const (&keys)[N]) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const char* key : keys)
    if (deck.is_set(key)) files.emplace_back(fmt::format("{}:", key), deck.text_of(key));
  return files;
}

/// Returns the files that are read, but for the decks.
std::vector<std::string> read_files(const Deck& deck, const TileFiles& tiles) {
  std::vector<std::string> files;
  for (const auto& [key, path] : files_of(deck, read_keys)) files.push_back(path);
  for (int tile = 0; tile < tiles.grid.size(); ++tile)
    if (tiles.grid.has(tile)) files.push_back(tiles.paths[at(tile)]);
  return files;
}

/// Returns the files that are written, with their keys: tables, and then plates.
std::vector<std::pair<std::string, std::string>> written_files(const Deck& deck) {
  auto files = files_of(deck, table_keys);
  for (auto& file : files_of(deck, plate_keys)) files.push_back(std::move(file));
  return files;
}

/// Throws InputError if no file is named, if two files are the same, or if tiles are placed already although
/// the deck names tables or translations, which only a comparison of tiles has.
void check_files(const tessera::app::GraphSetting& setting, const TileFiles& tiles) {
  const Deck& deck = setting.deck;
  if (deck.is_set("input.placed")) {
    for (const char* key : table_keys)
      if (deck.is_set(key))
        deck.fail(key, "'input.placed' is given, so that nothing is compared: leave it out");
    if (deck.is_set("input.translations"))
      deck.fail("input.translations", "'input.placed' is given, too: give one of them");
  }
  std::vector<std::string> taken = read_files(deck, tiles);
  taken.insert(taken.end(), setting.deck_files.begin(), setting.deck_files.end());
  const auto files = written_files(deck);
  if (files.empty())
    throw tessera::InputError(
        "nothing to write: give output.positions, output.tiff or another output in the deck or as key=value");
  tessera::app::check_names(taken, files);
}

/// Returns the files of the plate, with their bytes. A plate has `bytes`; what PNG makes of it is not known.
std::vector<tessera::app::ExpectedFile> expected_files(const Deck& deck, std::int64_t bytes) {
  std::vector<tessera::app::ExpectedFile> files;
  for (const std::string_view key : plate_keys) {
    if (!deck.is_set(key)) continue;
    // The levels of the pyramid have a third of the bytes, and are kept beside the file before they are in
    // it.
    const std::int64_t needed = key == "output.png" ? 0 : key == "output.ome_tiff" ? bytes * 5 / 3 : bytes;
    files.push_back({std::string(key), needed});
  }
  return files;
}

}  // namespace

Outputs::Outputs(const tessera::app::GraphSetting& setting, const TileReader& reader,
                 std::int64_t plate_bytes)
    : setting_(setting), tiles_(reader.files()) {
  tessera::collectively(setting.session.communicator(), [&] {
    check_files(setting, tiles_);
    if (setting.session.rank() == 0)
      tessera::app::check_folders(setting.deck, expected_files(setting.deck, plate_bytes));
  });
  // Tests that the files can be written. The sinks of this small plate are destroyed at once.
  const int channels = reader.channels();
  create_sinks(channels > 1 ? tessera::Box{{0, 1}, {0, 1}, {0, channels}} : tessera::Box{{0, 1}, {0, 1}},
               reader.type());
  tessera::collectively(setting.session.communicator(), [&] {
    if (setting.session.rank() == 0)
      tessera::app::check_room(setting.deck, expected_files(setting.deck, plate_bytes));
  });
  create(translations_, "output.translations");
  create(positions_, "output.positions");
  create(pairs_, "output.pairs");
  create(json_, "output.json");
  if (setting.deck.is_set("output.picture"))
    picture_ = io::create_png(setting.session.communicator(), setting.deck.text_of("output.picture"),
                              picture_domain(tiles_.grid), tessera::ElementType::uint8);
}

void Outputs::create(std::optional<io::TextFile>& table, const char* key) const {
  if (setting_.deck.is_set(key)) table.emplace(setting_.session.communicator(), setting_.deck.text_of(key));
}

std::vector<std::string> Outputs::files() const {
  std::vector<std::string> files = read_files(setting_.deck, tiles_);
  for (const auto& [key, path] : written_files(setting_.deck)) files.push_back(path);
  return files;
}

bool Outputs::has_plate() const {
  for (const char* key : plate_keys)
    if (setting_.deck.is_set(key)) return true;
  return false;
}

void Outputs::write_translations(const std::string& csv) {
  if (translations_) translations_->write(csv);
}

void Outputs::write_tables(const TileFiles& tiles, const Results& results) {
  if (positions_) positions_->write(positions_csv(tiles, results.positions));
  if (pairs_) pairs_->write(pairs_csv(tiles, results));
  if (json_) json_->write(results_json(tiles, results));
  if (picture_) write_picture(tiles.grid, results);
}

/// Writes the picture, all of which is the block of rank 0.
void Outputs::write_picture(const Grid& grid, const Results& results) {
  tessera::Box domain = picture_domain(grid);
  std::vector<std::uint8_t> values = picture_of(grid, results);
  tessera::HostBlock block{reinterpret_cast<std::byte*>(values.data()),
                           tessera::ElementType::uint8,
                           domain,
                           {1, domain[0].size(), domain[0].size() * domain[1].size()}};
  if (setting_.session.rank() != 0) block.box[1] = {0, 0};
  picture_->write(block);
}

std::vector<std::unique_ptr<tessera::BlockSink>> Outputs::create_plate(const tessera::Box& domain,
                                                                       tessera::ElementType type) const {
  tessera::collectively(setting_.session.communicator(), [&] {
    const std::int64_t bytes = domain.size() * static_cast<std::int64_t>(tessera::size_of(type));
    if (setting_.session.rank() == 0)
      tessera::app::check_room(setting_.deck, expected_files(setting_.deck, bytes));
  });
  return create_sinks(domain, type);
}

std::vector<std::unique_ptr<tessera::BlockSink>> Outputs::create_sinks(const tessera::Box& domain,
                                                                       tessera::ElementType type) const {
  const Deck& deck = setting_.deck;
  const MPI_Comm communicator = setting_.session.communicator();
  std::vector<std::unique_ptr<tessera::BlockSink>> sinks;
  if (deck.is_set("output.tiff"))
    sinks.push_back(io::create_tiff(communicator, deck.text_of("output.tiff"), domain, type));
  if (deck.is_set("output.ome_tiff"))
    sinks.push_back(io::create_ome_tiff(communicator, deck.text_of("output.ome_tiff"), domain, type));
  if (deck.is_set("output.file"))
    sinks.push_back(io::create_hdf5(communicator, deck.text_of("output.file"), "plate", domain, type));
  if (deck.is_set("output.png"))
    sinks.push_back(io::create_png(communicator, deck.text_of("output.png"), domain, type, setting_.workers));
  if (deck.is_set("output.raw"))
    sinks.push_back(io::create_raw(communicator, deck.text_of("output.raw"), domain, type));
  return sinks;
}

}  // namespace stitch
