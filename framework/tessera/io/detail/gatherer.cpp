// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/gatherer.hpp"

#include <algorithm>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/view/collectively.hpp"

namespace tessera::io::detail {

Gatherer::Gatherer(MPI_Comm communicator, const HostBlock& block, ElementType type, std::int64_t most_points)
    : communicator_(communicator), block_(block), type_(type) {
  const int ranks = ranks_of(communicator_);
  MPI_Comm_rank(communicator_, &rank_);
  collectively(communicator_, [&] {
    const std::int64_t points = rank_ == 0 ? most_points : std::min(most_points, block_.box.size());
    buffer_.resize(static_cast<std::size_t>(points) * size_of(type_));
    if (rank_ == 0) boxes_.resize(static_cast<std::size_t>(ranks));
  });
  if (ranks == 1) {
    boxes_.front() = block_.box;
    return;
  }
  MPI_Gather(&block_.box, sizeof(Box), MPI_BYTE, boxes_.data(), sizeof(Box), MPI_BYTE, 0, communicator_);
}

HostBlock Gatherer::staged(const Box& part) { return packed_block(buffer_.data(), type_, part); }

void Gatherer::gather(const HostBlock& target) {
  constexpr int tag = 0;
  const auto bytes = [&](const Box& part) {
    return static_cast<int>(part.size() * static_cast<std::int64_t>(size_of(type_)));
  };
  const Box mine = intersection(block_.box, target.box);
  if (rank_ == 0) {
    copy_part(block_, target, mine);
    for (int rank = 1; rank < static_cast<int>(boxes_.size()); ++rank) {
      const Box part = intersection(boxes_[static_cast<std::size_t>(rank)], target.box);
      if (part.empty()) continue;
      MPI_Recv(buffer_.data(), bytes(part), MPI_BYTE, rank, tag, communicator_, MPI_STATUS_IGNORE);
      copy_part(staged(part), target, part);
    }
  } else if (!mine.empty()) {
    copy_part(block_, staged(mine), mine);
    // A synchronous send ends when rank 0 receives it. Otherwise, small messages of ranks that are faster
    // than rank 0 would accumulate in the memory of rank 0.
    MPI_Ssend(buffer_.data(), bytes(mine), MPI_BYTE, 0, tag, communicator_);
  }
}

}  // namespace tessera::io::detail
