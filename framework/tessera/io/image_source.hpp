// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/io/formats.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io {

/// The layout of the numbers in a raw file.
struct RawLayout {
  /// The number of bytes before the first number.
  std::int64_t offset = 0;
  /// True if the most significant byte of a number comes first.
  bool is_big_endian = false;
};

/// A description of the image in a file.
struct ImageInfo {
  /// The format of the file.
  ImageFormat format = ImageFormat::png;
  /// The type of the elements.
  ElementType type = ElementType::uint8;
  /// All points of the image, from 0 on: x (columns), y (rows), and the channel, even if the file stores the
  /// channels of a pixel together. HDF5 and raw files may have a fourth dimension, such as time.
  Box domain;
  /// For HDF5, the name of the data set, even if the ImageChoice named none. For FITS, the number of the
  /// extension. The text is empty for other formats.
  std::string dataset = {};
  /// The number of the page of a TIFF file, counted from 0. The number is 0 for other formats.
  int page = 0;
  /// The layout of the numbers in a raw file; not used for other formats.
  RawLayout raw = {};
  /// The number of rows that can only be decoded together, from the first row on: those of a chunk of
  /// compressed HDF5, or of a strip or tile of a TIFF file, and 1 for other files.
  std::int64_t chunk_rows = 1;
  /// The bytes of chunks of HDF5 that each rank of a source keeps in memory, so that they are not
  /// decompressed again: those of a row of chunks, but at most 64 MiB, or one chunk. It is 0 for other files.
  std::int64_t kept_bytes = 0;
};

/// The choice of one image in a file that may hold several.
struct ImageChoice {
  /// For HDF5, the name of the data set; empty means the only data set of the file. For FITS, the name
  /// (EXTNAME) or the number of the extension, where 0 is the primary array; empty means the first image of
  /// the file.
  std::string dataset = {};
  /// For TIFF, the number of the page, counted from 0. No value means the first page.
  std::optional<int> page = {};
};

/// Reads the header of the image at `path`. The content of the file determines the format; its name does not
/// matter. Not collective: one rank calls this function. The kinds of images that each format may hold are
/// listed before its row of functions, at the end of its file in io/formats.
///
/// Throws InputError when the file is missing, unreadable, damaged, or not such an image, when
/// the data set or page does not exist, and when the file holds several data sets and `choice` names none.
ImageInfo inspect_image(const std::string& path, const ImageChoice& choice = {});

/// Returns the format of an image file, which its content determines. Returns nothing when the format is
/// unknown or the file cannot be read. Not collective: one rank calls this function.
std::optional<ImageFormat> image_format(const std::string& path);

/// Returns the description of a raw file, in which x changes fastest, then y, then the channel. Not
/// collective: one rank calls this function. Throws InputError when the file is missing or unreadable, or
/// when it does not end with the last point of `domain`.
ImageInfo inspect_raw(const std::string& path, const RawLayout& layout, ElementType type, const Box& domain);

/// Returns the `info` of rank 0 on every rank of `communicator`. Collective.
ImageInfo broadcast(MPI_Comm communicator, ImageInfo info);

/// Returns a source of the image at `path`, which inspect_image or inspect_raw has described as `info`. All
/// ranks pass the same arguments. With MPI_COMM_SELF, neither the source nor its `read` calls MPI. Only
/// `read` accesses the file. It may be called several times. `communicator` must outlive the source.
///
/// `read` is collective. Each block has the type of the image and lies in its domain; blocks may be empty.
///
/// `read` throws the same InputError on every rank when the file is damaged, or when `info` no longer
/// describes it.
std::unique_ptr<BlockSource> open_image(MPI_Comm communicator, const std::string& path,
                                        const ImageInfo& info);

}  // namespace tessera::io
