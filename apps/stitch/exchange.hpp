// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace stitch {

/// Returns the list that rank 0 passes on all ranks. Collective. The list has less than 2 GiB.
template <class T>
std::vector<T> broadcast_list(MPI_Comm communicator, std::vector<T> list) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::int64_t size = static_cast<std::int64_t>(list.size());
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, communicator);
  list.resize(static_cast<std::size_t>(size));
  MPI_Bcast(list.data(), static_cast<int>(list.size() * sizeof(T)), MPI_BYTE, 0, communicator);
  return list;
}

/// Returns the elements that all ranks pass, in the order of the ranks, on all ranks. Collective. The result
/// has less than 2 GiB.
template <class T>
std::vector<T> gather_lists(MPI_Comm communicator, const std::vector<T>& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  int ranks = 1;
  MPI_Comm_size(communicator, &ranks);
  const int bytes = static_cast<int>(mine.size() * sizeof(T));
  std::vector<int> counts(static_cast<std::size_t>(ranks)), offsets(counts.size());
  MPI_Allgather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, communicator);
  int sum = 0;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    offsets[rank] = sum;
    sum += counts[rank];
  }
  std::vector<T> all(static_cast<std::size_t>(sum) / sizeof(T));
  MPI_Allgatherv(mine.data(), bytes, MPI_BYTE, all.data(), counts.data(), offsets.data(), MPI_BYTE,
                 communicator);
  return all;
}

}  // namespace stitch
