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

// All functions are collective, with the same arguments on every rank, and create the file under a temporary
// name beside `path`, so that a place that cannot be written is an InputError before any pixel is computed.
// The sink's `write`, which is called once, or the last `write_part`, gives the file its name when it is
// complete; a sink that is destroyed without, or whose `write` throws, leaves nothing behind. Parts of PNG,
// TIFF and RLE files are cut along y. `write` throws the same exception on every rank, but for HDF5: where
// one of several ranks cannot write, some or all of them have StrandedError. The blocks of the ranks make up
// `domain`, each point once; some may be empty. Destruction is collective too, and `communicator` must
// outlive the sink.

/// A data set of one dimension, such as how the residual of a loop went.
struct NumberList {
  std::string name;
  /// The same on every rank.
  std::int64_t count = 0;
  /// On rank 0.
  std::vector<double> values = {};
};

/// Something to know about a file, such as the version of the program that wrote it.
struct FileAttribute {
  std::string name;
  std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>> value;
};

/// What an HDF5 file holds beside its array.
struct FileNotes {
  std::vector<NumberList> lists = {};
  /// Of the file's root group, the same on every rank. Texts are UTF-8, of any length.
  std::vector<FileAttribute> attributes = {};
};

/// How an HDF5 file keeps its arrays.
struct Hdf5Storage {
  /// Points of a chunk per dimension, x first. Where there is none, or 0: 256 along x and y, 1 along others.
  std::vector<std::int64_t> chunk = {};
  bool chunked = false;  ///< else contiguous
  int compression = 0;   ///< the level of DEFLATE, 1 to 9, of chunks whose bytes are shuffled; 0: none

  bool has_chunks() const { return chunked || compression > 0; }
};

/// An HDF5 file with these data sets, slowest dimension first: (H, W), or planar (C, H, W), and a sink for
/// each; the last to be complete completes the file. The attribute `origin` of an array that does not begin
/// at 0 tells its first point, slowest dimension first. Each rank writes its own blocks, through MPI-IO. With
/// them goes what `notes`, which is collective, gives when all have been written. Throws InputError.
std::vector<std::unique_ptr<BlockSink>> create_hdf5(MPI_Comm communicator, const std::string& path,
                                                    const std::vector<FileArray>& arrays,
                                                    const Hdf5Storage& storage,
                                                    std::function<FileNotes()> notes = {});

/// The same with one array, which is contiguous.
std::unique_ptr<BlockSink> create_hdf5(MPI_Comm communicator, const std::string& path,
                                       const std::string& dataset, const Box& domain, ElementType type,
                                       std::function<FileNotes()> notes = {});

/// A PNG file: grey for a domain of 2 dimensions or of 1 channel, RGB for 3 channels. uint8 and uint16 are
/// stored as they are; float32 is scaled from [0, 1] to 16 bits, clamped and rounded to nearest (NaN becomes
/// 0). Rows go to rank 0 in bands of a few MiB. Throws InputError, also for any other type or number of
/// channels.
std::unique_ptr<BlockSink> create_png(MPI_Comm communicator, const std::string& path, const Box& domain,
                                      ElementType type);

/// A TIFF file of strips that are not compressed, or BigTIFF when the data has more than some 3.8 GiB: grey
/// for a domain of 2 dimensions or of 1 channel, RGB for 3 channels, elements as they are. Rows go to rank 0
/// in bands of a few MiB. Throws InputError, also for any other number of channels.
std::unique_ptr<BlockSink> create_tiff(MPI_Comm communicator, const std::string& path, const Box& domain,
                                       ElementType type);

/// A file that holds nothing but the numbers, in the byte order of this machine: x fastest, then y, then the
/// third dimension, so (H, W) or planar (C, H, W) in C order. Each rank writes its own block. Throws
/// InputError.
std::unique_ptr<BlockSink> create_raw(MPI_Comm communicator, const std::string& path, const Box& domain,
                                      ElementType type);

/// An RLE pattern file of the Game of Life, for a domain of 2 dimensions and uint8: cells that are not 0 are
/// alive. Rows go to rank 0 in bands of a few MiB. Throws InputError, also for any other array.
std::unique_ptr<BlockSink> create_rle(MPI_Comm communicator, const std::string& path, const Box& domain,
                                      ElementType type);

/// What the third dimension of an array is.
enum class ThirdDimension : std::uint8_t { channel, z };

/// An XDMF 2 file, which tells ParaView, VisIt and VTK what lies in the data set `dataset` of `hdf5_path`: a
/// grid with a spacing of 1, a point per element, and an array per channel. It names the HDF5 file as seen
/// from its own folder, so that both can be moved together. ParaView's 'XDMF Reader' shows all of it; 'Xdmf3
/// Reader' all but arrays with channels. No pixel passes through it: its `write` only says that the HDF5 file
/// is complete. Throws InputError.
std::unique_ptr<BlockSink> create_xdmf(MPI_Comm communicator, const std::string& path,
                                       const std::string& hdf5_path, const std::string& dataset,
                                       const Box& domain, ElementType type, ThirdDimension third);

}  // namespace tessera::io
