// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>
#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/io/detail/hdf5.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Opens the file at `path` for reading, without MPI. Not collective. Throws InputError.
Hdf5Id open_alone(const std::string& path);

/// Opens the file `file_name` for reading through MPI-IO. Collective. Throws InputError on every rank. The
/// message names `path`, because `file_name` may be a temporary name.
Hdf5Id open_in_parallel(MPI_Comm communicator, const std::string& file_name, const std::string& path);

/// The properties of an HDF5 file that is to be created.
struct NewHdf5 {
  /// The number of bytes of data. Space on the disk is reserved for them and for HDF5's own bytes, if the
  /// file system supports this, because HDF5 cannot close a file into which a rank could not write.
  std::int64_t bytes = 0;
  /// The size of the user block, which is a part at the beginning of the file that HDF5 does not use. The
  /// size is 0, or a power of two that is at least 512.
  hsize_t user_block_bytes = 0;
  /// Whether the file gets arrays with chunks. Such a file uses the format of HDF5 1.10 or later. In older
  /// formats, the ranks may disagree about the index of chunks when there are many chunks.
  bool chunked = false;

  /// Returns `bytes` plus the space for attributes and for HDF5's own data.
  std::int64_t all_bytes() const { return bytes + (std::int64_t{128} << 10); }
};

/// Creates the HDF5 file `file_name` through MPI-IO, and overwrites a file with this name. Collective. Throws
/// InputError about `path` on every rank.
Hdf5Id create_in_parallel(MPI_Comm communicator, const std::string& file_name, const std::string& path,
                          const NewHdf5& how);

enum class Direction { read, write };

/// Reads the block of each rank from an open data set, or writes it to the data set. The data set holds
/// `domain`. Collective. Throws InputError about `path` on every rank, or StrandedError. If HDF5 cannot
/// describe the strides of a block, the points of the block are copied through a buffer.
void transfer(MPI_Comm communicator, hid_t dataset, Direction direction, const HostBlock& block,
              const Box& domain, const std::string& path);

/// Fills the block of each rank from an open data set of the file at `path`. `layout` is the layout of the
/// data set. Collective. Throws InputError on every rank, or StrandedError. If the file holds the points in
/// the form that they have in memory, each rank reads them without HDF5, because MPI-IO is slow at reading
/// parts of rows.
void read_dataset(MPI_Comm communicator, hid_t dataset, const Hdf5Layout& layout, const HostBlock& block,
                  const std::string& path);

/// Fills a block from an open data set of a file that open_alone has opened. Makes no call of MPI. Throws
/// InputError.
void read_alone(hid_t dataset, const Hdf5Layout& layout, const HostBlock& block, const std::string& path);

/// Returns the place of raw_place_of. Throws InputError when the data set extends beyond the end of the file.
std::optional<std::int64_t> checked_raw_place(hid_t dataset, const Hdf5Layout& layout,
                                              const std::string& path);

}  // namespace tessera::io::detail
