// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/node_counts.hpp"

#include <new>

#include "tessera/domain/error.hpp"

namespace tessera::app {
namespace {

/// The bytes of a count. Counts lie in cache lines of their own, so that ranks do not slow each other down.
constexpr std::int64_t bytes_of_count = 64;

}  // namespace

NodeCounts::NodeCounts(MPI_Comm communicator) : memory_(communicator) {
  std::byte* mine = nullptr;
  try {
    mine = memory_.allocate(bytes_of_count, true);
  } catch (const InputError&) {
    throw InputError(
        "'watchdog': the ranks of a machine node cannot share memory, in which they see the steps of each "
        "other: leave it out, or use more nodes");
  }
  counts_.push_back(new (mine) Count(0));
  // No rank may look at a count that is not there yet.
  MPI_Barrier(communicator);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  for (int other = 0; other < ranks; ++other) {
    if (!memory_.shares_node(other)) has_all_ = false;
    if (other != rank && memory_.shares_node(other))
      counts_.push_back(std::launder(reinterpret_cast<Count*>(memory_.of(other))));
  }
}

std::int64_t NodeCounts::sum() const {
  std::int64_t sum = 0;
  for (const Count* count : counts_) sum += count->load(std::memory_order_relaxed);
  return sum;
}

}  // namespace tessera::app
