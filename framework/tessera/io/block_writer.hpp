// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io {

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

}  // namespace tessera::io
