// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Brings boxes of a distributed array to rank 0, one at a time.
class Gatherer {
 public:
  /// `block` is what this rank owns of an array of elements of `type`; no box to gather has more than
  /// `most_points` points. Collective.
  Gatherer(MPI_Comm communicator, const HostBlock& block, ElementType type, std::int64_t most_points);

  /// Fills `target` on rank 0, as far as the ranks own its box; elsewhere only target.box is read.
  /// Collective.
  void gather(const HostBlock& target);

 private:
  HostBlock staged(const Box& part);

  MPI_Comm communicator_;
  int rank_ = 0;
  HostBlock block_;
  ElementType type_;
  std::vector<Box> boxes_;
  std::vector<std::byte> buffer_;
};

}  // namespace tessera::io::detail
