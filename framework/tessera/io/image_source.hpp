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
  /// Whether the most significant byte of a number comes first.
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
  /// The bytes of chunks of HDF5 that a source of one rank keeps in memory, so that they are not decompressed
  /// again: those of a row of chunks, but at most 64 MiB, or one chunk. It is 0 for other files.
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
/// matter. Not collective: one rank calls this function. The formats are read as follows:
///
/// - PNG: grey, RGB or RGBA images of uint8 or uint16. Samples of fewer than 8 bits are scaled to 8 bits.
///   Images with a palette become RGB images, or RGBA images if the palette has transparent entries.
/// - HDF5: data sets of the shape (H, W), height and width, or (C, H, W) with C channels, or of 4 dimensions,
///   slowest first. The elements are integers or floats of at most 64 bits in any byte order, or compounds of
///   two such floats with the names `r` and `i`, which are complex numbers as h5py writes them.
/// - TIFF and BigTIFF: grey, RGB or RGBA images in strips or tiles. The samples are integers of 8, 16, 32 or
///   64 bits or floats of 32 or 64 bits, with any compression that libtiff supports. The orientation that the
///   file asks for is ignored.
/// - FITS: images with 2 axes (x, y) or 3 axes (x, y, channel), with any compression in tiles that CFITSIO
///   supports, also of quantised floats. Row 0 is the first row of the file, which astronomical programs show
///   at the bottom. If the header only shifts integers by half their range (BZERO), signed integers become
///   unsigned, and uint8 becomes int8. With any other scaling, integers of 8 or 16 bits become float32, and
///   larger ones float64; points without a value (BLANK) then become NaN.
/// - JPEG: grey, RGB and YCbCr images of 8 bits. YCbCr becomes RGB.
/// - RLE: patterns of the Game of Life in the format of Golly and LifeWiki, which begin with `x = W, y = H`
///   after comments. A live cell is 1, a dead one 0.
/// - FLO: optical flows of the Middlebury benchmark: float32 with the channels u and v.
///
/// Throws InputError when the file is missing, unreadable, damaged, or not an image as described above, when
/// the data set or page does not exist, and when the file holds several data sets and `choice` names none.
ImageInfo inspect_image(const std::string& path, const ImageChoice& choice = {});

/// Returns the format of an image file or folder, which its content determines. Returns nothing when the
/// format is unknown or the file cannot be read. Not collective: one rank calls this function.
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
/// - HDF5: each rank reads its own block. If the elements must be converted or are stored in chunks, several
///   ranks use MPI-IO, and a source of one rank keeps the file open, and chunks of ImageInfo::kept_bytes.
/// - TIFF: each rank decodes the strips or tiles that contain points of its block, one after the other.
/// - FITS, FLO and raw: each rank reads the rows of its block.
/// - RLE: each rank decodes the whole file and keeps its block.
/// - PNG and JPEG: rank 0 decodes the rows of the file from the first row to the last row of all blocks, or
/// to
///   the end of the file if that is the last row of the image, and sends the other ranks theirs. If the next
///   call of `read` asks for rows further down, decoding continues at the row where it has stopped. An
///   interlaced PNG file or a progressive JPEG file is held in memory as a whole meanwhile.
///
/// `read` throws the same InputError on every rank when the file is damaged, or when `info` no longer
/// describes it. If one of several ranks cannot read compressed HDF5, it throws StrandedError.
std::unique_ptr<BlockSource> open_image(MPI_Comm communicator, const std::string& path,
                                        const ImageInfo& info);

}  // namespace tessera::io
