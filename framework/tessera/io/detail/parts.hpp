// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Keeps track of how much of an array has been written to a file. The array is written as a whole, or in
/// parts that follow each other along one dimension, or along one dimension of each layer of the slowest
/// ones.
class Parts {
 public:
  Parts(MPI_Comm communicator, std::string path, const Box& domain)
      : communicator_(communicator), path_(std::move(path)), domain_(domain) {}

  /// Checks a part before it is written, and counts its points as written. Collective. Throws InternalError
  /// on every rank when `part` is not the next part, when a block does not have the element type `type` or
  /// lies partly outside `part`, or when the blocks of all ranks together do not have as many points as
  /// `part`.
  void take(const HostBlock& block, const Box& part, ElementType type);
  /// Whether all points of the array are written.
  bool complete() const { return written_ == domain_.size(); }
  /// Whether no point of the array is written.
  bool none() const { return written_ == 0; }

 private:
  bool is_next(const Box& part) const;

  MPI_Comm communicator_;
  std::string path_;
  Box domain_;
  std::int64_t written_ = 0;
};

}  // namespace tessera::io::detail
