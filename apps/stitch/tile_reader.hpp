// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fourier.hpp"
#include "tessera/graph/place.hpp"
#include "tessera/io/image_info.hpp"
#include "tile_names.hpp"

namespace stitch {

/// Which image of each file is read.
struct TileChoice {
  /// The data set of HDF5 files; empty if they have only one.
  std::string dataset = {};
  /// The page of TIFF files, such as the number of a slice in z.
  std::optional<int> page = {};
};

/// Reads tiles, which all have the size and the type of the first one. All functions may be called by several
/// threads, if `place` allows it.
class TileReader {
 public:
  /// Looks at the headers of all tiles. Not collective. Throws InputError about the first one that cannot be
  /// read, is not an image of uint8 or uint16, differs from the others, or has channels although its name has
  /// the number of one.
  static tessera::io::ImageInfo inspect(const TileFiles& files, const TileChoice& choice);

  /// `info` is that of all tiles.
  TileReader(TileFiles files, tessera::io::ImageInfo info);

  /// Takes an image of the size of a tile, of uint8, uint16 or float32, by which the light falls on the
  /// tiles: pixels are then divided by it, and multiplied by its mean. Throws InputError if the image has
  /// another size or type, or a pixel that is not finite or not above 0.
  void set_flat_field(const std::string& path);

  /// Says which channel of which slice is compared, both from 0 on.
  void set_compared(int channel, int slice);
  /// The number of the channel that is compared, among those of all slices.
  int compared() const { return compared_; }

  const Grid& grid() const { return files_.grid; }
  const TileFiles& files() const { return files_; }
  Extent extent() const;
  /// The number of channels of a tile in all slices: those of the first slice come first.
  int channels() const { return channels_of_slice() * slices(); }
  /// The number of channels of a slice, in one file or in several.
  int channels_of_slice() const { return channels_of_file() * static_cast<int>(files_.channels.size()); }
  /// The number of slices in z.
  int slices() const { return static_cast<int>(files_.slices.size()); }
  /// The type of the pixels: uint8 or uint16.
  tessera::ElementType type() const { return info_.type; }
  /// Where tasks that read tiles run: on one thread if the library of the format is not made for several.
  tessera::graph::Place place() const;

  /// Whether a file must be decoded from its beginning, whichever rows are read.
  bool decodes_from_start() const;

  /// Reads rows of some channels of a tile, one after the other, to `to`. Throws InputError if they cannot be
  /// read.
  void read(int tile, tessera::Range channels, tessera::Range rows, std::span<std::uint16_t> to) const;
  /// Reads one channel of a tile to `to`. Throws InputError if it cannot be read.
  void read(int tile, int channel, std::span<std::uint16_t> to) const {
    read(tile, {channel, channel + 1}, {0, extent().height}, to);
  }

 private:
  int channels_of_file() const;
  void read_file(const std::string& path, tessera::Range channels, tessera::Range rows,
                 std::span<std::uint16_t> to) const;

  TileFiles files_;
  tessera::io::ImageInfo info_;
  int compared_ = 0;
  /// What each pixel is multiplied by; empty without a flat field.
  std::vector<float> gains_;
};

}  // namespace stitch
