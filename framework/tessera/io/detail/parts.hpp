// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

#include "tessera/domain/box.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// How much of a file's array is there already: it comes whole, or part after part along one dimension.
class Parts {
 public:
  Parts(MPI_Comm communicator, std::string path, const Box& domain)
      : communicator_(communicator), path_(std::move(path)), domain_(domain) {}

  /// Before a part is written. Collective; throws InternalError on every rank when it is not the next one, or
  /// the ranks' blocks of `type` do not have as many points.
  void take(const HostBlock& block, const Box& part, ElementType type);
  /// Nothing is left to write.
  bool complete() const { return written_ == domain_.size(); }
  /// Nothing is written yet.
  bool none() const { return written_ == 0; }

 private:
  bool is_next(const Box& part) const;

  MPI_Comm communicator_;
  std::string path_;
  Box domain_;
  std::int64_t written_ = 0;
};

}  // namespace tessera::io::detail
