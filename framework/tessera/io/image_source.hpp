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
  /// All points of the image. Dimension 0 is x (columns), and dimension 1 is y (rows). Dimension 2, if there
  /// is one, is the channel: each channel is a plane of its own, even if the file stores the channels of a
  /// pixel together. HDF5 and raw files may have a fourth dimension, such as time. All ranges begin at 0.
  Box domain;
  /// For HDF5, the name of the data set, even if the ImageChoice named none. For FITS, the number of the
  /// extension. The text is empty for other formats.
  std::string dataset = {};
  /// The number of the page of a TIFF file, counted from 0. The number is 0 for other formats.
  int page = 0;
  /// The layout of the numbers in a raw file; not used for other formats.
  RawLayout raw = {};
  /// The number of rows that can only be decoded together: those of a chunk of compressed HDF5, or of a strip
  /// or tile of a TIFF file. The first ones begin with the first row of the image. It is 1 for other files.
  std::int64_t chunk_rows = 1;
  /// The bytes of chunks of HDF5 that a source of one rank keeps in memory after it has read them, so that
  /// they are not decompressed again: those of a row of chunks, but at most 64 MiB, or one chunk. It is 0 for
  /// other files.
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
/// - PNG: Grey, RGB or RGBA images of uint8 or uint16. Samples of fewer than 8 bits are scaled to 8 bits.
///   Images with a palette become RGB images, or RGBA images if the palette has transparent entries.
/// - HDF5: Data sets of the shape (H, W), height and width, or (C, H, W) with C channels, or of 4 dimensions,
///   slowest first. The elements are integers or floats of at most 64 bits in any byte order, or compounds of
///   two such floats with the names `r` and `i`, which are complex numbers as h5py writes them.
/// - TIFF and BigTIFF: Grey, RGB or RGBA images in strips or tiles. The samples are integers of 8, 16, 32 or
///   64 bits or floats of 32 or 64 bits, with any compression that libtiff supports. The points are taken in
///   the order in which they are stored; the orientation that the file asks for is ignored.
/// - FITS: Images with 2 axes (x, y) or 3 axes (x, y, channel), with any compression in tiles that CFITSIO
///   supports, also of floats that were rounded to integers before (quantised). Row 0 is the first row of the
///   file, which astronomical programs show at the bottom. If the header only shifts integers by half their
///   range (BZERO), signed integers become unsigned, and uint8 becomes int8. With any other scaling, integers
///   of 8 or 16 bits become float32, and integers of 32 or 64 bits become float64. Points without a value
///   (BLANK) then become NaN.
/// - JPEG: Grey images are uint8. RGB and YCbCr images become RGB images of uint8.
/// - RLE: Patterns of the Game of Life in the format of Golly and LifeWiki. The first line after comments
///   begins with `x = W, y = H`. The elements are uint8: 1 for a live cell, 0 for a dead one.
/// - FLO: Optical flows of the Middlebury benchmark, which are images of float32 with the channels u and v.
///
/// Throws InputError in each of these cases: The file is missing, unreadable, damaged, or not an image in one
/// of these formats. The image is grey with transparency, or has colours that are multiplied by their
/// transparency, or colours other than grey and RGB. The pattern has another
/// rule than the Game of Life. The data set or page does not exist, or has another shape or type than those
/// above. The file holds several data sets, and `choice` names none.
ImageInfo inspect_image(const std::string& path, const ImageChoice& choice = {});

/// Returns the format of an image file or folder, which its content determines. Returns nothing when the
/// format is unknown or the file cannot be read. Not collective: one rank calls this function.
std::optional<ImageFormat> image_format(const std::string& path);

/// Returns the description of a raw file, in which x changes fastest, then y, then the channel. The numbers
/// are not read, so that even a file that looks like an image of another format can be described. Not
/// collective: one rank calls this function. Throws InputError when the file is missing or unreadable, or
/// when its size does not fit: the file must end with the last point of `domain`.
ImageInfo inspect_raw(const std::string& path, const RawLayout& layout, ElementType type, const Box& domain);

/// Returns the `info` of rank 0 on every rank of `communicator`. Collective.
ImageInfo broadcast(MPI_Comm communicator, ImageInfo info);

/// Returns a source of the image at `path`, which inspect_image or inspect_raw has described as `info`. All
/// ranks pass the same arguments. With MPI_COMM_SELF, neither the source nor its `read` calls MPI. This
/// function does not access the file; only `read` of the source does.
/// `read` may be called several times. `communicator` must outlive the source.
///
/// `read` is collective. Each block has the type of the image and lies in the domain of the image; blocks may
/// be empty. How the blocks are read depends on the format:
///
/// - HDF5: Each rank reads its own block. If the elements must be converted or are stored in chunks, several
///   ranks use MPI-IO. A source of one rank keeps the file open then, and chunks of ImageInfo::kept_bytes in
///   memory.
/// - TIFF: Each rank decodes the strips or tiles that contain points of its block, one after the other.
/// - FITS, FLO and raw: Each rank reads the rows of its block.
/// - RLE: Each rank decodes the whole file and keeps its block.
/// - PNG and JPEG: Rank 0 decodes the rows of the file from the first row to the last row of all blocks, and
///   sends the other ranks theirs. If a block has the last row of the image, the file is decoded to its end.
///   If the next call of `read` asks for rows further down, decoding continues at the row where it has
///   stopped. An interlaced PNG file or a progressive JPEG file is held in memory as a whole while it is
///   decoded.
///
/// `read` throws the same InputError on every rank when the file is damaged or truncated, or when `info` no
/// longer describes the file. If one of several ranks cannot read compressed HDF5, `read` throws
/// StrandedError.
std::unique_ptr<BlockSource> open_image(MPI_Comm communicator, const std::string& path,
                                        const ImageInfo& info);

}  // namespace tessera::io
