// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/io/formats.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io {
namespace detail {
struct SealedArray;
}

/// The notes of a checkpoint about the run that wrote it.
struct CheckpointNotes {
  /// The name of the program.
  std::string program;
  /// The version of the program.
  std::string version;
  /// The complete deck of the run, as YAML.
  std::string deck;
  /// Those keys of the deck that can change the contents of the arrays, each with its value, as text.
  std::string problem;
  /// The name of the loop whose state the checkpoint holds.
  std::string loop;
  /// The number of turns of the loop that have ended.
  std::int64_t turns = 0;
  /// The residual of the loop after these turns.
  double residual = 0;
};

/// Writes a checkpoint: an HDF5 file with a data set for each array, the notes as attributes, and checksums.
/// CheckpointReader finds damage with these checksums, which do not depend on the number of ranks. All calls
/// are collective, with the same arguments on every rank except for blocks and residuals. If a call fails,
/// all ranks throw the same InputError, and the next checkpoint may be written.
class CheckpointWriter {
 public:
  virtual ~CheckpointWriter() = default;

  /// Writes an array. Each of its points is in the block of exactly one rank; blocks may be empty.
  virtual void write(const FileArray& array, const HostBlock& block) = 0;

  /// Writes the notes, and the residuals of the turns so far. The residuals are those that rank 0 passes; the
  /// list may be empty. When the call returns, the file has been flushed to the disk and has its final name.
  virtual void complete(const CheckpointNotes& notes, std::vector<double> residuals) = 0;
};

/// Creates a checkpoint under a temporary name. The first call that writes to the file reserves space on the
/// disk for `bytes` bytes of arrays, residuals and notes. A writer that is destroyed before `complete` has
/// succeeded leaves no file. Collective.
std::unique_ptr<CheckpointWriter> create_checkpoint(MPI_Comm communicator, const std::string& path,
                                                    std::int64_t bytes = 0);

/// Reads a checkpoint, on any number of ranks. All calls except path(), notes() and arrays() are collective.
/// If the file is damaged, they throw the same InputError on every rank.
class CheckpointReader {
 public:
  /// Opens the file and reads its notes.
  CheckpointReader(MPI_Comm communicator, const std::string& path);
  ~CheckpointReader();
  CheckpointReader(const CheckpointReader&) = delete;
  CheckpointReader& operator=(const CheckpointReader&) = delete;

  /// The path of the file.
  const std::string& path() const { return path_; }
  /// The notes about the run that wrote the checkpoint.
  const CheckpointNotes& notes() const { return notes_; }
  /// The arrays in the file. The residuals are not among them.
  const std::vector<FileArray>& arrays() const { return arrays_; }

  /// Checks all arrays for damage: each rank reads a part of each of them.
  void verify();

  /// Returns the residuals of the turns before the checkpoint, on every rank. The list may be empty.
  std::vector<double> residuals();

  /// Reads the points of `block` of the array with the name `array`. The blocks of the ranks may overlap.
  /// Throws InternalError when the file has no such array.
  void read(const std::string& array, const HostBlock& block);

 private:
  void read_notes();

  MPI_Comm communicator_;
  std::string path_;
  CheckpointNotes notes_ = {};
  /// The places of all arrays in the file, and the arrays, including the residuals.
  std::vector<detail::SealedArray> sealed_;
  std::vector<FileArray> all_ = {};
  std::vector<FileArray> arrays_ = {};
};

}  // namespace tessera::io
