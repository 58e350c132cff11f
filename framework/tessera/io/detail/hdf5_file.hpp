// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/io/detail/files.hpp"
#include "tessera/io/detail/hdf5.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// The bytes of a file for attributes and for HDF5's own data.
inline constexpr std::int64_t bytes_besides_arrays = std::int64_t{128} << 10;

/// Returns the most bytes of a file with these arrays, including HDF5's index of their chunks. Throws
/// InputError about `path` when HDF5 does not support chunks of this size.
std::int64_t most_stored_bytes(const std::vector<FileArray>& arrays, const Hdf5Storage& storage,
                               const std::string& path);

/// An HDF5 file that is being written under its temporary name. All calls are collective, with the same
/// arguments on every rank except for blocks, and throw InputError or StrandedError. Destroying an object is
/// not collective: after an error of one rank alone, the others may be anywhere.
class Hdf5File {
 public:
  virtual ~Hdf5File() = default;

  /// Adds a data set, and the groups that contain it. Returns its number, from 0.
  virtual std::size_t add(const FileArray& array, const Hdf5Storage& storage = {}) = 0;
  /// Writes the blocks of all ranks to the data set with this number.
  virtual void write(std::size_t array, const HostBlock& block) = 0;
  /// Adds attributes to the root group, and completes the content of the file.
  virtual void close(const std::vector<FileAttribute>& attributes) = 0;
};

/// A file whose data sets have no chunks. HDF5 runs on rank 0 only and writes to memory, because it crashes
/// or waits forever after an error of a disk. `close` copies its bytes to the file. Before, each rank writes
/// the points of its blocks.
class PlainHdf5File final : public Hdf5File {
 public:
  /// Reserves space on the disk for `bytes` bytes, if the file system supports this. The first
  /// `user_block_bytes` bytes of the file do not belong to HDF5: 0, or a power of 2 from 512 on.
  PlainHdf5File(MPI_Comm communicator, const UnfinishedFile& output, std::int64_t bytes,
                std::int64_t user_block_bytes = 0);

  std::size_t add(const FileArray& array, const Hdf5Storage& storage = {}) override;
  void write(std::size_t array, const HostBlock& block) override;
  void close(const std::vector<FileAttribute>& attributes) override;

  /// Returns the offset in the file of the first point of an array.
  std::int64_t place(std::size_t array) const { return arrays_[array].place; }

 private:
  struct PlacedArray {
    Box domain;
    std::int64_t place = 0;
    std::int64_t bytes = 0;
  };

  void create_in_memory(std::int64_t user_block_bytes);
  void copy_from_memory() const;

  MPI_Comm communicator_;
  const UnfinishedFile& output_;
  std::optional<FileWriter> writer_;
  std::vector<PlacedArray> arrays_;
  File memory_;  // on rank 0, as the file of HDF5
  Hdf5Id hdf5_;
};

/// Returns a plain file, or one whose data sets have chunks, which the ranks write together through MPI-IO.
/// Reserves space as above. Collective. Throws InputError on every rank.
std::unique_ptr<Hdf5File> create_hdf5_file(MPI_Comm communicator, const UnfinishedFile& output,
                                           std::int64_t bytes, const Hdf5Storage& storage);

}  // namespace tessera::io::detail
