// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/view/block_io.hpp"

namespace tessera::io::detail {

/// Sends boxes of a distributed array to rank 0, one box at a time.
class Gatherer {
 public:
  /// `block` is the block of the array that this rank owns, and `type` is the element type of the array. No
  /// box that is gathered may have more than `most_points` points. Collective.
  Gatherer(MPI_Comm communicator, const HostBlock& block, ElementType type, std::int64_t most_points);

  /// Fills `target` on rank 0 with the points that the ranks own. Points that no rank owns are not changed.
  /// The other ranks pass the same `target.box`; the memory of their `target` is not used. Collective.
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
