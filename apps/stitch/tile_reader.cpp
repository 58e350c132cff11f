// SPDX-License-Identifier: BSD-3-Clause
#include "tile_reader.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <numeric>
#include <optional>

#include "keys.hpp"
#include "tables.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/graph/transfer.hpp"
#include "tessera/io/image_source.hpp"
#include "tessera/io/text_file.hpp"
#include "tessera/view/block_io.hpp"
#include "tessera/view/collectively.hpp"

namespace stitch {
namespace {

using namespace tessera;
using deck::Deck;

std::string described(const io::ImageInfo& info) {
  return fmt::format("{} of {}", to_string(info.domain), name_of(info.type));
}

/// Returns the numbers of an image at the points of a box, as they lie in memory.
std::vector<std::byte> read_numbers(const std::string& path, const io::ImageInfo& info, const Box& box) {
  std::vector<std::byte> numbers(static_cast<std::size_t>(box.size()) * size_of(info.type));
  io::open_image(MPI_COMM_SELF, path, info)->read(packed_block(numbers.data(), info.type, box));
  return numbers;
}

/// Throws InputError if a tile does not have a type or a shape that can be stitched.
void check_kind(const std::string& path, const io::ImageInfo& info, bool has_number_of_channel) {
  const bool is_pixel = info.type == ElementType::uint8 || info.type == ElementType::uint16;
  if (!is_pixel || info.domain.dimensions > 3)
    throw InputError(fmt::format("{}: a tile is an image of uint8 or uint16, not {}", path, described(info)));
  constexpr std::int64_t most = 65535;
  for (const int d : {0, 1})
    if (info.domain[d].size() > most)
      throw InputError(
          fmt::format("{}: a tile has at most {} pixels a side, not {}", path, most, described(info)));
  if (has_number_of_channel && info.domain.dimensions == 3 && info.domain[2].size() > 1)
    throw InputError(fmt::format(
        "{}: this tile has {} channels, but its name has the number of one: leave {{channel}} out of "
        "input.tiles",
        path, info.domain[2].size()));
}

}  // namespace

io::ImageInfo TileReader::inspect(const TileFiles& files, const io::ImageChoice& choice) {
  io::ImageInfo first;
  std::string first_path;
  const std::vector<int> tiles = files.grid.tiles();
  for (std::size_t i = 0; i < at(files.planes()) * tiles.size(); ++i) {
    const std::string path = files.path(tiles[i % tiles.size()], static_cast<int>(i / tiles.size()));
    const io::ImageInfo info = io::inspect_image(path, choice);
    if (first_path.empty()) {
      check_kind(path, info, files.channels.size() > 1);
      first = info;
      first_path = path;
    }
    if (!(info.domain == first.domain) || info.type != first.type || info.format != first.format)
      throw InputError(fmt::format("{}: this tile is {}, but {} is {}: tiles of one plate are alike", path,
                                   described(info), first_path, described(first)));
  }
  return first;
}

void TileReader::set_flat_field(const std::string& path) {
  const io::ImageInfo info = io::inspect_image(path);
  const Box wanted{info_.domain[0], info_.domain[1]};
  if (!(info.domain == wanted))
    throw InputError(
        fmt::format("{}: the flat field is {}, but tiles are {}: it has one value for each pixel", path,
                    to_string(info.domain), to_string(wanted)));
  if (info.type != ElementType::uint8 && info.type != ElementType::uint16 &&
      info.type != ElementType::float32)
    throw InputError(fmt::format("{}: a flat field is an image of uint8, uint16 or float32, not {}", path,
                                 name_of(info.type)));
  const std::vector<std::byte> numbers = read_numbers(path, info, wanted);
  std::vector<double> light;
  for (std::size_t i = 0; i < numbers.size(); i += size_of(info.type))
    light.push_back(number_at(info.type, &numbers[i]));
  double sum = 0;
  for (const double value : light) {
    if (!(std::isfinite(value) && value > 0))
      throw InputError(
          fmt::format("{}: a pixel of the flat field is {}: all must be finite and above 0", path, value));
    sum += value;
  }
  const double mean = sum / static_cast<double>(light.size());
  for (const double value : light) gains_.push_back(static_cast<float>(mean / value));
}

Box TileReader::expected_plate() const {
  const auto side = [&](int tiles, int pixels) {
    return Range{0, static_cast<std::int64_t>((tiles - 1) * (1 - files_.overlap) * pixels) + pixels};
  };
  return {side(grid().columns(), extent().width), side(grid().rows(), extent().height)};
}

void TileReader::read(int tile, Range channels, Range rows, std::span<std::uint16_t> to) const {
  const auto size = static_cast<std::size_t>(rows.size() * info_.domain[0].size());
  // Each turn reads those of the channels that are in one file.
  const int of_file = channels_of_file();
  for (std::int64_t channel = channels.begin; channel < channels.end;) {
    const std::int64_t first = channel % of_file,
                       last = std::min(first + channels.end - channel, std::int64_t(of_file));
    const std::string path = files_.path(tile, static_cast<int>(channel / of_file));
    std::uint16_t* const pixels = to.data() + static_cast<std::size_t>(channel - channels.begin) * size;
    Box box{info_.domain[0], rows};
    if (info_.domain.dimensions == 3) box = {info_.domain[0], rows, {first, last}};
    if (info_.type == ElementType::uint16)
      io::open_image(MPI_COMM_SELF, path, info_)
          ->read(packed_block(reinterpret_cast<std::byte*>(pixels), info_.type, box));
    else
      std::ranges::transform(read_numbers(path, info_, box), pixels,
                             [](std::byte number) { return std::to_integer<std::uint16_t>(number); });
    channel += last - first;
  }
  if (gains_.empty()) return;
  const float largest = info_.type == ElementType::uint8 ? 255.0F : 65535.0F;
  const float* const gain = gains_.data() + rows.begin * info_.domain[0].size();
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<std::uint16_t>(std::min(static_cast<float>(to[i]) * gain[i % size] + 0.5F, largest));
}

namespace {

io::ImageChoice choice_in_files(const Deck& deck) {
  return {.dataset = deck.text_of("input.dataset"), .page = number_of(deck, "input.page")};
}

/// Returns the tiles whose names fit a pattern.
TileFiles tiles_by_name(const Deck& deck) {
  const int corner = choice_of<int>(deck, "input.start", corner_names);
  const TileRequest request{.pattern = deck.text_of("input.tiles"),
                            .rows = number_of(deck, "input.rows"),
                            .columns = number_of(deck, "input.columns"),
                            .order = choice_of<Order>(deck, "input.order", order_names),
                            .start = {.is_right = corner % 2 == 1, .is_lower = corner / 2 == 1},
                            .skip_missing = skips_missing(deck)};
  if (tile_pattern(request.pattern).count(index_field) == 0 && deck.is_set("input.order"))
    deck.fail("input.order", "names with {row} and {col} tell where tiles lie: leave it out, or use {index}");
  return arrange(request, list_tiles(request));
}

/// Returns the tiles that a table lists, without those whose files are absent.
TileFiles tiles_by_table(const Deck& deck) {
  const std::string path = deck.text_of("input.positions");
  const std::vector<NominalTile> tiles =
      read_tile_table(path, io::read_text_file(path, "a table of positions"));
  const auto is_absent = [](const std::string& file) {
    std::error_code error;
    return !std::filesystem::exists(file, error) && !error;
  };
  std::optional<std::string> first;
  for (const NominalTile& tile : tiles) {
    const bool is_there = !is_absent(tile.path);
    if (!is_there && !skips_missing(deck))
      throw InputError(fmt::format("{}: there is no file {}: add it, or give missing=skip", path, tile.path));
    if (is_there && !first) first = tile.path;
  }
  if (!first)
    throw InputError(fmt::format("{}: there is none of its files, such as {}: correct their paths", path,
                                 tiles.front().path));
  const Box domain = io::inspect_image(*first, choice_in_files(deck)).domain;
  TileFiles files = arrange_table(path, tiles, extent_of(domain), skips_missing(deck));
  for (const int tile : files.grid.tiles())
    if (is_absent(files.path(tile))) files.grid.remove(tile);
  return files;
}

/// Throws InputError if the expected overlap is less than a pixel, and tiles must be compared.
void check_overlap(const Deck& deck, const TileReader& reader) {
  const double overlap = reader.files().overlap;
  const auto [width, height] = reader.extent();
  const bool is_too_small = (reader.grid().columns() > 1 && overlap * width < 1) ||
                            (reader.grid().rows() > 1 && overlap * height < 1);
  const bool is_from_table = deck.is_set("input.positions") && !deck.is_set("input.overlap");
  if (!is_too_small || deck.is_set("input.placed")) return;
  deck.fail(
      is_from_table ? "input.positions" : "input.overlap",
      fmt::format("a share of {:.4g} of tiles of {} x {} leaves no pixel: give the share that neighbours "
                  "both show",
                  overlap, width, height));
}

/// Returns the index in `numbers` of the channel or the slice that is compared: the one that the deck
/// gives, or else the first one.
int chosen(const Deck& deck, const char* key, const std::vector<std::int64_t>& numbers, const char* what) {
  if (!deck.is_set(key)) return 0;
  const auto found = std::ranges::find(numbers, deck.get<std::int64_t>(key));
  if (found != numbers.end()) return static_cast<int>(found - numbers.begin());
  if (numbers.size() == 1) deck.fail(key, fmt::format("there is only {} {}: leave it out", what, numbers[0]));
  constexpr std::ptrdiff_t most = 10;
  const bool are_few = std::ssize(numbers) <= most;
  const auto end = numbers.begin() + (are_few ? std::ssize(numbers) - 1 : most);
  deck.fail(key, fmt::format("there are {}s {} and {}{}: give one of them", what,
                             fmt::join(numbers.begin(), end, ", "), are_few ? "" : "others up to ",
                             numbers.back()));
}

/// Returns the numbers of the channels of a slice: those in the names, or else from 0 on.
std::vector<std::int64_t> numbers_of_channels(const TileReader& reader) {
  std::vector<std::int64_t> numbers = reader.files().channels;
  if (reader.channels_of_slice() > std::ssize(numbers)) {
    numbers.resize(at(reader.channels_of_slice()));
    std::iota(numbers.begin(), numbers.end(), 0);
  }
  return numbers;
}

}  // namespace

TileReader open_tiles(const app::JobSetting& setting) {
  const Deck& deck = setting.deck;
  const MPI_Comm communicator = setting.session.communicator();
  TileFiles files;
  io::ImageInfo info;
  collectively(communicator, [&] {
    for (const char* key : {"input.tiles", "input.rows", "input.columns", "input.order", "input.start"})
      if (deck.is_set("input.positions") && deck.is_set(key))
        deck.fail(key, "'input.positions' is given, too, and tells the grid: give one of them");
    if (setting.session.rank() != 0) return;
    files = deck.is_set("input.positions") ? tiles_by_table(deck) : tiles_by_name(deck);
    if (deck.is_set("input.overlap"))
      files.overlap = deck.get<double>("input.overlap");
    else if (!deck.is_set("input.positions"))
      files.overlap = 0.1;
    // An overlap that the deck gives is about right. Any other one may be far off.
    files.most_overlap = deck.is_set("input.overlap") ? std::max(2 * files.overlap, files.overlap + 0.1)
                                                      : std::max(0.75, (1 + files.overlap) / 2);
    info = TileReader::inspect(files, choice_in_files(deck));
  });
  files = graph::broadcast(communicator, files);
  TileReader reader(std::move(files), io::broadcast(communicator, std::move(info)));
  collectively(communicator, [&] {
    check_overlap(deck, reader);
    reader.set_compared(chosen(deck, "input.channel", numbers_of_channels(reader), "channel"),
                        chosen(deck, "input.slice", reader.files().slices, "slice"));
    if (deck.is_set("flat_field.file")) reader.set_flat_field(deck.text_of("flat_field.file"));
  });
  return reader;
}

}  // namespace stitch
