// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tessera/graph/transfer.hpp"

namespace tessera::app {

namespace detail {
/// Returns the bytes that all ranks pass, as gather does.
std::vector<std::vector<std::byte>> gather_bytes(MPI_Comm communicator, std::span<const std::byte> mine);
}  // namespace detail

/// Returns the lists that all ranks pass, in the order of the ranks, on rank 0. Returns no lists on other
/// ranks. Rank 0 receives from one rank after the other, so that the function is suitable for reports, but
/// too slow for pixels. Collective.
template <class T>
std::vector<std::vector<T>> gather(MPI_Comm communicator, const std::vector<T>& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<std::vector<T>> lists;
  for (const auto& bytes : detail::gather_bytes(communicator, std::as_bytes(std::span(mine))))
    if (std::vector<T>& list = lists.emplace_back(bytes.size() / sizeof(T)); !list.empty())
      std::memcpy(list.data(), bytes.data(), bytes.size());
  return lists;
}

/// Replaces `texts` on all ranks by the texts of rank 0. Collective.
inline void broadcast(MPI_Comm communicator, std::vector<std::string>& texts) {
  texts = graph::broadcast(communicator, texts);
}

}  // namespace tessera::app
