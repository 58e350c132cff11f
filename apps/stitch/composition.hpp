// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "positions.hpp"
#include "tessera/cost/work.hpp"
#include "tessera/graph/graph.hpp"
#include "tessera/view/block_io.hpp"
#include "tile_reader.hpp"

// The plate that tiles make up.
namespace stitch {

/// A blend says what the plate shows where several tiles lie.
enum class Blend : std::uint8_t {
  overlay,  ///< The last of these tiles, counted row by row.
  average,  ///< The mean of these tiles.
  linear    ///< Their mean, weighted by the distance from the tile's border along x times that along y.
};
inline constexpr std::string_view blend_names[] = {"overlay", "average", "linear"};

/// Blends one row of the plate after the other. It adds integers, so the order of tiles changes no bit of a
/// mean. Means are rounded to nearest, halves up. Points without a tile become 0.
class RowBlender {
 public:
  RowBlender(Blend blend, Extent tile, std::int64_t width)
      : blend_(blend), tile_(tile), sums_(static_cast<std::size_t>(width)), weights_(sums_.size()) {}
  /// Adds the row `y` of a tile, whose first pixel lies in the column `x` of the plate.
  void add(std::int64_t x, int y, std::span<const std::uint16_t> pixels);
  /// Stores the blended row to `to`, and begins the next row.
  template <class T>
  void store(T* to);

 private:
  Blend blend_;
  Extent tile_;
  std::vector<std::uint64_t> sums_, weights_;
};

/// Consecutive rows of a tile in all channels of a part (see Composition). All rows of a channel come before
/// those of the next one.
struct TileRows {
  tessera::Range rows;
  int width = 0;
  std::shared_ptr<const std::vector<std::uint16_t>> pixels;

  /// Returns the row `y` of the tile in a channel.
  std::span<const std::uint16_t> row(int channel, std::int64_t y) const {
    const std::int64_t number = channel * rows.size() + y - rows.begin;
    return {pixels->data() + number * width, static_cast<std::size_t>(width)};
  }
};

/// Reads rows of tiles for bands of the plate, in parts of one channel or of several. A tile that several
/// bands need is decoded as a whole once, and is kept until the last of these bands has used it, as long as
/// there is memory for it. Without this memory, each band reads the rows that it needs. Several threads may
/// use one object.
class KeptTiles {
 public:
  /// `reader` must outlive this object. Tiles are read in parts of `channels` channels each. The kept tiles
  /// take at most `most_bytes` together.
  KeptTiles(const TileReader& reader, int channels, std::int64_t most_bytes)
      : reader_(reader), channels_(channels), most_bytes_(most_bytes) {}

  /// Says that each tile will be taken uses[tile] times in each part. No call of `take` may be under way.
  void expect(std::vector<int> uses);
  /// Returns at least these rows of a tile in all channels of a part. The result must not outlive this
  /// object. Throws InputError if they cannot be read.
  TileRows take(int part, int tile, tessera::Range rows);
  /// The number of reads of tiles since the last call of `expect`.
  std::int64_t reads() const { return reads_; }

 private:
  /// The pixels of a kept tile. Their bytes count until the last user has released them.
  struct Kept {
    std::mutex mutex;
    std::vector<std::uint16_t> pixels;
  };
  /// The state of a tile in a part between its first use and its last one: `left` uses are to come.
  struct Use {
    int left = 0;
    std::shared_ptr<Kept> kept;
  };
  std::shared_ptr<Kept> count_use(int part, int tile);
  std::int64_t bytes_of_tile() const {
    return static_cast<std::int64_t>(reader_.extent().pixels() * sizeof(std::uint16_t)) * channels_;
  }

  const TileReader& reader_;
  int channels_;
  std::int64_t most_bytes_;
  std::atomic<std::int64_t> reads_ = 0;
  /// Guards all members below.
  std::mutex mutex_;
  std::int64_t bytes_ = 0;
  /// The number of uses of each tile in each part.
  std::vector<int> uses_of_tiles_;
  /// The tiles that are in use, by part and tile.
  std::map<std::pair<int, int>, Use> uses_;
};

/// How a plate is composed. Only `blend` changes the result.
struct CompositionOptions {
  Blend blend = Blend::overlay;
  /// The number of channels that are composed together: one, or all of a slice.
  int channels = 1;
  int workers = 1;
  /// The number of bands that are composed or written at the same time; 0 means one more than `workers`.
  int bands = 0;
  /// The most bytes that the composition may use; 0 means that there is no limit.
  std::int64_t memory = 0;
};

/// Composes the plate of all tiles and writes it in bands of rows, so memory stays bounded. The plate has
/// parts, which are composed one after the other: a part is one channel, or all channels of a slice.
class Composition {
 public:
  /// A function that writes `rows`, this rank's share of the rows `band` of the plate. `first` is the number
  /// of the first channel in `rows`, counted through all slices. Collective.
  using Write = std::function<void(const tessera::HostBlock& rows, tessera::Range band, int first)>;

  /// `reader` must outlive this object. `communicator` is that of all ranks that write the plate together.
  Composition(MPI_Comm communicator, const TileReader& reader, const CompositionOptions& options);

  /// Adds the tasks bands, compose and write to a graph, which must not outlive this object. Each rank runs
  /// the graph by itself. The task write runs at `write_on`, and makes collective calls there.
  void add_tasks(tessera::graph::Graph& graph, tessera::graph::Place write_on);

  /// Sets the positions of the tiles, the numbers of the parts to compose, and the function that writes them.
  void set_work(std::vector<Position> positions, std::vector<int> parts, Write write);
  /// The most bytes that the graph uses on this rank, if tiles have the expected overlap.
  std::int64_t bytes() const { return needs_.bands + needs_.kept + needs_.read + needs_.workers; }
  /// The number of reads of tiles on this rank in the last run.
  std::int64_t reads() const { return tiles_.reads(); }
  /// Returns all points of a part of the plate, for given positions of the tiles.
  tessera::Box domain(const std::vector<Position>& positions) const;

 private:
  struct Rows;
  /// The bytes that the graph needs for the rows of bands, for decoded tiles that are kept, for rows of tiles
  /// that are read for one band, and for its workers.
  struct Needs {
    std::int64_t bands = 0, kept = 0, read = 0, workers = 0;
  };

  std::int64_t most_kept() const;
  Needs needs(std::int64_t most_kept) const;
  tessera::Box with_channels(tessera::Box plane) const;
  int band_count() const { return options_.bands > 0 ? options_.bands : options_.workers + 1; }
  std::int64_t bands_of_part() const { return (domain_[1].size() - 1) / (rows_per_rank() * ranks_) + 1; }
  std::int64_t number_of_parts() const { return reader_.channels() / options_.channels; }
  tessera::Range rows_of_tile(int tile) const;
  std::int64_t rows_per_rank() const;
  tessera::Range rows_of_band(std::int64_t number, int rank, int ranks) const;
  std::vector<int> uses_of_tiles() const;
  void compose(Rows& rows);
  template <class T>
  void compose_rows(Rows& rows);
  void write(Rows& rows) const;

  MPI_Comm communicator_;
  const TileReader& reader_;
  CompositionOptions options_;
  int rank_ = 0, ranks_ = 1;
  std::vector<Position> positions_;
  tessera::Box domain_;
  Needs needs_;
  KeptTiles tiles_;
  std::vector<int> parts_;
  Write write_;
};

/// Returns the work of one of `ranks` ranks that compose a plate of `plate_bytes` bytes.
tessera::cost::WorkPart work_of_composition(const TileReader& reader, std::int64_t plate_bytes, int ranks);

}  // namespace stitch
