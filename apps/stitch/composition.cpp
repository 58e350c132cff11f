// SPDX-License-Identifier: BSD-3-Clause
#include "composition.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>

#include "tessera/view/collectively.hpp"
#include "tessera/view/host_copy.hpp"

namespace stitch {

using tessera::Box, tessera::HostBlock, tessera::Range;

/// The rows that one rank has of a band.
struct Composition::Rows {
  /// The number of the first channel, counted through all slices.
  int first_channel = 0;
  /// All points of the band, and those of this rank.
  Box band, own;
  std::vector<std::byte> values;
  /// Why the rows could not be composed. The task that writes tells all ranks.
  std::exception_ptr error;
};

RowBlender::RowBlender(Blend blend, Extent tile, std::int64_t width)
    : blend_(blend), tile_(tile), sums_(static_cast<std::size_t>(width)), weights_(sums_.size()) {}

void RowBlender::begin() {
  std::ranges::fill(sums_, 0);
  std::ranges::fill(weights_, 0);
}

void RowBlender::add(std::int64_t x, int y, std::span<const std::uint16_t> pixels) {
  std::uint64_t* const sums = sums_.data() + x;
  std::uint64_t* const weights = weights_.data() + x;
  const int width = static_cast<int>(pixels.size());
  const auto weight_of_row = static_cast<std::uint64_t>(std::min(y + 1, tile_.height - y));
  for (int i = 0; i < width; ++i) {
    const std::uint64_t pixel = pixels[static_cast<std::size_t>(i)];
    if (blend_ == Blend::overlay) {
      sums[i] = pixel;
      weights[i] = 1;
    } else {
      const std::uint64_t weight =
          blend_ == Blend::average ? 1
                                   : weight_of_row * static_cast<std::uint64_t>(std::min(i + 1, width - i));
      sums[i] += pixel * weight;
      weights[i] += weight;
    }
  }
}

template <class T>
void RowBlender::store(T* to) const {
  for (std::size_t i = 0; i < sums_.size(); ++i)
    to[i] = weights_[i] == 0 ? T(0) : static_cast<T>((sums_[i] + weights_[i] / 2) / weights_[i]);
}

template void RowBlender::store(std::uint8_t*) const;
template void RowBlender::store(std::uint16_t*) const;

Composition::Composition(MPI_Comm communicator, const TileReader& reader, const CompositionOptions& options)
    : communicator_(communicator),
      reader_(reader),
      options_(options),
      tiles_(reader, options.channels, 0),
      ranks_(tessera::ranks_of(communicator)) {
  MPI_Comm_rank(communicator, &rank_);
  positions_ = expected_positions(options.overlap);
  domain_ = domain(positions_, options_.channels);
  // Each rank has only some of the rows of a tile, so that keeping all of them pays on one rank, or if they
  // are decoded in any case.
  std::int64_t most = ranks_ > 1 && !reader.decodes_from_start() ? 0 : most_kept_bytes;
  const Needs least = needs(0);
  if (options.memory > 0)
    most = std::clamp<std::int64_t>(options.memory - least.bands - least.read - least.workers, 0, most);
  tiles_.set_most_bytes(most);
  needs_ = needs(most);
}

/// Returns where the tiles lie if each shows the share `overlap` of the one before it.
std::vector<Position> Composition::expected_positions(double overlap) const {
  const auto place = [&](int number, int side) {
    return static_cast<std::int64_t>(number * (1 - overlap) * side);
  };
  std::vector<Position> positions;
  for (int tile = 0; tile < reader_.grid().size(); ++tile) {
    const Cell cell = reader_.grid().cell(tile);
    positions.push_back(
        {place(cell.column, reader_.extent().width), place(cell.row, reader_.extent().height)});
  }
  return positions;
}

std::int64_t Composition::bands_of_part() const {
  const std::int64_t height = rows_of_band() * ranks_;
  return (domain_[1].size() + height - 1) / height;
}

/// Returns the bytes of tiles while each band is the oldest one that is composed, for as many parts as may be
/// under way together.
Composition::Loads Composition::loads() const {
  const Extent extent = reader_.extent();
  const std::int64_t bytes_of_row = std::int64_t(extent.width) * options_.channels * 2;
  const std::int64_t height = rows_of_band() * ranks_, bands = bands_of_part();
  const std::int64_t composed = std::min(options_.workers, band_count());
  // Bands that one worker composes come one after the other. Else a fast one gets ahead of the slowest.
  const std::int64_t kept_for = composed == 1 ? 1 : band_count();
  const std::int64_t parts = std::min<std::int64_t>(number_of_parts(), 1 + (kept_for + bands - 1) / bands);
  const std::vector<std::int64_t> none(static_cast<std::size_t>(parts * bands));
  Loads loads{none, none, none};
  const auto add = [&](auto& to, std::int64_t first, std::int64_t last, std::int64_t bytes) {
    for (std::int64_t part = 0; part < parts; ++part)
      for (std::int64_t band = std::max<std::int64_t>(0, part * bands + first); band <= part * bands + last;
           ++band)
        to[static_cast<std::size_t>(band)] += bytes;
  };
  const std::vector<int> uses = uses_of_tiles();
  for (int tile = 0; tile < reader_.grid().size(); ++tile) {
    if (uses[at(tile)] == 0) continue;
    const Range rows{positions_[at(tile)].y, positions_[at(tile)].y + extent.height};
    std::optional<Range> used;
    for (std::int64_t band = rows.begin / height; band <= (rows.end - 1) / height; ++band) {
      const std::int64_t common = intersection(rows_of_band(band, rank_, 1), rows).size();
      if (common == 0) continue;
      used = {used ? used->begin : band, band};
      add(loads.rows, band - composed + 1, band, common * bytes_of_row);
      if (uses[at(tile)] == 1) add(loads.single_rows, band - composed + 1, band, common * bytes_of_row);
    }
    if (uses[at(tile)] > 1)
      add(loads.tiles, used->begin - kept_for + 1, used->end, bytes_of_row * extent.height);
  }
  return loads;
}

/// Returns what the graph needs at most for the present positions, if decoded tiles that are kept may have so
/// many bytes.
Composition::Needs Composition::needs(std::int64_t most_kept) const {
  const bool is_bytes = reader_.type() == tessera::ElementType::uint8;
  const std::int64_t width = domain_[0].size(), channels = options_.channels;
  const auto pixels = static_cast<std::int64_t>(reader_.extent().pixels());
  // A worker has the sums and the weights of a row, and a tile of bytes as it is read.
  Needs needs{.bands = std::min<std::int64_t>(band_count(), bands_of_part() * number_of_parts()) *
                       rows_of_band() * width * channels * (is_bytes ? 1 : 2),
              .workers = options_.workers * (16 * width + (is_bytes ? pixels * channels : 0))};
  const Loads loads = this->loads();
  for (std::size_t band = 0; band < loads.tiles.size(); ++band) {
    const std::int64_t kept = std::min(loads.tiles[band], most_kept);
    // The rows of tiles for which there is no memory are read for each band.
    const double left = static_cast<double>(loads.tiles[band] - kept) /
                        static_cast<double>(std::max<std::int64_t>(1, loads.tiles[band]));
    const auto others = static_cast<double>(loads.rows[band] - loads.single_rows[band]);
    const std::int64_t read = loads.single_rows[band] + static_cast<std::int64_t>(left * others);
    if (kept + read <= needs.kept + needs.read) continue;
    needs.kept = kept;
    needs.read = read;
  }
  return needs;
}

Box Composition::domain(const std::vector<Position>& positions, int channels) const {
  const Extent extent = reader_.extent();
  Position end;
  for (int tile = 0; tile < reader_.grid().size(); ++tile) {
    if (!reader_.grid().has(tile)) continue;
    const Position& position = positions[static_cast<std::size_t>(tile)];
    end = {std::max(end.x, position.x + extent.width), std::max(end.y, position.y + extent.height)};
  }
  Box domain{{0, end.x}, {0, end.y}};
  if (channels > 1) domain = {{0, end.x}, {0, end.y}, {0, channels}};
  return domain;
}

void Composition::set_work(std::vector<Position> positions, std::span<PlateSink> sinks) {
  positions_ = std::move(positions);
  domain_ = domain(positions_, options_.channels);
  sinks_ = sinks;
  tiles_.expect(uses_of_tiles());
}

/// Returns the number of rows of a rank in a band: as many as the bytes of a band allow, and at most those of
/// a tile.
std::int64_t Composition::rows_of_band() const {
  const std::int64_t bytes_of_row = domain_[0].size() * options_.channels * 2;
  return std::clamp<std::int64_t>(most_band_bytes / std::max<std::int64_t>(1, bytes_of_row), 1,
                                  reader_.extent().height);
}

/// Returns the rows that some ranks have together of a band: `rank` and those after it, `ranks` in all.
Range Composition::rows_of_band(std::int64_t number, int rank, int ranks) const {
  const Range all = domain_[1];
  const std::int64_t height = rows_of_band(), begin = (number * ranks_ + rank) * height;
  return {std::min(begin, all.end), std::min(begin + height * ranks, all.end)};
}

/// Returns of how many bands of this rank each tile has rows.
std::vector<int> Composition::uses_of_tiles() const {
  const std::int64_t height = rows_of_band() * ranks_;
  std::vector<int> uses(at(reader_.grid().size()));
  for (int tile = 0; tile < reader_.grid().size(); ++tile) {
    if (!reader_.grid().has(tile)) continue;
    const std::int64_t top = positions_[at(tile)].y;
    const Range rows{top, top + reader_.extent().height};
    for (std::int64_t band = rows.begin / height; band <= (rows.end - 1) / height; ++band)
      if (!intersection(rows_of_band(band, rank_, 1), rows).empty()) ++uses[at(tile)];
  }
  return uses;
}

template <class T>
void Composition::compose_rows(Rows& rows) {
  struct Piece {
    Position position;
    Range rows;
    TileRows tile;
  };
  const Extent extent = reader_.extent();
  const Range own = rows.own[1];
  std::vector<Piece> pieces;
  for (int tile = 0; tile < reader_.grid().size(); ++tile) {
    if (!reader_.grid().has(tile)) continue;
    const Position position = positions_[at(tile)];
    const Range common = intersection(own, {position.y, position.y + extent.height});
    if (common.empty()) continue;
    pieces.push_back({position, common,
                      tiles_.take(rows.first_channel / options_.channels, tile,
                                  {common.begin - position.y, common.end - position.y})});
  }
  const std::int64_t width = domain_[0].size();
  RowBlender blender(options_.blend, extent, width);
  T* to = reinterpret_cast<T*>(rows.values.data());
  for (int channel = 0; channel < options_.channels; ++channel)
    for (std::int64_t y = own.begin; y < own.end; ++y, to += width) {
      blender.begin();
      for (const Piece& piece : pieces)
        if (piece.rows.contains(y))
          blender.add(piece.position.x, static_cast<int>(y - piece.position.y),
                      piece.tile.row(channel, y - piece.position.y));
      blender.store(to);
    }
}

void Composition::compose(Rows& rows) {
  const bool is_bytes = reader_.type() == tessera::ElementType::uint8;
  try {
    rows.values.resize(static_cast<std::size_t>(rows.own.size()) * (is_bytes ? 1 : 2));
    is_bytes ? compose_rows<std::uint8_t>(rows) : compose_rows<std::uint16_t>(rows);
  } catch (...) {
    rows.error = std::current_exception();
  }
}

void Composition::write(Rows& rows) const {
  tessera::collectively(communicator_, [&] {
    if (rows.error) std::rethrow_exception(rows.error);
  });
  const HostBlock block = tessera::packed_block(rows.values.data(), reader_.type(), rows.own);
  for (PlateSink& sink : sinks_) sink.write(block, rows.band[1], rows.first_channel);
}

void Composition::add_tasks(tessera::graph::Graph& graph, tessera::graph::Place write_on) {
  using tessera::graph::Lease, tessera::graph::Place;
  // Each of the buffers counts for its share of all that the graph needs.
  const std::int64_t bytes_of_band = (bytes() + band_count() - 1) / band_count();
  const tessera::graph::Pool<Rows> pool(graph, "bands", {.count = band_count(), .bytes = bytes_of_band},
                                        [] { return std::make_shared<Rows>(); });
  const auto bands = graph.source(
      "bands", {},
      [this](std::int64_t i, Lease<Rows> rows) -> std::optional<Lease<Rows>> {
        const std::int64_t part = i / bands_of_part(), number = i % bands_of_part();
        if (part == number_of_parts()) return std::nullopt;
        const Range band = rows_of_band(number, 0, ranks_);
        rows->first_channel = static_cast<int>(part) * options_.channels;
        rows->band = rows->own = domain_;
        rows->band[1] = band;
        rows->own[1] = rows_of_band(number, rank_, 1);
        rows->error = nullptr;
        return rows;
      },
      pool);
  // A library that is not made for several threads reads tiles on the thread that writes the plate, too.
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

}  // namespace stitch
