// SPDX-License-Identifier: BSD-3-Clause
#include "composition.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include "tessera/view/block_io.hpp"
#include "tessera/view/collectively.hpp"

namespace stitch {

using tessera::Box, tessera::Range;

/// The rows that one rank has of a band.
struct Composition::Rows {
  /// The number of the first channel, counted through all slices.
  int first_channel = 0;
  /// The rows of the whole band, and the points that this rank composes.
  Range band;
  Box own;
  std::vector<std::byte> values;
  /// The error that kept the rows from being composed, if there was one. The task write throws it on all
  /// ranks.
  std::exception_ptr error;
};

void RowBlender::add(std::int64_t x, int y, std::span<const std::uint16_t> pixels) {
  std::uint64_t* const sums = sums_.data() + x;
  std::uint64_t* const weights = weights_.data() + x;
  const int width = static_cast<int>(pixels.size());
  const int weight_of_row = std::min(y + 1, tile_.height - y);
  for (int i = 0; i < width; ++i) {
    const int weight = blend_ == Blend::linear ? weight_of_row * std::min(i + 1, width - i) : 1;
    // With an overlay, a tile replaces the tiles before it.
    const bool adds = blend_ != Blend::overlay;
    sums[i] = (adds ? sums[i] : 0) + pixels[static_cast<std::size_t>(i)] * static_cast<std::uint64_t>(weight);
    weights[i] = (adds ? weights[i] : 0) + static_cast<std::uint64_t>(weight);
  }
}

template <class T>
void RowBlender::store(T* to) {
  for (std::size_t i = 0; i < sums_.size(); ++i)
    to[i] = weights_[i] == 0 ? T(0) : static_cast<T>((sums_[i] + weights_[i] / 2) / weights_[i]);
  std::ranges::fill(sums_, 0);
  std::ranges::fill(weights_, 0);
}

template void RowBlender::store(std::uint8_t*);
template void RowBlender::store(std::uint16_t*);

void KeptTiles::expect(std::vector<int> uses) {
  uses_of_tiles_ = std::move(uses);
  uses_.clear();
  reads_ = 0;
}

/// Counts a use of a tile, and begins to keep the tile if there is memory and another use is to come. Returns
/// the kept tile, whose pixels may still be empty, or nothing if the tile is not kept.
std::shared_ptr<KeptTiles::Kept> KeptTiles::count_use(int part, int tile) {
  const std::lock_guard lock(mutex_);
  const auto found = uses_.try_emplace({part, tile}, Use{uses_of_tiles_[at(tile)], nullptr}).first;
  Use& use = found->second;
  const bool is_last = --use.left <= 0;
  if (!use.kept && !is_last && bytes_ + bytes_of_tile() <= most_bytes_) {
    bytes_ += bytes_of_tile();
    use.kept.reset(new Kept, [this](const Kept* one) {
      delete one;
      const std::lock_guard lock_of_bytes(mutex_);
      bytes_ -= bytes_of_tile();
    });
  }
  std::shared_ptr<Kept> kept = use.kept;
  if (is_last) uses_.erase(found);
  return kept;
}

TileRows KeptTiles::take(int part, int tile, Range rows) {
  const auto [width, height] = reader_.extent();
  const auto read = [&, width = width](Range some) {
    ++reads_;
    std::vector<std::uint16_t> pixels(static_cast<std::size_t>(some.size() * width * channels_));
    reader_.read(tile, {std::int64_t(part) * channels_, std::int64_t(part + 1) * channels_}, some, pixels);
    return pixels;
  };
  const std::shared_ptr<Kept> kept = count_use(part, tile);
  if (!kept) return {rows, width, std::make_shared<const std::vector<std::uint16_t>>(read(rows))};
  // Other threads that need the same tile wait until it has been read.
  const std::lock_guard lock(kept->mutex);
  if (kept->pixels.empty()) kept->pixels = read({0, height});
  return {{0, height}, width, std::shared_ptr<const std::vector<std::uint16_t>>(kept, &kept->pixels)};
}

Composition::Composition(MPI_Comm communicator, const TileReader& reader, const CompositionOptions& options)
    : communicator_(communicator),
      reader_(reader),
      options_(options),
      ranks_(tessera::ranks_of(communicator)),
      domain_(with_channels(reader.expected_plate())),
      needs_(needs(most_kept())),
      tiles_(reader, options.channels, most_kept()) {
  MPI_Comm_rank(communicator, &rank_);
}

/// Returns how many bytes of decoded tiles are kept at most.
std::int64_t Composition::most_kept() const {
  // Each of several ranks needs only some rows of a tile. Keeping all rows pays only if a read of some rows
  // decodes the others, too.
  if (ranks_ > 1 && !reader_.decodes_from_start()) return 0;
  constexpr std::int64_t most = std::int64_t(256) << 20;
  if (options_.memory == 0) return most;
  const Needs least = needs(0);
  return std::clamp<std::int64_t>(options_.memory - least.bands - least.read - least.workers, 0, most);
}

/// Returns the points of a part of the plate: those of `plane` in each of its channels.
Box Composition::with_channels(Box plane) const {
  if (options_.channels > 1) plane[plane.dimensions++] = {0, options_.channels};
  return plane;
}

/// Returns the rows of the plate on which a tile lies. There are none if the tile is missing.
Range Composition::rows_of_tile(int tile) const {
  const std::int64_t top = positions_[at(tile)].y;
  return {top, top + (reader_.grid().has(tile) ? reader_.extent().height : 0)};
}

/// Returns the most bytes that the graph needs, if tiles have the expected overlap and at most `most_kept`
/// bytes of tiles are kept.
Composition::Needs Composition::needs(std::int64_t most_kept) const {
  const bool is_bytes = reader_.type() == tessera::ElementType::uint8;
  const std::int64_t width = domain_[0].size(), channels = options_.channels, bands = bands_of_part();
  const std::int64_t height = reader_.extent().height, pixels = height * reader_.extent().width;
  const auto step = std::max<std::int64_t>(
      1, static_cast<std::int64_t>((1 - reader_.files().overlap) * static_cast<double>(height)));
  // The bytes of one row of pixels of all tiles in a row of the grid.
  const std::int64_t bytes_of_row = 2 * channels * reader_.extent().width * reader_.grid().columns();
  const std::int64_t composed = std::min(options_.workers, band_count());
  // The number of consecutive bands whose tiles are kept at the same time. One worker composes one band after
  // the other; of several workers, fast ones get ahead of the slowest.
  const std::int64_t open_bands = composed == 1 ? 1 : band_count();
  // The number of parts that these bands belong to.
  const std::int64_t parts = std::min(number_of_parts(), 1 + (open_bands + bands - 2) / bands);
  // The most rows of tiles that lie on `rows` rows of the plate, which belong to `of_parts` parts.
  const auto rows_on = [&](std::int64_t rows, std::int64_t of_parts) {
    return std::min(reader_.grid().rows() * of_parts, (rows + of_parts * (height - 2)) / step + of_parts);
  };
  const std::int64_t kept = rows_on(open_bands * rows_per_rank() * ranks_, parts) * height * bytes_of_row;
  // Tiles that are not kept are read for each band: the rows of the band once, and those of overlaps again.
  const std::int64_t tiles_on_band = rows_on(rows_per_rank(), 1);
  const std::int64_t read =
      std::min(tiles_on_band * height, rows_per_rank() + tiles_on_band * (height - step));
  // A worker has a sum and a weight of 8 bytes each for each point of a row, and a tile of uint8 before it is
  // converted.
  return {.bands = std::min<std::int64_t>(band_count(), bands * number_of_parts()) * rows_per_rank() * width *
                   channels * (is_bytes ? 1 : 2),
          .kept = std::min(kept, most_kept),
          .read = kept <= most_kept ? 0 : composed * read * bytes_of_row,
          .workers = options_.workers * (16 * width + (is_bytes ? pixels * channels : 0))};
}

Box Composition::domain(const std::vector<Position>& positions) const {
  const Extent extent = reader_.extent();
  Position end;
  for (const int tile : reader_.grid().tiles()) {
    const Position& position = positions[at(tile)];
    end = {std::max(end.x, position.x + extent.width), std::max(end.y, position.y + extent.height)};
  }
  return with_channels({{0, end.x}, {0, end.y}});
}

void Composition::set_work(std::vector<Position> positions, std::vector<int> parts, Write write) {
  positions_ = std::move(positions);
  domain_ = domain(positions_);
  parts_ = std::move(parts);
  write_ = std::move(write);
  tiles_.expect(uses_of_tiles());
}

/// Returns the number of rows that each rank has of a band: as many as its share of a band may have bytes,
/// and at most those of a tile.
std::int64_t Composition::rows_per_rank() const {
  constexpr std::int64_t most_band_bytes = std::int64_t(16) << 20;
  const std::int64_t bytes_of_row = domain_[0].size() * options_.channels * 2;
  return std::clamp<std::int64_t>(most_band_bytes / std::max<std::int64_t>(1, bytes_of_row), 1,
                                  reader_.extent().height);
}

/// Returns the rows of the band `number` that `ranks` consecutive ranks, from `rank` on, have together.
Range Composition::rows_of_band(std::int64_t number, int rank, int ranks) const {
  const Range all = domain_[1];
  const std::int64_t height = rows_per_rank(), begin = (number * ranks_ + rank) * height;
  return {std::min(begin, all.end), std::min(begin + height * ranks, all.end)};
}

/// Returns for each tile how many bands need rows of it on this rank.
std::vector<int> Composition::uses_of_tiles() const {
  std::vector<int> uses;
  const std::int64_t height = rows_per_rank() * ranks_;
  for (int tile = 0; tile < reader_.grid().size(); ++tile) {
    const Range rows = rows_of_tile(tile);
    int& count = uses.emplace_back();
    for (std::int64_t band = rows.begin / height; band * height < rows.end; ++band)
      count += intersection(rows_of_band(band, rank_, 1), rows).empty() ? 0 : 1;
  }
  return uses;
}

/// Takes the rows of all tiles that lie on this rank's rows of a band, and blends them row by row.
template <class T>
void Composition::compose_rows(Rows& rows) {
  // The rows of the plate that a tile has in common with this rank's rows, and the tile's pixels there.
  struct Piece {
    Position position;
    Range rows;
    TileRows tile;
  };
  const Range own = rows.own[1];
  std::vector<Piece> pieces;
  for (int tile = 0; tile < reader_.grid().size(); ++tile) {
    const Position position = positions_[at(tile)];
    const Range common = intersection(own, rows_of_tile(tile));
    if (common.empty()) continue;
    pieces.push_back({position, common,
                      tiles_.take(rows.first_channel / options_.channels, tile,
                                  {common.begin - position.y, common.end - position.y})});
  }
  const std::int64_t width = domain_[0].size();
  RowBlender blender(options_.blend, reader_.extent(), width);
  T* to = reinterpret_cast<T*>(rows.values.data());
  for (int channel = 0; channel < options_.channels; ++channel)
    for (std::int64_t y = own.begin; y < own.end; ++y, to += width) {
      for (const Piece& piece : pieces)
        if (piece.rows.contains(y))
          blender.add(piece.position.x, static_cast<int>(y - piece.position.y),
                      piece.tile.row(channel, y - piece.position.y));
      blender.store(to);
    }
}

/// Composes rows. An error is kept for the task write, since other ranks must learn of it.
void Composition::compose(Rows& rows) {
  const bool is_bytes = reader_.type() == tessera::ElementType::uint8;
  try {
    rows.values.resize(static_cast<std::size_t>(rows.own.size()) * (is_bytes ? 1 : 2));
    is_bytes ? compose_rows<std::uint8_t>(rows) : compose_rows<std::uint16_t>(rows);
  } catch (...) {
    rows.error = std::current_exception();
  }
}

/// Writes rows, or throws the error of a rank on all ranks. Collective.
void Composition::write(Rows& rows) const {
  tessera::collectively(communicator_, [&] {
    if (rows.error) std::rethrow_exception(rows.error);
  });
  write_(tessera::packed_block(rows.values.data(), reader_.type(), rows.own), rows.band, rows.first_channel);
}

void Composition::add_tasks(tessera::graph::Graph& graph, tessera::graph::Place write_on) {
  using tessera::graph::Lease, tessera::graph::Place;
  // Each buffer of the pool counts as an equal share of all bytes that the graph needs.
  const std::int64_t bytes_of_band = (bytes() + band_count() - 1) / band_count();
  const tessera::graph::Pool<Rows> pool(graph, "bands", {.count = band_count(), .bytes = bytes_of_band},
                                        [] { return std::make_shared<Rows>(); });
  const auto bands = graph.source(
      "bands", {},
      [this](std::int64_t i, Lease<Rows> rows) -> std::optional<Lease<Rows>> {
        const std::int64_t part = i / bands_of_part(), number = i % bands_of_part();
        if (part == std::ssize(parts_)) return std::nullopt;
        rows->first_channel = parts_[static_cast<std::size_t>(part)] * options_.channels;
        rows->band = rows_of_band(number, 0, ranks_);
        rows->own = domain_;
        rows->own[1] = rows_of_band(number, rank_, 1);
        rows->error = nullptr;
        return rows;
      },
      pool);
  // If the library of the tiles' format is not made for several threads, the thread that writes the plate
  // also reads the tiles.
  const Place read_on = reader_.place() == Place::threads() ? Place::threads() : write_on;
  const auto composed = graph.task(
      "compose", {.on = read_on},
      [this](Lease<Rows> rows) {
        compose(*rows);
        return rows;
      },
      bands);
  graph.sink(
      "write", {.on = write_on, .order = tessera::graph::Order::stamp},
      [this](const Lease<Rows>& rows) { write(*rows); }, composed);
}

tessera::cost::WorkPart work_of_composition(const TileReader& reader, std::int64_t plate_bytes, int ranks) {
  const double share = 1.0 / ranks, plate = static_cast<double>(plate_bytes);
  const double pixels = static_cast<double>(reader.grid().tiles().size()) * reader.channels() *
                        static_cast<double>(reader.extent().pixels());
  const double read = pixels * static_cast<double>(size_of(reader.type()));
  // Rows of tiles are added to sums, which become pixels: each is written and read once.
  return {.name = "composition",
          .read_bytes = read * share,
          .written_bytes = plate * share,
          .memory_bytes = 2 * (read + plate) * share,
          .operations = 2 * pixels * share};
}

}  // namespace stitch
