// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/io/formats.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io {

// All functions of this header that create a file are collective, with the same arguments on every rank. They
// create the file under a temporary name in the folder of `path`. A folder that cannot be written is thus
// reported, by an InputError, before any pixel is computed. `communicator` must outlive the sink.
//
// The blocks that the ranks pass to `write` contain each point of `domain` exactly once; blocks may be empty.
// `write` is called once. Alternatively, `write_part` is called for one part after the other. The parts of
// PNG, TIFF, RLE and FLO files are cut along y. After `write`, or after the last `write_part`, the file is
// complete and gets its final name. A sink that is destroyed before its file is complete, or whose `write`
// throws an exception, leaves no file. The destruction of a sink is also collective. HDF5 and raw files may
// also be written layer by layer of the slowest dimensions, and each layer in parts.
// If `write` fails, it throws the same error on every rank. HDF5 files differ: if one of several ranks cannot
// write such a file, some or all ranks throw StrandedError.

/// A data set of one dimension, such as the residuals of a loop.
struct NumberList {
  /// The name of the data set.
  std::string name;
  /// The number of values, which is the same on every rank.
  std::int64_t count = 0;
  /// The values. Only those of rank 0 are used.
  std::vector<double> values = {};
};

/// An attribute of a file, such as the version of the program that wrote it.
struct FileAttribute {
  /// The name of the attribute.
  std::string name;
  /// The value of the attribute. Texts are UTF-8 and may have any length.
  std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>> value;
};

/// Lists and attributes that an HDF5 file holds in addition to its arrays.
struct FileNotes {
  /// The lists, each of which becomes a data set of one dimension.
  std::vector<NumberList> lists = {};
  /// The attributes of the root group of the file. They are the same on every rank.
  std::vector<FileAttribute> attributes = {};
};

/// The way in which an HDF5 file stores its arrays.
struct Hdf5Storage {
  /// The number of points of a chunk in each dimension, x first. An entry that is 0 or missing
  /// means 256 along x and y, and 1 along other dimensions.
  std::vector<std::int64_t> chunk = {};
  /// Whether arrays are stored in chunks even without compression.
  bool chunked = false;
  /// The level of DEFLATE compression, from 1 to 9; 0 means no compression. The bytes of each chunk are
  /// shuffled before compression (the shuffle filter of HDF5).
  int compression = 0;

  /// Returns whether arrays are stored in chunks. This is also the case when they are compressed, because
  /// HDF5 compresses chunks only.
  bool has_chunks() const { return chunked || compression > 0; }
  /// Returns the number of points of a chunk along a dimension, in which the array has `extent` points.
  std::int64_t chunk_points(int dimension, std::int64_t extent) const {
    const auto i = static_cast<std::size_t>(dimension);
    const std::int64_t asked = i < chunk.size() ? chunk[i] : 0;
    return std::min<std::int64_t>(asked > 0 ? asked : dimension < 2 ? 256 : 1, extent);
  }
};

/// Creates an HDF5 file with a data set for each array, and returns a sink for each array. The dimensions of
/// a data set are stored slowest first: (H, W) for height and width, or (C, H, W) with C channels. An array
/// whose domain does not begin at 0 gets the attribute `origin`, which is its first point, slowest dimension
/// first. Each rank writes its own blocks, through MPI-IO. When the last array has been written, `notes` is
/// called on every rank, and its result is added to the file. The file is then complete. Collective, as
/// explained at the top of this header. Throws InputError when the file cannot be created, and InternalError
/// when an array has no points.
std::vector<std::unique_ptr<BlockSink>> create_hdf5(MPI_Comm communicator, const std::string& path,
                                                    const std::vector<FileArray>& arrays,
                                                    const Hdf5Storage& storage,
                                                    std::function<FileNotes()> notes = {});

/// Creates an HDF5 file with one contiguous data set, and returns its sink. Everything else is as in the
/// function for several arrays. Collective.
std::unique_ptr<BlockSink> create_hdf5(MPI_Comm communicator, const std::string& path,
                                       const std::string& dataset, const Box& domain, ElementType type,
                                       std::function<FileNotes()> notes = {});

/// Creates a file of one image in a format of the table formats() that has a function for this. Formats are
/// written as follows. Collective. Throws InputError when the file cannot be written, when the format has no
/// such arrays, and when Tessera was built without it.
///
/// - PNG: The image is grey if `domain` has 2 dimensions or 1 channel, RGB if it has 3 channels, and RGBA if
///   it has 4. uint8 and uint16 are stored unchanged. float32 is clamped to [0, 1], scaled to 16 bits and
///   rounded to nearest; NaN becomes 0. Rows are sent to rank 0 in bands of a few MiB, and are encoded there
///   by `threads` threads. The bytes of the file depend neither on the number of threads nor on that of
///   ranks.
/// - TIFF: Strips without compression, in a BigTIFF file if the data has more than about 3.8 GiB. Channels
/// are
///   as in PNG. Elements of all types except complex ones are stored unchanged. Rows are sent to rank 0 in
///   bands of a few MiB.
/// - OME-TIFF: A TIFF file with a pyramid: the image in the first directory, with a description of its pixels
///   for Bio-Formats and others, and in directories below it the image at half, a quarter and so on of its
///   size, down to at most 256 points a side. A point of a level is the mean of up to 2 x 2 points of the
///   level before, rounded to nearest, halves up. Everything else is as in TIFF, except that OME has no
///   integers of 64 bits. The levels are kept in a nameless file in the folder of `path`, of a third of the
///   size of the image, until the image is complete.
/// - Raw: Only the numbers, in the byte order of this machine. x changes fastest, then y, then the third
///   dimension. In C order, the shape is (H, W) for height and width, or (C, H, W) with C channels. Each rank
///   writes its own block.
/// - RLE: A pattern of the Game of Life, from an array of uint8 with 2 dimensions. Cells that are not 0 are
///   alive. Rows are sent to rank 0 in bands of a few MiB.
/// - FLO: An optical flow as the Middlebury benchmark keeps it, from an array of float32 with two channels,
///   which are the displacements u and v. Rows are sent to rank 0 in bands of a few MiB.
std::unique_ptr<BlockSink> create_image(MPI_Comm communicator, ImageFormat format, const std::string& path,
                                        const Box& domain, ElementType type, int threads = 1);

/// Creates a PNG file, as create_image does.
inline std::unique_ptr<BlockSink> create_png(MPI_Comm communicator, const std::string& path,
                                             const Box& domain, ElementType type, int threads = 1) {
  return create_image(communicator, ImageFormat::png, path, domain, type, threads);
}
/// Creates a TIFF file, as create_image does.
inline std::unique_ptr<BlockSink> create_tiff(MPI_Comm communicator, const std::string& path,
                                              const Box& domain, ElementType type) {
  return create_image(communicator, ImageFormat::tiff, path, domain, type);
}
/// Creates an OME-TIFF file with a pyramid, as create_image does.
inline std::unique_ptr<BlockSink> create_ome_tiff(MPI_Comm communicator, const std::string& path,
                                                  const Box& domain, ElementType type) {
  return create_image(communicator, ImageFormat::ome_tiff, path, domain, type);
}
/// Creates a raw file, as create_image does.
inline std::unique_ptr<BlockSink> create_raw(MPI_Comm communicator, const std::string& path,
                                             const Box& domain, ElementType type) {
  return create_image(communicator, ImageFormat::raw, path, domain, type);
}
/// Creates an RLE pattern file, as create_image does.
inline std::unique_ptr<BlockSink> create_rle(MPI_Comm communicator, const std::string& path,
                                             const Box& domain, ElementType type) {
  return create_image(communicator, ImageFormat::rle, path, domain, type);
}
/// Creates a .flo file, as create_image does.
inline std::unique_ptr<BlockSink> create_flo(MPI_Comm communicator, const std::string& path,
                                             const Box& domain, ElementType type) {
  return create_image(communicator, ImageFormat::flo, path, domain, type);
}

/// The meaning of the third dimension of an array: a channel of a colour image, or the coordinate z.
enum class ThirdDimension : std::uint8_t { channel, z };

/// Creates an XDMF 2 file, which describes the data set `dataset` of the HDF5 file `hdf5_path` for ParaView,
/// VisIt and VTK. The file describes a grid with a spacing of 1, which has one point for each element. If the
/// third dimension is the channel, the file describes each channel as an attribute (an array in ParaView) of
/// its own. The XDMF file names the HDF5 file by a path relative to its own folder, so that both files can be
/// moved together. In ParaView, the 'XDMF Reader' shows all such files. The 'Xdmf3 Reader' shows all of them
/// except those with channels. The sink ignores the blocks that it gets. Call its `write` only when the HDF5
/// file is complete. Collective. Throws InputError when the XDMF file cannot be written.
std::unique_ptr<BlockSink> create_xdmf(MPI_Comm communicator, const std::string& path,
                                       const std::string& hdf5_path, const std::string& dataset,
                                       const Box& domain, ElementType type, ThirdDimension third);

/// A file of one array, to which each rank writes blocks when it has them: in any order, any number of them,
/// and without the other ranks. The file has a temporary name in its final folder until it is complete. If
/// it is destroyed before, it leaves no file.
class BlockWriter {
 public:
  virtual ~BlockWriter() = default;
  /// Writes a block, which lies in the domain of the array. Not collective. Several threads may call this
  /// function at the same time. It calls neither MPI nor HDF5. Throws InputError when the block cannot be
  /// written, and InternalError when it has another element type or lies partly outside the domain.
  virtual void write(const HostBlock& block) = 0;
  /// Gives the file its final name. The blocks of all ranks must contain each point of the domain exactly
  /// once. Collective. Throws InputError on all ranks when the file cannot be completed, and InternalError
  /// when the blocks do not have as many points as the domain.
  virtual void complete() = 0;
};

/// Creates a raw file, which holds only the numbers, as create_raw does. The space on the disk is reserved at
/// once, if the file system supports this. Collective, with the same arguments on all ranks. Throws
/// InputError when the file cannot be created, or when there is no room for it. `communicator` must outlive
/// the result.
std::unique_ptr<BlockWriter> create_raw_blocks(MPI_Comm communicator, const std::string& path,
                                               const Box& domain, ElementType type);

/// Creates an HDF5 file with one contiguous data set, as create_hdf5 does. Everything else is as in
/// create_raw_blocks.
std::unique_ptr<BlockWriter> create_hdf5_blocks(MPI_Comm communicator, const std::string& path,
                                                const std::string& dataset, const Box& domain,
                                                ElementType type);

/// Writes a PNG file with a picture that shows the effect of the processing: the middle of the image before
/// processing on the left, and after processing on the right. Each half shows at most 512 x 512 points, with
/// 8 bits per channel; images of fewer points are magnified to about 512 pixels. `before_owned` and
/// `after_owned` are the blocks of both arrays that this rank owns. The two arrays may be distributed
/// differently. Only the points that are shown are sent to rank 0. Collective.
///
/// `domain` has 2 dimensions, or 3 dimensions with 1, 3 or 4 channels. The elements are uint8, uint16 or
/// float32. Integers are shown over the range of their type. Floats are shown over the range from 0 to 1, or
/// to the greatest value that is shown if this value is more than 1. If both arrays have the same type, both
/// are shown over the range of the array before processing. Throws InputError on every rank when `domain` or
/// a type is not one of these, or when the file cannot be written. After an error, no incomplete file is
/// left.
void write_comparison_png(MPI_Comm communicator, const std::string& path, const HostBlock& before_owned,
                          const HostBlock& after_owned, const Box& domain);

}  // namespace tessera::io
