// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "kept_tiles.hpp"
#include "plate_sink.hpp"
#include "positions.hpp"
#include "tessera/graph/graph.hpp"
#include "tessera/view/block_io.hpp"
#include "tile_reader.hpp"

namespace stitch {

/// A blend says what the plate shows where several tiles lie.
enum class Blend : std::uint8_t {
  overlay,  ///< The last one of the tiles, row by row.
  average,  ///< The mean of all of them.
  linear  ///< Their mean, weighted by the distances of the point from the tile's borders, along x times along
          ///< y.
};
/// The names in decks, in the order of the enumeration.
inline constexpr std::string_view blend_names[] = {"overlay", "average", "linear"};

/// Blends one row of the plate. Sums are sums of integers: neither their order nor the number of workers
/// changes a bit. Means are rounded to nearest, halves up. Points without a tile become 0.
class RowBlender {
 public:
  RowBlender(Blend blend, Extent tile, std::int64_t width);
  /// Begins a row.
  void begin();
  /// Adds the row `y` of a tile whose first pixel lies at `x`.
  void add(std::int64_t x, int y, std::span<const std::uint16_t> pixels);
  /// Stores the row.
  template <class T>
  void store(T* to) const;

 private:
  Blend blend_;
  Extent tile_;
  std::vector<std::uint64_t> sums_, weights_;
};

/// How a plate is composed. Only the blend changes a bit of it.
struct CompositionOptions {
  Blend blend = Blend::overlay;
  /// The number of channels that are composed together (see channels_together).
  int channels = 1;
  /// The number of worker threads of each rank.
  int workers = 1;
  /// The number of bands that are under way; 0 for one more than there are workers.
  int bands = 0;
  /// If it is above 0, only as many decoded tiles are kept as fit into so many bytes.
  std::int64_t memory = 0;
  /// The share of a tile that its neighbour shows, too, from which the need of memory follows.
  double overlap = 0.1;
};

/// The plate of all tiles, which is composed and written in bands of rows, so that memory stays bounded: all
/// bands of one part after those of the other. A part is a channel, or all channels of a slice.
class Composition {
 public:
  /// The bytes of a band on a rank are no more, unless a single row has more.
  static constexpr std::int64_t most_band_bytes = std::int64_t(16) << 20;

  /// The bytes of decoded tiles that a rank keeps are no more.
  static constexpr std::int64_t most_kept_bytes = std::int64_t(256) << 20;

  /// `reader` must outlive this object. `communicator` is that of all ranks that write the plate together.
  Composition(MPI_Comm communicator, const TileReader& reader, const CompositionOptions& options);

  /// Adds the tasks to the graph: bands, compose, write. Each rank runs the graph by itself, and the task
  /// write makes collective calls. `write_on` is where it runs. The graph must not outlive this object.
  void add_tasks(tessera::graph::Graph& graph, tessera::graph::Place write_on);

  /// Says where the tiles lie, and to what sinks the plate goes. They must outlive the run of the graph.
  void set_work(std::vector<Position> positions, std::span<PlateSink> sinks);
  /// The most bytes that the graph has on this rank, as far as the expected overlap tells.
  std::int64_t bytes() const { return needs_.bands + needs_.kept + needs_.read + needs_.workers; }
  /// How often files of tiles were read on this rank in the last run.
  std::int64_t reads() const { return tiles_.reads(); }
  /// Returns all points of the plate, for given positions of the tiles.
  tessera::Box domain(const std::vector<Position>& positions) const {
    return domain(positions, reader_.channels());
  }

 private:
  struct Rows;
  /// The bytes that the graph needs for the rows of bands, for decoded tiles that are kept, for rows of tiles
  /// that are read for one band, and for its workers.
  struct Needs {
    std::int64_t bands = 0;
    std::int64_t kept = 0;
    std::int64_t read = 0;
    std::int64_t workers = 0;
  };

  /// The bytes of tiles that are kept, of rows of tiles that only one band has, and of all rows of tiles,
  /// while each band of this rank is the oldest one that is composed.
  struct Loads {
    std::vector<std::int64_t> tiles, single_rows, rows;
  };

  Loads loads() const;
  Needs needs(std::int64_t most_kept) const;
  tessera::Box domain(const std::vector<Position>& positions, int channels) const;
  std::int64_t bands_of_part() const;
  std::int64_t number_of_parts() const { return reader_.channels() / options_.channels; }
  std::vector<Position> expected_positions(double overlap) const;
  int band_count() const { return options_.bands > 0 ? options_.bands : options_.workers + 1; }
  std::int64_t rows_of_band() const;
  tessera::Range rows_of_band(std::int64_t number, int rank, int ranks) const;
  std::vector<int> uses_of_tiles() const;
  void compose(Rows& rows);
  template <class T>
  void compose_rows(Rows& rows);
  void write(Rows& rows) const;

  MPI_Comm communicator_;
  const TileReader& reader_;
  CompositionOptions options_;
  Needs needs_;
  KeptTiles tiles_;
  int rank_ = 0;
  int ranks_ = 1;
  std::vector<Position> positions_;
  tessera::Box domain_;
  std::span<PlateSink> sinks_;
};

}  // namespace stitch
