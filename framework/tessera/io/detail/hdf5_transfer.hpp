// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>
#include <mpi.h>

#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/io/detail/hdf5.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Opens the file for reading through MPI-IO. Collective; throws InputError on every rank, about `path`,
/// whatever the file is called meanwhile.
Hdf5Id open_in_parallel(MPI_Comm communicator, const std::string& file_name, const std::string& path);

/// A file to create.
struct NewHdf5 {
  /// Room is made for so many bytes of data, and HDF5's own, before HDF5 sees the file, where the file system
  /// can: HDF5 closes none in which a rank could not write.
  std::int64_t bytes = 0;
  /// HDF5 leaves the user block alone: none, or a power of two from 512 on at the beginning.
  hsize_t user_block_bytes = 0;
  /// It gets arrays with chunks. Of many of them, ranks do not agree with the index of HDF5 before 1.10.
  bool chunked = false;

  /// With what HDF5 itself writes, and attributes.
  std::int64_t all_bytes() const { return bytes + (std::int64_t{128} << 10); }
};

/// Overwrites the file. As open_in_parallel.
Hdf5Id create_in_parallel(MPI_Comm communicator, const std::string& file_name, const std::string& path,
                          const NewHdf5& how);

enum class Direction { read, write };

/// Moves each rank's block between memory and an open data set that holds `domain`. Collective; throws
/// InputError about `path` on every rank, or StrandedError. Blocks whose strides HDF5 can describe move in
/// place, others through a small buffer.
void transfer(MPI_Comm communicator, hid_t dataset, Direction direction, const HostBlock& block,
              const Box& domain, const std::string& path);

/// Fills each rank's block from an open data set of the file at `path` that has this layout. Collective;
/// throws InputError on every rank, or StrandedError. What lies in the file as it does in memory each rank
/// reads past HDF5: MPI-IO takes long over the parts of rows.
void read_dataset(MPI_Comm communicator, hid_t dataset, const Hdf5Layout& layout, const HostBlock& block,
                  const std::string& path);

}  // namespace tessera::io::detail
