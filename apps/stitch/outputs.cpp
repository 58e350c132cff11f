// SPDX-License-Identifier: BSD-3-Clause
#include "outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "tessera/app/file_patterns.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/graph/transfer.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/block_io.hpp"
#include "tessera/view/collectively.hpp"

namespace stitch {
namespace {

using namespace tessera;
using deck::Deck;

constexpr const char* plate_keys[] = {"output.tiff", "output.ome_tiff", "output.file", "output.png",
                                      "output.raw"};
constexpr const char* table_keys[] = {"output.positions", "output.pairs", "output.json",
                                      "output.translations", "output.picture"};
constexpr const char* read_keys[] = {"input.positions", "input.translations", "input.placed",
                                     "flat_field.file"};

/// Returns whether the files of a key have all channels of a pixel together, as all but HDF5 and raw files
/// do.
bool is_image(const std::string& key) { return key != "output.file" && key != "output.raw"; }

/// Returns the files that are read, except the decks.
std::vector<std::string> read_files(const Deck& deck, const TileFiles& tiles) {
  std::vector<std::string> files;
  for (const char* key : read_keys)
    if (deck.is_set(key)) files.push_back(deck.text_of(key));
  for (int plane = 0; plane < tiles.planes(); ++plane)
    for (const int tile : tiles.grid.tiles()) files.push_back(tiles.path(tile, plane));
  return files;
}

/// The points of the picture along a tile, between two tiles, and from one tile to the next.
constexpr int side = 12, gap = 6, pitch = side + gap;

using Colour = std::array<std::uint8_t, 3>;

/// Returns the colour of the bar of a pair.
Colour colour_of(const Placement& placement) {
  const double bright = 0.25 + 0.75 * std::clamp(placement.translation.correlation, 0.0, 1.0);
  const auto level = static_cast<std::uint8_t>(255 * bright + 0.5);
  if (placement.origin == Origin::model) return {255, 0, 0};
  return {placement.origin == Origin::searched ? level : std::uint8_t(0), level, 0};
}

}  // namespace

Box picture_domain(const Grid& grid) {
  return {
      {0, std::int64_t(grid.columns()) * pitch + gap}, {0, std::int64_t(grid.rows()) * pitch + gap}, {0, 3}};
}

std::vector<std::uint8_t> picture_of(const Grid& grid, const Results& results) {
  const Box domain = picture_domain(grid);
  std::vector<std::uint8_t> picture(static_cast<std::size_t>(domain.size()));
  const auto corner = [](int place) { return gap + place * pitch; };
  const auto fill = [&](int left, int top, int width, int height, Colour colour) {
    for (std::int64_t plane = 0; plane < 3; ++plane)
      for (int y = top; y < top + height; ++y)
        std::fill_n(picture.begin() + (plane * domain[1].size() + y) * domain[0].size() + left, width,
                    colour[static_cast<std::size_t>(plane)]);
  };
  for (const int tile : grid.tiles()) {
    const bool is_by_model = std::ranges::find(results.by_model, tile) != results.by_model.end();
    fill(corner(grid.cell(tile).column), corner(grid.cell(tile).row), side, side,
         is_by_model ? Colour{64, 96, 255} : Colour{160, 160, 160});
  }
  for (const Placement& one : results.placements) {
    const Cell cell = grid.cell(one.pair.second);
    const int left = corner(cell.column), top = corner(cell.row);
    if (one.pair.direction == Direction::right)
      fill(left - gap, top + side / 4, gap, side / 2, colour_of(one));
    else
      fill(left + side / 4, top - gap, side / 2, gap, colour_of(one));
  }
  return picture;
}

/// A file of the plate, with all or some of the plate's channels and slices.
struct Outputs::PlateFile {
  std::string key, path;
  Range channels, slices;
  /// True when the file has axes for channels and slices even if there is only one.
  bool has_all_axes = false;
  /// True when an earlier run has written the file.
  bool is_whole = false;
  /// All points of the file, the number of points that are left to write, and the sink until all are written.
  Box domain = {};
  std::int64_t left = 0;
  std::unique_ptr<BlockSink> sink = {};

  /// Returns points of the file: x, y, and then channels and slices if it has axes for them. Channels and
  /// slices are counted from the first ones of the file.
  Box box(Range x, Range y, Range of_channels, Range of_slices) const {
    Box box{x, y};
    if (channels.size() > 1 || has_all_axes) box[box.dimensions++] = of_channels;
    if (slices.size() > 1 || has_all_axes) box[box.dimensions++] = of_slices;
    return box;
  }
  Box all(Range x, Range y) const { return box(x, y, {0, channels.size()}, {0, slices.size()}); }
};

Outputs::Outputs(const app::JobSetting& setting, const TileReader& reader, std::int64_t plate_bytes)
    : setting_(setting), reader_(reader) {
  const MPI_Comm communicator = setting.session.communicator();
  collectively(communicator, [&] {
    for (const char* key : plate_keys)
      if (setting.deck.is_set(key)) add_plates(key);
    check_files();
    if (setting.session.rank() == 0) app::check_folders(setting.deck, expected_files(plate_bytes));
  });
  find_whole_plates();
  // Tests that the files can be written, with a plate of one point.
  for (const PlateFile& file : plates_) create_sink(file, file.all({0, 1}, {0, 1}));
  check_room(plate_bytes);
  for (const char* key : {"output.translations", "output.positions", "output.pairs", "output.json"})
    if (setting.deck.is_set(key)) tables_.try_emplace(key, communicator, setting.deck.text_of(key));
  if (setting.deck.is_set("output.picture"))
    picture_ = io::create_image(communicator, io::ImageFormat::png, setting.deck.text_of("output.picture"),
                                picture_domain(reader.grid()), ElementType::uint8);
}

Outputs::~Outputs() = default;

/// Adds the files of the plate for a key: several if the name has {z} or {channel}.
void Outputs::add_plates(const char* key) {
  constexpr std::string_view fields[] = {"z", "channel"};
  const TileFiles& tiles = reader_.files();
  const app::NamePattern pattern(setting_.deck, key, fields);
  const std::string path = setting_.deck.text_of(key), folder = path.substr(0, path.rfind('/') + 1);
  if (folder.find('{') != std::string::npos)
    setting_.deck.fail(
        key, fmt::format("the folder {} has a placeholder: write it into the name of the file only", folder));
  const int all_slices = reader_.slices(), all_channels = reader_.channels_of_slice();
  // The numbers of slices and channels in each of the files.
  const int slices = pattern.count(0) > 0 ? 1 : all_slices;
  const int channels = pattern.count(1) > 0 ? 1 : all_channels;
  if (slices > 1 && is_image(key))
    setting_.deck.fail(key, fmt::format("there are {} slices, but this file has one: write {{z}} into its "
                                        "name, or give output.file",
                                        slices));
  for (int slice = 0; slice < all_slices; slice += slices)
    for (int channel = 0; channel < all_channels; channel += channels) {
      // The channels within one file of a tile are counted from 0, as no name has their numbers.
      const auto number = tiles.channels.size() > 1 ? tiles.channels[at(channel)] : channel;
      plates_.push_back(
          {.key = key,
           .path = pattern.name({std::to_string(tiles.slices[at(slice)]), std::to_string(number)}),
           .channels = {channel, channel + channels},
           .slices = {slice, slice + slices},
           .has_all_axes = std::string_view(key) == "output.file" && tiles.pattern.count(z_field) > 0});
    }
}

/// Throws InputError if the deck names no file to write, if two files are the same, or if the deck names
/// files about the comparison of tiles although these are placed already.
void Outputs::check_files() const {
  const Deck& deck = setting_.deck;
  if (deck.is_set("input.placed")) {
    for (const char* key : table_keys)
      if (deck.is_set(key)) deck.fail(key, "'input.placed' is given, so nothing is compared: leave this out");
    if (deck.is_set("input.translations"))
      deck.fail("input.translations", "'input.placed' is given, too: give one of them");
  }
  std::vector<std::string> taken = read_files(deck, reader_.files());
  taken.insert(taken.end(), setting_.deck_files.begin(), setting_.deck_files.end());
  const auto files = written_files();
  if (files.empty())
    throw InputError(
        "nothing to write: give output.positions, output.tiff or another output in the deck or as key=value");
  app::check_names(taken, files);
}

/// Makes the ledger, and finds out which plates are whole. Collective.
void Outputs::find_whole_plates() {
  const std::filesystem::path first = written_paths().front();
  std::vector<std::string> shared;
  for (const char* key : read_keys)
    if (setting_.deck.is_set(key)) shared.push_back(setting_.deck.text_of(key));
  ledger_.emplace((first.parent_path() / fmt::format(".{}.ledger", first.filename().string())).string(),
                  setting_.deck, shared);
  if (plates_.empty()) return;
  std::vector<std::uint8_t> is_whole;
  if (setting_.session.rank() == 0) {
    // The plate depends on all files that are read, as positions follow from them, too.
    made_from_ = io::text_digest(app::Ledger::state_of(read_files(setting_.deck, reader_.files())));
    const auto items = ledger_->items();
    for (const PlateFile& file : plates_) is_whole.push_back(items.contains(key_of(file)) ? 1 : 0);
  }
  is_whole = graph::broadcast(setting_.session.communicator(), is_whole);
  for (std::size_t i = 0; i < plates_.size(); ++i) plates_[i].is_whole = is_whole[i] != 0;
}

/// Returns the key of a plate in the ledger.
std::string Outputs::key_of(const PlateFile& file) const {
  return fmt::format("{:016x} {}", made_from_, app::Ledger::state_of({file.path}));
}

int Outputs::whole_plates() const {
  return static_cast<int>(std::ranges::count(plates_, true, &PlateFile::is_whole));
}

/// Returns those of `count` channels from `first` on that a file has. `first` is counted through all slices,
/// and the result within a slice. It is empty if the file is whole.
Range Outputs::channels_in(const PlateFile& file, int first, int count) const {
  const int all = reader_.channels_of_slice(), channel = first % all;
  if (file.is_whole || !file.slices.contains(first / all)) return {0, 0};
  return intersection(Range{channel, channel + count}, file.channels);
}

std::vector<int> Outputs::parts() const {
  const int count = channels_together();
  std::vector<int> parts;
  for (int part = 0; part < reader_.channels() / count; ++part)
    if (std::ranges::any_of(
            plates_, [&](const PlateFile& file) { return !channels_in(file, part * count, count).empty(); }))
      parts.push_back(part);
  return parts;
}

/// Returns the files that are written, with their keys: tables, and then plates.
std::vector<std::pair<std::string, std::string>> Outputs::written_files() const {
  std::vector<std::pair<std::string, std::string>> files;
  for (const char* key : table_keys)
    if (setting_.deck.is_set(key)) files.emplace_back(fmt::format("{}:", key), setting_.deck.text_of(key));
  for (const PlateFile& file : plates_) files.emplace_back(file.key + ":", file.path);
  return files;
}

std::vector<std::string> Outputs::written_paths() const {
  std::vector<std::string> paths;
  for (const auto& [key, path] : written_files()) paths.push_back(path);
  return paths;
}

/// Returns the keys of plates, with the bytes that are written to their files. The whole plate has `bytes`
/// bytes. PNG files count as 0, as their sizes are not known.
std::vector<app::ExpectedFile> Outputs::expected_files(std::int64_t bytes) const {
  std::vector<app::ExpectedFile> files;
  for (const std::string_view key : plate_keys) {
    if (!setting_.deck.is_set(key)) continue;
    std::int64_t channels = 0;
    for (const PlateFile& file : plates_)
      if (file.key == key && !file.is_whole) channels += file.channels.size() * file.slices.size();
    const std::int64_t written = bytes / reader_.channels() * channels;
    // The levels of the pyramid have a third of the bytes, and need them twice: beside the file first, and
    // then in it.
    const std::int64_t needed = key == "output.png"        ? 0
                                : key == "output.ome_tiff" ? written * 5 / 3
                                                           : written;
    files.push_back({std::string(key), needed});
  }
  return files;
}

void Outputs::check_room(std::int64_t plate_bytes) const {
  collectively(setting_.session.communicator(), [&] {
    if (setting_.session.rank() == 0) app::check_room(setting_.deck, expected_files(plate_bytes));
  });
}

std::unique_ptr<BlockSink> Outputs::create_sink(const PlateFile& file, const Box& domain) const {
  const MPI_Comm communicator = setting_.session.communicator();
  const ElementType type = reader_.type();
  if (file.key == "output.file") return io::create_hdf5(communicator, file.path, "plate", domain, type);
  // A format's `output` is the key without "output.".
  const auto row = std::ranges::find(io::formats(), file.key.substr(sizeof "output"), &io::Format::output);
  const io::ImageFormat format = row == io::formats().end() ? io::ImageFormat::ome_tiff : row->id;
  return io::create_image(communicator, format, file.path, domain, type, setting_.threads);
}

std::vector<std::string> Outputs::files() const {
  std::vector<std::string> files = read_files(setting_.deck, reader_.files());
  for (const std::string& path : written_paths()) files.push_back(path);
  return files;
}

int Outputs::channels_together() const {
  const int all = reader_.channels_of_slice();
  const bool has_image = std::ranges::any_of(
      plates_, [](const PlateFile& file) { return is_image(file.key) && file.channels.size() > 1; });
  return has_image || all > static_cast<int>(reader_.files().channels.size()) ? all : 1;
}

void Outputs::write_table(const std::string& key, const std::string& text) {
  if (const auto found = tables_.find(key); found != tables_.end()) found->second.write(text);
}

void Outputs::write_tables(const Results& results) {
  const TileFiles& tiles = reader_.files();
  write_table("output.positions", positions_csv(tiles, results.positions));
  write_table("output.pairs", pairs_csv(tiles, results));
  write_table("output.json", results_json(tiles, results));
  if (!picture_) return;
  std::vector<std::uint8_t> values = picture_of(tiles.grid, results);
  HostBlock block = packed_block(reinterpret_cast<std::byte*>(values.data()), ElementType::uint8,
                                 picture_domain(tiles.grid));
  if (setting_.session.rank() != 0) block.box[1] = {0, 0};
  picture_->write(block);
}

void Outputs::begin_plate(Range x, Range y) {
  check_room(x.size() * y.size() * reader_.channels() * static_cast<std::int64_t>(size_of(reader_.type())));
  for (PlateFile& file : plates_) {
    file.domain = file.all(x, y);
    file.left = file.domain.size();
  }
}

void Outputs::write_plate(const HostBlock& rows, Range band, int first) {
  const int all_channels = reader_.channels_of_slice();
  const std::int64_t channel = first % all_channels, slice = first / all_channels;
  const int count = rows.box.dimensions == 3 ? static_cast<int>(rows.box[2].size()) : 1;
  const Range x = rows.box[0], y = rows.box[1];
  for (PlateFile& file : plates_) {
    const Range common = channels_in(file, first, count);
    if (common.empty()) continue;
    const Range channels{common.begin - file.channels.begin, common.end - file.channels.begin};
    const Range slices{slice - file.slices.begin, slice - file.slices.begin + 1};
    HostBlock own = packed_block(rows.data, rows.type, file.box(x, y, channels, slices));
    own.data +=
        (common.begin - channel) * x.size() * y.size() * static_cast<std::int64_t>(size_of(rows.type));
    if (!file.sink) file.sink = create_sink(file, file.domain);
    const Box part = file.box(x, band, channels, slices);
    file.sink->write_part(own, part);
    file.left -= part.size();
    if (file.left > 0) continue;
    file.sink.reset();
    if (setting_.session.rank() == 0) ledger_->add(key_of(file));
  }
}

}  // namespace stitch
