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

/// What a checkpoint says about the run that wrote it.
struct CheckpointNotes {
  std::string program;
  std::string version;
  /// The deck in effect.
  std::string deck;
  /// Its keys on which the values of the arrays depend.
  std::string problem;
  std::string loop;
  /// Turns of the loop that have ended, and its residual after them.
  std::int64_t turns = 0;
  double residual = 0;
};

/// A checkpoint that is being written: HDF5, with a data set for each array, and attributes. Digests of all
/// that it holds, the same for any number of ranks, let a reader find damage. All calls are collective, with
/// the same arguments on every rank but for blocks, and throw the same InputError on every rank, or
/// StrandedError where one of several ranks cannot write.
class CheckpointWriter {
 public:
  /// Creates the file under a temporary name. The first write reserves space for `bytes` of arrays, residuals
  /// and notes. What is not completed leaves nothing behind.
  CheckpointWriter(MPI_Comm communicator, const std::string& path, std::int64_t bytes = 0);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// The blocks of the ranks make up the array's domain, each point once.
  void write(const FileArray& array, const HostBlock& block);

  /// The file is safe on its disk, and has its name, when the call returns. `residuals` of the turns so far
  /// are rank 0's; there may be none.
  void complete(const CheckpointNotes& notes, std::vector<double> residuals);

 private:
  class Content;
  std::unique_ptr<Content> content_;
};

/// A checkpoint that is read, on any number of ranks. All calls but notes() and arrays() are collective, and
/// throw the same InputError on every rank when the file is damaged.
class CheckpointReader {
 public:
  /// Reads the notes.
  CheckpointReader(MPI_Comm communicator, const std::string& path);
  ~CheckpointReader();
  CheckpointReader(const CheckpointReader&) = delete;
  CheckpointReader& operator=(const CheckpointReader&) = delete;

  const std::string& path() const;
  const CheckpointNotes& notes() const;
  const std::vector<FileArray>& arrays() const;

  /// Reads all arrays once, each rank a part, and compares their digests.
  void verify();

  /// Of the turns so far, on every rank; may be none.
  std::vector<double> residuals();

  /// A block of one of the arrays; those of the ranks may overlap.
  void read(const std::string& array, const HostBlock& block);

 private:
  class Content;
  std::unique_ptr<Content> content_;
};

}  // namespace tessera::io
