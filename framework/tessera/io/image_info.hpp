// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"

namespace tessera::io {

/// The formats of image files. `rle` is a pattern of the Game of Life, and `raw` a file of numbers without a
/// header.
enum class ImageFormat : std::uint8_t { png, hdf5, rle, tiff, jpeg, fits, raw };

/// Says how numbers lie in a file without a header.
struct RawLayout {
  /// The number of bytes before the first number.
  std::int64_t offset = 0;
  /// True when the most significant byte of a number comes first.
  bool is_big_endian = false;
};

/// A description of the image in a file.
struct ImageInfo {
  /// The format of the file.
  ImageFormat format = ImageFormat::png;
  /// The type of the elements.
  ElementType type = ElementType::uint8;
  /// All points of the image. Dimension 0 is x (columns), and dimension 1 is y (rows). Dimension 2, if there
  /// is one, is the channel: colour is planar, whatever its order in the file. HDF5 and raw files may have a
  /// fourth dimension, such as time. All ranges begin at 0.
  Box domain;
  /// For HDF5 the name of the data set, also when none was asked for. For FITS the number of the extension.
  /// For other formats it is empty.
  std::string dataset = {};
  /// For TIFF the page, counted from 0; otherwise 0.
  int page = 0;
  /// The layout of raw files.
  RawLayout raw = {};
};

/// Says which image of a file that may hold several is meant.
struct ImageChoice {
  /// For HDF5 the data set; empty means the only one. For FITS the extension, by its EXTNAME or by its
  /// number, where 0 is the primary one; empty means the first image.
  std::string dataset = {};
  /// For TIFF the page, counted from 0. Without a value the first page is meant.
  std::optional<int> page = {};
};

/// Reads the header of the image at `path`. The format is found by the content of the file, not by its name.
/// Not collective: one rank calls it.
///
/// - PNG: grey and RGB of 8 or 16 bits are uint8 or uint16; fewer bits are widened to 8, and palettes to RGB.
/// - HDF5: a data set (H, W) or (C, H, W), or of 4 dimensions, slowest first, of integers or floats in any
///   byte order.
/// - TIFF and BigTIFF: strips or tiles of grey or RGB, of integers of 8 to 64 bits or floats of 32 or 64,
///   with any compression that libtiff supports. Points are taken as they are stored, whatever orientation
///   the file asks for.
/// - FITS: an image of 2 or 3 axes, (x, y) or (x, y, channel), or such an image of integers that is
///   compressed by RICE or PLIO. Row 0 is the first row of the file, which astronomers show at the bottom.
///   Signed integers that the header shifts by half their range are unsigned, and uint8 shifted so is int8.
///   Other scaled integers become float32, or float64 if they have 32 or 64 bits; BLANK points become NaN.
/// - JPEG: grey is uint8, and YCbCr and RGB are RGB of uint8.
/// - RLE: a pattern of the Game of Life as Golly and LifeWiki store it, whose first line after comments is
///   `x = W, y = H`. The image is uint8: 1 where a cell is alive, and otherwise 0.
///
/// Throws InputError when the file is missing, unreadable, damaged or no image; when the image has
/// transparency or colours that are not named above; when the rule of a pattern is not that of the Game of
/// Life; when the data set or page does not exist, or has a shape or type that is not named above; and when a
/// file has several data sets and none was named.
ImageInfo inspect_image(const std::string& path, const ImageChoice& choice = {});

/// Returns the format of an image file, found by its content. Returns nothing when the format is unknown or
/// the file cannot be read. Not collective: one rank calls it.
std::optional<ImageFormat> image_format(const std::string& path);

/// Describes a file that holds only numbers, x fastest, then y, then the channel. The content of the file is
/// not looked at. Not collective: one rank calls it. Throws InputError when the file is missing or
/// unreadable, or does not end with the last point of `domain`.
ImageInfo inspect_raw(const std::string& path, const RawLayout& layout, ElementType type, const Box& domain);

/// Returns the `info` of rank 0 on every rank of `communicator`. Collective.
ImageInfo broadcast(MPI_Comm communicator, ImageInfo info);

}  // namespace tessera::io
