// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "tile_reader.hpp"

namespace stitch {

/// Rows of a tile in all channels of a part.
struct TileRows {
  /// The rows that `pixels` has.
  tessera::Range rows;
  /// The width of the tile.
  int width = 0;
  /// The pixels, row after row, one channel after the other.
  std::shared_ptr<const std::vector<std::uint16_t>> pixels;

  /// Returns the row `y` of the tile in a channel.
  std::span<const std::uint16_t> row(int channel, std::int64_t y) const {
    const std::int64_t number = channel * rows.size() + y - rows.begin;
    return {pixels->data() + number * width, static_cast<std::size_t>(width)};
  }
};

/// Reads rows of tiles for bands of the plate, in parts of one channel or of several. A tile that several
/// bands need is decoded as a whole once, and is kept until the last of them, as long as there is memory for
/// it. Else its rows are read for each band. Several threads may use one object.
class KeptTiles {
 public:
  /// `reader` must outlive this object. Tiles are read in parts of `channels` channels each. Those that are
  /// kept have at most `most_bytes`.
  KeptTiles(const TileReader& reader, int channels, std::int64_t most_bytes)
      : reader_(reader), channels_(channels), most_bytes_(most_bytes) {}
  /// Says that tiles which are kept have at most `bytes`. No other call may be under way.
  void set_most_bytes(std::int64_t bytes) { most_bytes_ = bytes; }

  /// Says by how many calls of `take` rows of each tile will be taken in each part. No other call may be
  /// under way.
  void expect(std::vector<int> uses);
  /// Returns at least these rows of a tile in all channels of a part. Throws InputError if they cannot be
  /// read. The rows must not outlive this object.
  TileRows take(int part, int tile, tessera::Range rows);
  /// The number of times that a file was read since the last call of `expect`.
  std::int64_t reads() const { return reads_; }

 private:
  /// A tile whose bytes count until the last one who uses it has given it up.
  struct Kept {
    explicit Kept(KeptTiles& given_owner) : owner(given_owner) {}
    Kept(const Kept&) = delete;
    ~Kept();
    KeptTiles& owner;
    std::mutex mutex;
    std::vector<std::uint16_t> pixels;
  };
  /// The state of a tile in a part between its first use and its last one.
  struct Use {
    int left = 0;
    std::shared_ptr<Kept> kept;
  };
  std::shared_ptr<Kept> find(int part, int tile);
  std::vector<std::uint16_t> read(int part, int tile, tessera::Range rows);
  std::int64_t bytes_of_tile() const;

  const TileReader& reader_;
  int channels_;
  std::int64_t most_bytes_;
  /// Guards all members below.
  std::mutex mutex_;
  std::int64_t bytes_ = 0;
  std::int64_t reads_ = 0;
  std::vector<int> uses_of_tiles_;
  /// The uses by part and tile.
  std::map<std::pair<int, int>, Use> uses_;
};

}  // namespace stitch
