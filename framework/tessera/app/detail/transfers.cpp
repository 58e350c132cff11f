// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/transfers.hpp"

#include <cstdint>

#include "tessera/view/mpi_objects.hpp"

namespace tessera::app::detail {

std::vector<std::vector<std::byte>> gather_bytes(MPI_Comm communicator, std::span<const std::byte> mine) {
  int rank = 0, size = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &size);
  const auto bytes = static_cast<std::int64_t>(mine.size());
  std::vector<std::int64_t> counts(rank == 0 ? static_cast<std::size_t>(size) : 0);
  MPI_Gather(&bytes, 1, MPI_INT64_T, counts.data(), 1, MPI_INT64_T, 0, communicator);
  if (rank != 0) {
    const LargeMessage message(bytes);
    MPI_Send(mine.data(), message.count(), message.type(), 0, 0, communicator);
    return {};
  }
  std::vector<std::vector<std::byte>> lists{{mine.begin(), mine.end()}};
  for (int from = 1; from < size; ++from) {
    const LargeMessage message(counts[static_cast<std::size_t>(from)]);
    auto& list = lists.emplace_back(static_cast<std::size_t>(counts[static_cast<std::size_t>(from)]));
    MPI_Recv(list.data(), message.count(), message.type(), from, 0, communicator, MPI_STATUS_IGNORE);
  }
  return lists;
}

}  // namespace tessera::app::detail
