// SPDX-License-Identifier: BSD-3-Clause
#include "outputs.hpp"

#include <fmt/format.h>

#include <string_view>

#include "tessera/app/file_names.hpp"
#include "tessera/app/room.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/host_copy.hpp"

namespace stitch {
namespace {

using tessera::deck::Deck;
namespace io = tessera::io;

constexpr const char* plate_keys[] = {"output.tiff", "output.ome_tiff", "output.file", "output.png",
                                      "output.raw"};
/// The keys of files that have all channels of a pixel together.
constexpr const char* image_keys[] = {"output.tiff", "output.ome_tiff", "output.png"};
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

/// A file of the plate.
struct PlateFile {
  std::string path;
  PlateSink::Planes planes;
};

/// Returns the pattern of the names that the deck has for a key. Throws InputError about the key.
NamePattern pattern_of(const Deck& deck, const char* key) {
  try {
    return NamePattern::of_plates(deck.text_of(key));
  } catch (const tessera::InputError& error) {
    deck.fail(key, error.what());
  }
}

/// Returns the files of the plate that the deck names for a key: several if the name has numbers of slices or
/// of channels.
std::vector<PlateFile> plate_files(const Deck& deck, const char* key, const TileReader& reader) {
  if (!deck.is_set(key)) return {};
  const TileFiles& tiles = reader.files();
  const NamePattern pattern = pattern_of(deck, key);
  const int slices = pattern.has_z() ? reader.slices() : 1;
  const int channels = pattern.has_channel() ? reader.channels_of_slice() : 1;
  const bool has_all_axes = std::string_view(key) == "output.file" && tiles.pattern && tiles.pattern->has_z();
  std::vector<PlateFile> files;
  for (int slice = 0; slice < slices; ++slice)
    for (int channel = 0; channel < channels; ++channel) {
      // Channels that lie in one file have no numbers but their own.
      const bool has_numbers = tiles.channels.size() > 1;
      const TileNumbers numbers{.z = tiles.slices[at(slice)],
                                .channel = has_numbers ? tiles.channels[at(channel)] : channel};
      files.push_back({pattern.path(numbers),
                       {.first_channel = channel,
                        .channels = reader.channels_of_slice() / channels,
                        .first_slice = slice,
                        .slices = reader.slices() / slices,
                        .has_all_axes = has_all_axes}});
    }
  return files;
}

/// Returns the files that are read, but for the decks.
std::vector<std::string> read_files(const Deck& deck, const TileFiles& tiles) {
  std::vector<std::string> files;
  for (const auto& [key, path] : files_of(deck, read_keys)) files.push_back(path);
  for (int plane = 0; plane < tiles.planes(); ++plane)
    for (int tile = 0; tile < tiles.grid.size(); ++tile)
      if (tiles.grid.has(tile)) files.push_back(tiles.path(tile, plane));
  return files;
}

/// Returns the files that are written, with their keys: tables, and then plates.
std::vector<std::pair<std::string, std::string>> written_files(const Deck& deck, const TileReader& reader) {
  auto files = files_of(deck, table_keys);
  for (const char* key : plate_keys)
    for (const PlateFile& file : plate_files(deck, key, reader))
      files.emplace_back(fmt::format("{}:", key), file.path);
  return files;
}

/// Throws InputError if several slices would go to a file whose format has none.
void check_slices(const Deck& deck, const TileReader& reader) {
  for (const char* key : image_keys)
    for (const PlateFile& file : plate_files(deck, key, reader))
      if (file.planes.slices > 1)
        deck.fail(key,
                  fmt::format("there are {} slices, but this file has one: write {{z}} into its name, or "
                              "give output.file",
                              file.planes.slices));
}

/// Throws InputError if no file is named, if two files are the same, or if tiles are placed already although
/// the deck names tables or translations, which only a comparison of tiles has.
void check_files(const tessera::app::GraphSetting& setting, const TileReader& reader) {
  const Deck& deck = setting.deck;
  if (deck.is_set("input.placed")) {
    for (const char* key : table_keys)
      if (deck.is_set(key))
        deck.fail(key, "'input.placed' is given, so that nothing is compared: leave it out");
    if (deck.is_set("input.translations"))
      deck.fail("input.translations", "'input.placed' is given, too: give one of them");
  }
  check_slices(deck, reader);
  std::vector<std::string> taken = read_files(deck, reader.files());
  taken.insert(taken.end(), setting.deck_files.begin(), setting.deck_files.end());
  const auto files = written_files(deck, reader);
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

int channels_together(const Deck& deck, const TileReader& reader) {
  const int all = reader.channels_of_slice();
  if (all > static_cast<int>(reader.files().channels.size())) return all;
  for (const char* key : image_keys)
    for (const PlateFile& file : plate_files(deck, key, reader))
      if (file.planes.channels > 1) return all;
  return 1;
}

Outputs::Outputs(const tessera::app::GraphSetting& setting, const TileReader& reader,
                 std::int64_t plate_bytes)
    : setting_(setting), reader_(reader) {
  tessera::collectively(setting.session.communicator(), [&] {
    check_files(setting, reader);
    if (setting.session.rank() == 0)
      tessera::app::check_folders(setting.deck, expected_files(setting.deck, plate_bytes));
  });
  // Tests that the files can be written, with a plate of one point.
  for (const PlateSink& sink : sinks({0, 1}, {0, 1})) sink.try_out();
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
                              picture_domain(reader.grid()), tessera::ElementType::uint8);
}

void Outputs::create(std::optional<io::TextFile>& table, const char* key) const {
  if (setting_.deck.is_set(key)) table.emplace(setting_.session.communicator(), setting_.deck.text_of(key));
}

std::vector<std::string> Outputs::files() const {
  std::vector<std::string> files = read_files(setting_.deck, reader_.files());
  for (const auto& [key, path] : written_files(setting_.deck, reader_)) files.push_back(path);
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
  const tessera::Box domain = picture_domain(grid);
  std::vector<std::uint8_t> values = picture_of(grid, results);
  tessera::HostBlock block =
      tessera::packed_block(reinterpret_cast<std::byte*>(values.data()), tessera::ElementType::uint8, domain);
  if (setting_.session.rank() != 0) block.box[1] = {0, 0};
  picture_->write(block);
}

std::vector<PlateSink> Outputs::create_plate(const tessera::Box& domain) const {
  tessera::collectively(setting_.session.communicator(), [&] {
    const std::int64_t bytes = domain.size() * static_cast<std::int64_t>(tessera::size_of(reader_.type()));
    if (setting_.session.rank() == 0)
      tessera::app::check_room(setting_.deck, expected_files(setting_.deck, bytes));
  });
  return sinks(domain[0], domain[1]);
}

std::vector<PlateSink> Outputs::sinks(tessera::Range x, tessera::Range y) const {
  std::vector<PlateSink> sinks;
  for (const char* key : plate_keys)
    for (const PlateFile& file : plate_files(setting_.deck, key, reader_))
      sinks.emplace_back([this, key, path = file.path](
                             const tessera::Box& domain) { return create_sink(key, path, domain); },
                         file.planes, reader_.channels_of_slice(), x, y);
  return sinks;
}

std::unique_ptr<tessera::BlockSink> Outputs::create_sink(std::string_view key, const std::string& path,
                                                         const tessera::Box& domain) const {
  const MPI_Comm communicator = setting_.session.communicator();
  const tessera::ElementType type = reader_.type();
  if (key == "output.tiff") return io::create_tiff(communicator, path, domain, type);
  if (key == "output.ome_tiff") return io::create_ome_tiff(communicator, path, domain, type);
  if (key == "output.file") return io::create_hdf5(communicator, path, "plate", domain, type);
  if (key == "output.png") return io::create_png(communicator, path, domain, type, setting_.workers);
  return io::create_raw(communicator, path, domain, type);
}

}  // namespace stitch
