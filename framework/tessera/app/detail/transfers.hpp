// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera::app {

namespace detail {
/// From rank to rank; any number of bytes.
void send_bytes(MPI_Comm communicator, int to, const void* data, std::int64_t bytes);
void receive_bytes(MPI_Comm communicator, int from, void* data, std::int64_t bytes);
/// A number of every rank, on rank 0.
std::vector<std::int64_t> gather_number(MPI_Comm communicator, std::int64_t number);
}  // namespace detail

/// The lists of all ranks, by rank, on rank 0; nothing on the others. Collective; one rank after the other:
/// for reports, not for pixels.
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

/// The text that rank 0 has for this rank; `texts` counts only there. Collective.
std::string scatter(MPI_Comm communicator, const std::vector<std::string>& texts);

/// Makes `text` the same on all ranks: that of rank 0. Collective.
void broadcast(MPI_Comm communicator, std::string& text);
void broadcast(MPI_Comm communicator, std::vector<std::string>& texts);

}  // namespace tessera::app
