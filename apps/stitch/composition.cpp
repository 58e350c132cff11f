// SPDX-License-Identifier: BSD-3-Clause
#include "composition.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>

#include "tessera/view/collectively.hpp"

namespace stitch {

using tessera::Box, tessera::HostBlock, tessera::Range;

/// The rows that one rank has of a band.
struct Composition::Rows {
  /// All points of the band, and those of this rank.
  Box band, own;
  std::vector<std::byte> values;
  /// Why the rows could not be composed. The task that writes tells all ranks.
  std::exception_ptr error;

  HostBlock block(tessera::ElementType type) {
    HostBlock block{values.data(), type, own, {}};
    block.strides[0] = 1;
    block.strides[1] = own[0].size();
    if (own.dimensions == 3) block.strides[2] = own[0].size() * own[1].size();
    return block;
  }
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

namespace {

/// Returns the bytes of all tiles, which what has a part of them does not exceed.
std::int64_t bytes_of_tiles(const TileReader& reader) {
  return static_cast<std::int64_t>(reader.extent().pixels() * sizeof(std::uint16_t)) * reader.channels() *
         reader.grid().size();
}

/// Returns the bytes of the pixels of a band, and of the rows of tiles that it is composed of.
std::int64_t bytes_of_pixels(const TileReader& reader) {
  return 2 * std::min(Composition::most_band_bytes, bytes_of_tiles(reader));
}

/// Returns the bytes of the tiles that are kept. Each rank has only some of the rows of a tile, so that
/// keeping all of them pays on one rank, or if they are decoded in any case.
std::int64_t bytes_kept(const TileReader& reader, int ranks, int bands, std::int64_t memory) {
  if (ranks > 1 && !reader.decodes_from_start()) return 0;
  const std::int64_t most = std::min(Composition::most_kept_bytes, bytes_of_tiles(reader));
  return memory > 0 ? std::clamp<std::int64_t>(memory - bands * bytes_of_pixels(reader), 0, most) : most;
}

}  // namespace

Composition::Composition(MPI_Comm communicator, const TileReader& reader, Blend blend, int workers,
                         std::int64_t memory)
    : communicator_(communicator),
      reader_(reader),
      blend_(blend),
      workers_(workers),
      tiles_(reader, bytes_kept(reader, tessera::ranks_of(communicator), band_count(), memory)),
      ranks_(tessera::ranks_of(communicator)) {
  MPI_Comm_rank(communicator, &rank_);
  // Each of the buffers counts for its share of the tiles that are kept, too.
  bytes_of_band_ = bytes_of_pixels(reader) + bytes_kept(reader, ranks_, band_count(), memory) / band_count();
}

Box Composition::domain(const std::vector<Position>& positions) const {
  const Extent extent = reader_.extent();
  Position end;
  for (int tile = 0; tile < reader_.grid().size(); ++tile) {
    if (!reader_.grid().has(tile)) continue;
    const Position& position = positions[static_cast<std::size_t>(tile)];
    end = {std::max(end.x, position.x + extent.width), std::max(end.y, position.y + extent.height)};
  }
  Box domain{{0, end.x}, {0, end.y}};
  if (reader_.channels() > 1) domain = {{0, end.x}, {0, end.y}, {0, reader_.channels()}};
  return domain;
}

void Composition::set_work(std::vector<Position> positions, std::span<const PlateSink> sinks) {
  positions_ = std::move(positions);
  domain_ = domain(positions_);
  sinks_ = sinks;
  tiles_.expect(uses_of_tiles());
}

/// Returns the number of rows of a rank in a band: as many as the bytes of a band allow, and at most those of
/// a tile.
std::int64_t Composition::rows_of_band() const {
  const std::int64_t bytes_of_row = domain_[0].size() * reader_.channels() * 2;
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
    pieces.push_back(
        {position, common, tiles_.take(tile, {common.begin - position.y, common.end - position.y})});
  }
  const std::int64_t width = domain_[0].size();
  RowBlender blender(blend_, extent, width);
  T* to = reinterpret_cast<T*>(rows.values.data());
  for (int channel = 0; channel < reader_.channels(); ++channel)
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
  for (const PlateSink& sink : sinks_) sink.write(rows.block(reader_.type()), rows.band[1]);
}

void Composition::add_tasks(tessera::graph::Graph& graph, tessera::graph::Place write_on) {
  using tessera::graph::Lease;
  const tessera::graph::Pool<Rows> pool(graph, "bands", {.count = band_count(), .bytes = bytes_of_band_},
                                        [] { return std::make_shared<Rows>(); });
  const auto bands = graph.source(
      "bands", {},
      [this](std::int64_t i, Lease<Rows> rows) -> std::optional<Lease<Rows>> {
        const Range band = rows_of_band(i, 0, ranks_);
        if (band.empty()) return std::nullopt;
        rows->band = rows->own = domain_;
        rows->band[1] = band;
        rows->own[1] = rows_of_band(i, rank_, 1);
        rows->error = nullptr;
        return rows;
      },
      pool);
  const auto composed = graph.task(
      "compose", {.on = reader_.place()},
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
