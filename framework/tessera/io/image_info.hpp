// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"

namespace tessera::io {

enum class ImageFormat : std::uint8_t { png, hdf5, rle, tiff, jpeg, fits, raw };

/// How numbers lie in a file without a header.
struct RawLayout {
  std::int64_t offset = 0;  ///< bytes before the first
  bool is_big_endian = false;
};

/// What an image file holds. Dimension 0 of `domain` is x (columns), 1 is y (rows), and 2, where there is
/// one, the channel: colour is planar, whatever its order in the file. HDF5 and raw files may have a fourth,
/// such as time. All ranges begin at 0.
struct ImageInfo {
  ImageFormat format = ImageFormat::png;
  ElementType type = ElementType::uint8;
  Box domain;
  /// HDF5: the data set's name, found when none was asked for. FITS: the extension's number. Else empty.
  std::string dataset = {};
  int page = 0;        ///< TIFF: which of its pages, the first is 0. Else 0.
  RawLayout raw = {};  ///< of ImageFormat::raw
};

/// Which image of a file that may hold several.
struct ImageChoice {
  /// HDF5: the data set; empty means the only one. FITS: the extension, by its EXTNAME or its number, 0 for
  /// the primary one; empty means the first image.
  std::string dataset = {};
  std::optional<int> page = {};  ///< TIFF: the page, from 0 on; the first when none is given.
};

/// Reads the header of the image at `path`, whose format is told by its content. Serial: one rank calls it.
///
/// PNG: grey and RGB of 8 or 16 bits are uint8 or uint16; fewer bits are widened to 8 and palettes to RGB.
/// HDF5: a data set (H, W) or (C, H, W), or of 4 dimensions, slowest first, of integers or floats in any byte
/// order. TIFF and BigTIFF: strips or tiles of grey or RGB, of integers of 8 to 64 bits or floats of 32 or
/// 64, compressed as libtiff can; points are taken as they are stored, whatever orientation the file asks
/// for. FITS: an image of 2 or 3 axes, (x, y) or (x, y, channel), or such integers compressed by RICE or
/// PLIO. Row 0 is the first of the file, which astronomers show at the bottom. Integers shifted by half their
/// range are of the other signedness; otherwise scaled ones are float32, those of 32 and 64 bits float64, and
/// NaN where they are BLANK. JPEG: grey is uint8, YCbCr and RGB are RGB of uint8. RLE: a pattern of the Game
/// of Life as Golly and LifeWiki store it, of any name, whose first line but comments is `x = W, y = H`:
/// uint8, 1 where a cell is alive, else 0.
///
/// Throws InputError: the file is missing, unreadable, damaged, no image, an image with transparency or of
/// other colours, or a pattern of another rule, or it has no such data set or page, or several data sets to
/// choose from, or one of another shape or type.
ImageInfo inspect_image(const std::string& path, const ImageChoice& choice = {});

/// The format of an image file, as its content tells it; none of what is no such file or cannot be read.
/// Serial.
std::optional<ImageFormat> image_format(const std::string& path);

/// Describes a file that holds nothing but numbers, x fastest, then y, then the channel, whatever else its
/// content looks like. Serial: one rank calls it. Throws InputError when the file is missing or unreadable,
/// or does not end with the last point of `domain`.
ImageInfo inspect_raw(const std::string& path, const RawLayout& layout, ElementType type, const Box& domain);

/// Rank 0's `info`, on every rank of `communicator`. Collective.
ImageInfo broadcast(MPI_Comm communicator, ImageInfo info);

}  // namespace tessera::io
