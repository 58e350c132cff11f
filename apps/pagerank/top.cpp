// SPDX-License-Identifier: BSD-3-Clause
#include "top.hpp"

#include <algorithm>

#include "moved.hpp"

namespace pagerank {
namespace {

/// Leaves the highest ranks, in their order.
void keep_highest(std::vector<Ranked>& list, std::int64_t count) {
  const auto most = static_cast<std::ptrdiff_t>(std::min<std::int64_t>(count, std::ssize(list)));
  std::partial_sort(list.begin(), list.begin() + most, list.end(), [](const Ranked& a, const Ranked& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.vertex < b.vertex;
  });
  list.resize(static_cast<std::size_t>(most));
}

}  // namespace

std::vector<Ranked> highest(MPI_Comm communicator, const std::vector<double>& ranks, std::int64_t first,
                            std::int64_t count) {
  std::vector<Ranked> own;
  for (const double rank : ranks) own.push_back({first++, rank});
  keep_highest(own, count);
  const int bytes = static_cast<int>(own.size() * sizeof(Ranked));
  const bool is_first = rank_in(communicator) == 0;
  std::vector<int> sizes(is_first ? static_cast<std::size_t>(tessera::ranks_of(communicator)) : 0);
  MPI_Gather(&bytes, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, communicator);
  std::vector<int> places;
  int all = 0;
  for (const int size : sizes) {
    places.push_back(all);
    all += size;
  }
  std::vector<Ranked> list(static_cast<std::size_t>(all) / sizeof(Ranked));
  MPI_Gatherv(own.data(), bytes, MPI_BYTE, list.data(), sizes.data(), places.data(), MPI_BYTE, 0,
              communicator);
  keep_highest(list, count);
  return list;
}

}  // namespace pagerank
