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

Composition::Composition(MPI_Comm communicator, const TileReader& reader, Blend blend, int workers)
    : communicator_(communicator), reader_(reader), blend_(blend), workers_(workers) {
  MPI_Comm_rank(communicator, &rank_);
  MPI_Comm_size(communicator, &ranks_);
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

void Composition::set_work(std::vector<Position> positions, std::vector<tessera::BlockSink*> sinks) {
  positions_ = std::move(positions);
  domain_ = domain(positions_);
  sinks_ = std::move(sinks);
}

/// Returns the number of rows of a rank in a band: as many as the bytes of a band allow, and at most those of
/// a tile.
std::int64_t Composition::rows_of_band() const {
  const std::int64_t bytes_of_row = domain_[0].size() * reader_.channels() * 2;
  return std::clamp<std::int64_t>(most_band_bytes / std::max<std::int64_t>(1, bytes_of_row), 1,
                                  reader_.extent().height);
}

template <class T>
void Composition::compose_channel(Rows& rows, int channel) const {
  struct Piece {
    Position position;
    Range rows;
    std::vector<std::uint16_t> pixels;
  };
  const Extent extent = reader_.extent();
  const Range own = rows.own[1];
  std::vector<Piece> pieces;
  for (int tile = 0; tile < reader_.grid().size(); ++tile) {
    if (!reader_.grid().has(tile)) continue;
    const Position position = positions_[static_cast<std::size_t>(tile)];
    const Range common = intersection(own, {position.y, position.y + extent.height});
    if (common.empty()) continue;
    Piece piece{position, common, {}};
    piece.pixels.resize(static_cast<std::size_t>(common.size() * extent.width));
    reader_.read(tile, channel, {common.begin - position.y, common.end - position.y}, piece.pixels);
    pieces.push_back(std::move(piece));
  }
  const std::int64_t width = domain_[0].size();
  RowBlender blender(blend_, extent, width);
  T* const values = reinterpret_cast<T*>(rows.values.data()) + channel * width * own.size();
  for (std::int64_t y = own.begin; y < own.end; ++y) {
    blender.begin();
    for (const Piece& piece : pieces)
      if (piece.rows.contains(y))
        blender.add(piece.position.x, static_cast<int>(y - piece.position.y),
                    {piece.pixels.data() + (y - piece.rows.begin) * extent.width,
                     static_cast<std::size_t>(extent.width)});
    blender.store(values + (y - own.begin) * width);
  }
}

void Composition::compose(Rows& rows) const {
  const bool is_bytes = reader_.type() == tessera::ElementType::uint8;
  try {
    rows.values.resize(static_cast<std::size_t>(rows.own.size()) * (is_bytes ? 1 : 2));
    for (int channel = 0; channel < reader_.channels(); ++channel)
      is_bytes ? compose_channel<std::uint8_t>(rows, channel) : compose_channel<std::uint16_t>(rows, channel);
  } catch (...) {
    rows.error = std::current_exception();
  }
}

void Composition::write(Rows& rows) const {
  tessera::collectively(communicator_, [&] {
    if (rows.error) std::rethrow_exception(rows.error);
  });
  for (tessera::BlockSink* const sink : sinks_) sink->write_part(rows.block(reader_.type()), rows.band);
}

void Composition::add_tasks(tessera::graph::Graph& graph, tessera::graph::Place write_on) {
  using tessera::graph::Lease, tessera::graph::Place;
  const tessera::graph::Pool<Rows> pool(graph, "bands", {.count = workers_ + 1},
                                        [] { return std::make_shared<Rows>(); });
  const auto bands = graph.source(
      "bands", {},
      [this](std::int64_t i, Lease<Rows> rows) -> std::optional<Lease<Rows>> {
        const std::int64_t height = rows_of_band(), begin = i * height * ranks_;
        const Range all = domain_[1];
        if (begin >= all.end) return std::nullopt;
        rows->band = rows->own = domain_;
        rows->band[1] = intersection(all, {begin, begin + height * ranks_});
        rows->own[1] = intersection(rows->band[1], {begin + rank_ * height, begin + (rank_ + 1) * height});
        if (rows->own[1].empty()) rows->own[1] = {rows->band[1].end, rows->band[1].end};
        rows->error = nullptr;
        return rows;
      },
      pool);
  const auto composed = graph.task(
      "compose", {.on = reader_.needs_one_thread() ? Place::io() : Place::threads()},
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
