// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/io/formats.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io {

// All functions of this header that create a file are collective, with the same arguments on every rank. They
// create it under a temporary name in the folder of `path`, so that they throw InputError if the folder
// cannot be written, before any pixel is computed. `communicator` must outlive the sink.
//
// The blocks that the ranks pass to `write` contain each point of `domain` exactly once; blocks may be empty.
// `write` is called once. Alternatively, `write_part` is called for one part after the other: the parts are
// cut along y, and those of HDF5 and raw files also along the slowest dimensions, each layer again in parts.
// Then the file is complete and gets its final name. A sink that is destroyed before, or
// whose `write` throws, leaves no file. An HDF5 file with chunks takes space on the disk until the end of MPI
// even so. If `write` fails, it throws the same error on every rank. A rank that
// cannot write an HDF5 file with chunks ends the job (see set_end_of_job), or throws StrandedError.

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
  /// True if arrays are stored in chunks even without compression.
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
/// whose domain does not begin at 0 has the attribute `origin`, its first point, slowest dimension first.
/// Each rank writes its own blocks, those of chunks through MPI-IO. After the last array, `notes` is called
/// on every rank, and its result is added to the file. Collective. Throws InputError when the file cannot be
/// created, and InternalError when an array has no points.
std::vector<std::unique_ptr<BlockSink>> create_hdf5(MPI_Comm communicator, const std::string& path,
                                                    const std::vector<FileArray>& arrays,
                                                    const Hdf5Storage& storage,
                                                    std::function<FileNotes()> notes = {});

/// A function that ends all ranks at once, and reports the error. It does not return.
using EndJob = std::function<void(const StrandedError& error)>;

/// Sets the function that a rank calls when it cannot write an HDF5 file with chunks. Without it, HDF5 may
/// wait forever, or crash at the end of MPI. An empty function takes it back. The first call also keeps HDF5
/// from closing files when the process ends, so it must come before other calls of HDF5. Not collective.
void set_end_of_job(EndJob end);

/// Creates an HDF5 file with one contiguous data set, and returns its sink, as the function above does.
inline std::unique_ptr<BlockSink> create_hdf5(MPI_Comm communicator, const std::string& path,
                                              const std::string& dataset, const Box& domain, ElementType type,
                                              std::function<FileNotes()> notes = {}) {
  return std::move(create_hdf5(communicator, path, {{dataset, type, domain}}, {}, std::move(notes)).front());
}

/// Creates a file of one image in a format of the table formats() that is written, HDF5 excepted. Collective.
/// Throws InputError when the file cannot be written, when the format does not hold such arrays, and when
/// Tessera was built without it. How elements are converted stands before the row of functions of the format,
/// at the end of its file in io/formats.
///
/// Each rank writes its own block of a raw file. The rows of other files are sent to rank 0 in bands of a few
/// MiB.
std::unique_ptr<BlockSink> create_image(MPI_Comm communicator, ImageFormat format, const std::string& path,
                                        const Box& domain, ElementType type, int threads = 1);

/// The meaning of the third dimension of an array: a channel of a colour image, or the coordinate z.
enum class ThirdDimension : std::uint8_t { channel, z };

/// Creates an XDMF 2 file, which describes the data set `dataset` of the HDF5 file `hdf5_path` for ParaView,
/// VisIt and VTK: a grid with a spacing of 1 and a point for each element. If the third dimension is the
/// channel, each channel is an attribute (an array in ParaView) of its own; ParaView's 'XDMF Reader' shows
/// these, too, and its 'Xdmf3 Reader' only the others. The path of the HDF5 file is relative to the folder of
/// the XDMF file, so that both can be moved together. The sink ignores the blocks that it gets. Call its
/// `write` only when the HDF5 file is complete. Collective. Throws InputError when the file cannot be
/// written.
std::unique_ptr<BlockSink> create_xdmf(MPI_Comm communicator, const std::string& path,
                                       const std::string& hdf5_path, const std::string& dataset,
                                       const Box& domain, ElementType type, ThirdDimension third);

/// A file of one array. Each rank writes its blocks when it has them: in any order, any number of them,
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
  /// once, except those of a file with which the run has begun. Collective. Throws InputError on all ranks
  /// when the file cannot be completed, and InternalError when the blocks do not have as many points as the
  /// domain.
  virtual void complete() = 0;
};

/// A file of blocks with which a run begins.
struct BegunFile {
  /// The process that was killed and has left this file (see killed_process). 0 means that there is none.
  long process = 0;
  /// The number of points of the blocks in the file that are whole, and that no rank writes.
  std::int64_t points = 0;
};

/// Creates a raw file, which holds only the numbers, or goes on with a file of the same array. The space on
/// the disk is reserved at once, if the file system supports this. Collective, with the same arguments on all
/// ranks, but only rank 0 uses `begun`. Throws InputError when the file cannot be created, or when there is
/// no room for it. `communicator` must outlive the result.
std::unique_ptr<BlockWriter> create_raw_blocks(MPI_Comm communicator, const std::string& path,
                                               const Box& domain, ElementType type,
                                               const BegunFile& begun = {});

/// Creates an HDF5 file with one contiguous data set, as create_hdf5 does. Everything else is as in
/// create_raw_blocks.
std::unique_ptr<BlockWriter> create_hdf5_blocks(MPI_Comm communicator, const std::string& path,
                                                const std::string& dataset, const Box& domain,
                                                ElementType type, const BegunFile& begun = {});

/// Writes a PNG file with a picture that shows the effect of the processing: the middle of the image before
/// it on the left, and after it on the right. Each half shows at most 512 x 512 points, with 8 bits per
/// channel; images of fewer points are magnified to about 512 pixels. `before_owned` and `after_owned` are
/// the blocks of both arrays that this rank owns, which may be distributed differently. Only the points that
/// are shown are sent to rank 0. Collective.
///
/// Integers are shown over the range of their type. Floats are shown over the range from 0 to 1, or to the
/// greatest value that is shown if it is more than 1. If both arrays have the same type, both are shown over
/// the range of the array before. Throws InputError on every rank when PNG does not hold such arrays, or when
/// the file cannot be written.
void write_comparison_png(MPI_Comm communicator, const std::string& path, const HostBlock& before_owned,
                          const HostBlock& after_owned, const Box& domain);

}  // namespace tessera::io
