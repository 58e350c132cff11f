// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/io/file_array.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io {

/// The notes of a checkpoint about the run that wrote it.
struct CheckpointNotes {
  /// The name of the program.
  std::string program;
  /// The version of the program.
  std::string version;
  /// The deck in effect, as YAML.
  std::string deck;
  /// The keys of the deck on which the values of the arrays depend, with their values.
  std::string problem;
  /// The name of the loop.
  std::string loop;
  /// The number of turns of the loop that have ended.
  std::int64_t turns = 0;
  /// The residual of the loop after these turns.
  double residual = 0;
};

/// Writes a checkpoint: an HDF5 file with a data set for each array, and attributes. Digests of everything
/// that it holds, which are the same for any number of ranks, let a reader find damage. All calls are
/// collective, with the same arguments on every rank except for blocks and residuals. They throw the same
/// InputError on every rank, or StrandedError where one of several ranks cannot write.
class CheckpointWriter {
 public:
  /// Creates the file under a temporary name. The first write reserves space for `bytes` bytes of arrays,
  /// residuals and notes. A checkpoint that is not completed leaves no file.
  CheckpointWriter(MPI_Comm communicator, const std::string& path, std::int64_t bytes = 0);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Writes an array. The blocks of the ranks make up its domain, each point once; some may be empty.
  void write(const FileArray& array, const HostBlock& block);

  /// Writes the notes and the residuals of the turns so far, which rank 0 gives; there may be none. When the
  /// call returns, the file is safe on its disk and has its final name.
  void complete(const CheckpointNotes& notes, std::vector<double> residuals);

 private:
  class Content;
  std::unique_ptr<Content> content_;
};

/// Reads a checkpoint, on any number of ranks. All calls except path(), notes() and arrays() are collective,
/// and throw the same InputError on every rank when the file is damaged.
class CheckpointReader {
 public:
  /// Opens the file and reads its notes.
  CheckpointReader(MPI_Comm communicator, const std::string& path);
  ~CheckpointReader();
  CheckpointReader(const CheckpointReader&) = delete;
  CheckpointReader& operator=(const CheckpointReader&) = delete;

  /// The path of the file.
  const std::string& path() const;
  /// The notes about the run that wrote the checkpoint.
  const CheckpointNotes& notes() const;
  /// The arrays in the file, without the residuals.
  const std::vector<FileArray>& arrays() const;

  /// Reads all arrays once, each rank a part of them, and compares their digests.
  void verify();

  /// Returns the residuals of the turns so far, on every rank; there may be none.
  std::vector<double> residuals();

  /// Reads a block of one of the arrays. The blocks of the ranks may overlap. Throws InternalError when there
  /// is no such array.
  void read(const std::string& array, const HostBlock& block);

 private:
  class Content;
  std::unique_ptr<Content> content_;
};

}  // namespace tessera::io
