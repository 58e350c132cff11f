// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/io/file_array.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io {

// All functions of this header that create a file are collective, with the same arguments on every rank. They
// create the file under a temporary name beside `path`, so that a place that cannot be written is an
// InputError before any pixel is computed. `communicator` must outlive the sink.
//
// The file gets its final name when it is complete: at the end of the sink's `write`, which is called once,
// or of the last `write_part`. A sink that is destroyed before its file is complete, or whose `write` throws,
// leaves no file. Each point of `domain` is in the block of exactly one rank; blocks may be empty. Parts of
// PNG, TIFF and RLE files are cut along y. Destruction of a sink is collective too.
//
// `write` throws the same exception on every rank. The sinks of HDF5 differ: where one of several ranks
// cannot write, some or all of the ranks throw StrandedError.

/// A data set of one dimension, such as the residuals of a loop.
struct NumberList {
  /// The name of the data set.
  std::string name;
  /// The number of values, which is the same on every rank.
  std::int64_t count = 0;
  /// The values, on rank 0.
  std::vector<double> values = {};
};

/// An attribute of a file, such as the version of the program that wrote it.
struct FileAttribute {
  /// The name of the attribute.
  std::string name;
  /// The value. Texts are UTF-8, of any length.
  std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>> value;
};

/// Lists and attributes that an HDF5 file holds beside its arrays.
struct FileNotes {
  /// The data sets of one dimension.
  std::vector<NumberList> lists = {};
  /// The attributes of the file's root group, the same on every rank.
  std::vector<FileAttribute> attributes = {};
};

/// Says how an HDF5 file stores its arrays.
struct Hdf5Storage {
  /// The points of a chunk per dimension, x first. An entry that is 0 or missing means 256 along x and y, and
  /// 1 along other dimensions.
  std::vector<std::int64_t> chunk = {};
  /// True when arrays are stored in chunks, false when they are contiguous.
  bool chunked = false;
  /// The level of DEFLATE for chunks, 1 to 9; the bytes of a chunk are shuffled before they are compressed.
  /// 0 means no compression.
  int compression = 0;

  /// Returns true when arrays are stored in chunks, which compression requires.
  bool has_chunks() const { return chunked || compression > 0; }
};

/// Creates an HDF5 file with these data sets, and returns a sink for each of them. Their dimensions are
/// slowest first: (H, W), or planar (C, H, W). The file is complete when its last array is complete. An
/// array that does not begin at 0 gets the attribute `origin`, its first point, slowest dimension first. Each
/// rank writes its own blocks, through MPI-IO. When all blocks have been written, the result of `notes`,
/// which is called on every rank, is added to the file. Collective, as explained at the top of this header.
/// Throws InputError, and InternalError when an array has no points.
std::vector<std::unique_ptr<BlockSink>> create_hdf5(MPI_Comm communicator, const std::string& path,
                                                    const std::vector<FileArray>& arrays,
                                                    const Hdf5Storage& storage,
                                                    std::function<FileNotes()> notes = {});

/// Creates an HDF5 file with one array, which is contiguous, and returns its sink. Names, attributes and
/// errors are those of the function above for several arrays. Collective.
std::unique_ptr<BlockSink> create_hdf5(MPI_Comm communicator, const std::string& path,
                                       const std::string& dataset, const Box& domain, ElementType type,
                                       std::function<FileNotes()> notes = {});

/// Creates a PNG file: grey for a domain of 2 dimensions or of 1 channel, and RGB for 3 channels. uint8 and
/// uint16 are stored unchanged; float32 is scaled from [0, 1] to 16 bits, clamped, and rounded to nearest
/// (NaN becomes 0). Rows are sent to rank 0 in bands of a few MiB. Collective. Throws InputError when the
/// file cannot be written, and for any other type or number of channels.
std::unique_ptr<BlockSink> create_png(MPI_Comm communicator, const std::string& path, const Box& domain,
                                      ElementType type);

/// Creates a TIFF file of strips without compression, or BigTIFF when the data has more than about 3.8 GiB:
/// grey for a domain of 2 dimensions or of 1 channel, and RGB for 3 channels. Elements are stored as they
/// are. Rows are sent to rank 0 in bands of a few MiB. Collective. Throws InputError, also for any other
/// number of channels.
std::unique_ptr<BlockSink> create_tiff(MPI_Comm communicator, const std::string& path, const Box& domain,
                                       ElementType type);

/// Creates a file that holds only the numbers, in the byte order of this machine: x fastest, then y, then the
/// third dimension, so (H, W) or planar (C, H, W) in C order. Each rank writes its own block. Collective.
/// Throws InputError.
std::unique_ptr<BlockSink> create_raw(MPI_Comm communicator, const std::string& path, const Box& domain,
                                      ElementType type);

/// Creates an RLE pattern file of the Game of Life, for a domain of 2 dimensions and uint8. Cells that are
/// not 0 are alive. Rows are sent to rank 0 in bands of a few MiB. Collective. Throws InputError, also for
/// any other array.
std::unique_ptr<BlockSink> create_rle(MPI_Comm communicator, const std::string& path, const Box& domain,
                                      ElementType type);

/// The meaning of the third dimension of an array: a channel of a colour image, or the coordinate z.
enum class ThirdDimension : std::uint8_t { channel, z };

/// Creates an XDMF 2 file, which tells ParaView, VisIt and VTK what lies in the data set `dataset` of the
/// HDF5 file `hdf5_path`: a grid with a spacing of 1, a point per element, and an array per channel. It names
/// the HDF5 file relative to its own folder, so that both can be moved together. The 'XDMF Reader' of
/// ParaView shows all of it, and its 'Xdmf3 Reader' all except arrays with channels. No pixel passes through
/// the sink: its `write` is called when the HDF5 file is complete. Collective. Throws InputError.
std::unique_ptr<BlockSink> create_xdmf(MPI_Comm communicator, const std::string& path,
                                       const std::string& hdf5_path, const std::string& dataset,
                                       const Box& domain, ElementType type, ThirdDimension third);

}  // namespace tessera::io
