// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "correlation.hpp"
#include "tessera/app/job_application.hpp"
#include "tessera/graph/task.hpp"
#include "tessera/io/formats.hpp"
#include "tessera/io/image_source.hpp"
#include "tiles.hpp"

// The pixels of tiles.
namespace stitch {

/// Returns the size of an image with these points.
inline Extent extent_of(const tessera::Box& domain) {
  return {static_cast<int>(domain[0].size()), static_cast<int>(domain[1].size())};
}

/// Reads tiles, which all have the size and the type of the first one. All functions may be called by several
/// threads, if `place` allows it.
class TileReader {
 public:
  /// Reads the headers of all tiles, and returns the description that they have in common. Not collective.
  /// Throws InputError about the first tile that cannot be read, is not an image of uint8 or uint16, differs
  /// from the tiles before it, or has several channels although its name has the number of one channel.
  static tessera::io::ImageInfo inspect(const TileFiles& files, const tessera::io::ImageChoice& choice);

  /// `info` describes each of the tiles.
  TileReader(TileFiles files, tessera::io::ImageInfo info)
      : files_(std::move(files)), info_(std::move(info)) {}

  /// Takes an image of the light that falls on tiles: pixels are then divided by it, and multiplied by its
  /// mean. Throws InputError unless the image has the size of a tile, is of uint8, uint16 or float32, and has
  /// finite pixels above 0.
  void set_flat_field(const std::string& path);

  /// Sets the channel and the slice that are compared, both from 0 on.
  void set_compared(int channel, int slice) {
    compared_ = slice * channels_of_slice() + channel;
    files_.compared = compared_ / channels_of_file();
  }

  const Grid& grid() const { return files_.grid; }
  const TileFiles& files() const { return files_; }
  Extent extent() const { return extent_of(info_.domain); }
  /// The number of channels of a tile in all slices together, its number of channels in one slice, and its
  /// number of slices in z. Channels are numbered slice by slice.
  int channels() const { return channels_of_slice() * slices(); }
  int channels_of_slice() const { return channels_of_file() * static_cast<int>(files_.channels.size()); }
  int slices() const { return static_cast<int>(files_.slices.size()); }
  /// Returns the points of a plate of one channel, as far as they follow from the expected overlap.
  tessera::Box expected_plate() const;
  /// The type of the pixels: uint8 or uint16.
  tessera::ElementType type() const { return info_.type; }
  /// Where tasks that read tiles run: on one thread if the library of the format is not made for several.
  tessera::graph::Place place() const {
    return tessera::io::format_of(info_.format).traits.needs_one_thread ? tessera::graph::Place::io()
                                                                        : tessera::graph::Place::threads();
  }
  /// Returns whether a file must be decoded from its beginning, whichever rows are read.
  bool decodes_from_start() const {
    return info_.format == tessera::io::ImageFormat::png || info_.format == tessera::io::ImageFormat::jpeg;
  }

  /// Reads rows of some channels of a tile to `to`, one channel after the other. Throws InputError if they
  /// cannot be read.
  void read(int tile, tessera::Range channels, tessera::Range rows, std::span<std::uint16_t> to) const;
  /// Reads the channel of a tile that is compared to `to`. Throws InputError if it cannot be read.
  void read(int tile, std::span<std::uint16_t> to) const {
    read(tile, {compared_, compared_ + 1}, {0, extent().height}, to);
  }

 private:
  int channels_of_file() const {
    return info_.domain.dimensions == 3 ? static_cast<int>(info_.domain[2].size()) : 1;
  }

  TileFiles files_;
  tessera::io::ImageInfo info_;
  /// The number of the channel that is compared, among those of all slices.
  int compared_ = 0;
  /// The factor of each pixel; empty without a flat field.
  std::vector<float> gains_;
};

/// Returns a reader of the tiles that a deck names. Rank 0 alone looks for them and reads their headers. All
/// ranks read the flat field. Collective. Throws InputError if the tiles or the keys about them are faulty.
TileReader open_tiles(const tessera::app::JobSetting& setting);

}  // namespace stitch
