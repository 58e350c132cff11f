// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera::app {

namespace detail {
/// Sends any number of bytes to the rank `to`, which must call receive_bytes for the same number of bytes.
void send_bytes(MPI_Comm communicator, int to, const void* data, std::int64_t bytes);
/// Receives bytes that the rank `from` sends with send_bytes.
void receive_bytes(MPI_Comm communicator, int from, void* data, std::int64_t bytes);
/// Returns the numbers that all ranks pass, in the order of the ranks, on rank 0. Returns an empty list on
/// other ranks. Collective.
std::vector<std::int64_t> gather_number(MPI_Comm communicator, std::int64_t number);
}  // namespace detail

/// Returns the lists that all ranks pass, in the order of the ranks, on rank 0. Returns no lists on other
/// ranks. Rank 0 receives from one rank after the other, so that the function is suitable for reports, but
/// too slow for pixels. Collective.
template <class T>
std::vector<std::vector<T>> gather(MPI_Comm communicator, const std::vector<T>& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto bytes = [](std::size_t count) { return static_cast<std::int64_t>(count * sizeof(T)); };
  const std::vector<std::int64_t> counts =
      detail::gather_number(communicator, static_cast<std::int64_t>(mine.size()));
  std::vector<std::vector<T>> lists(counts.size());
  if (lists.empty()) {
    detail::send_bytes(communicator, 0, mine.data(), bytes(mine.size()));
    return lists;
  }
  lists.front() = mine;
  for (std::size_t rank = 1; rank < lists.size(); ++rank) {
    lists[rank].resize(static_cast<std::size_t>(counts[rank]));
    detail::receive_bytes(communicator, static_cast<int>(rank), lists[rank].data(),
                          bytes(lists[rank].size()));
  }
  return lists;
}

/// Replaces `text` on all ranks by the text of rank 0. Collective.
void broadcast(MPI_Comm communicator, std::string& text);
/// Replaces `texts` on all ranks by the texts of rank 0. Collective.
void broadcast(MPI_Comm communicator, std::vector<std::string>& texts);

}  // namespace tessera::app
