// SPDX-License-Identifier: BSD-3-Clause
#include "collective.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "tessera/domain/box.hpp"
#include "tessera/domain/counter_hash.hpp"
#include "tessera/graph/transfer.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/mpi_objects.hpp"

namespace pagerank {
namespace {

/// The tag of all messages of this file.
constexpr int moved_tag = 0;

/// Sends each rank r a part of an array, sent_counts[r] values. Parts lie one after the other. Returns the
/// parts that this rank receives, received_counts[r] values from each rank r. Collective.
template <class T>
std::vector<T> exchanged(MPI_Comm communicator, const std::vector<T>& sent,
                         const std::vector<std::int64_t>& sent_counts,
                         const std::vector<std::int64_t>& received_counts) {
  std::vector<T> received(static_cast<std::size_t>(
      std::accumulate(received_counts.begin(), received_counts.end(), std::int64_t(0))));
  std::vector<MPI_Request> requests;
  const auto start = [&](const std::vector<std::int64_t>& counts, auto* values, const auto& call) {
    for (int rank = 0; const std::int64_t count : counts) {
      const tessera::LargeMessage message(count * static_cast<std::int64_t>(sizeof(T)));
      if (count > 0)
        call(values, message.count(), message.type(), rank, moved_tag, communicator,
             &requests.emplace_back());
      values += count;
      ++rank;
    }
  };
  start(received_counts, received.data(), MPI_Irecv);
  start(sent_counts, sent.data(), MPI_Isend);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return received;
}

/// Keeps the `count` vertices of a list with the highest PageRanks, the highest first, and removes all
/// others.
void keep_highest(std::vector<Ranked>& list, std::int64_t count) {
  const auto most = static_cast<std::ptrdiff_t>(std::min<std::int64_t>(count, std::ssize(list)));
  std::partial_sort(list.begin(), list.begin() + most, list.end(), [](const Ranked& a, const Ranked& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.vertex < b.vertex;
  });
  list.resize(static_cast<std::size_t>(most));
}

/// Adds the hash of a link to a sum of integers, which is the same in any order. A repeated link is added as
/// often as it is repeated.
struct AddLinkHash {
  const Link* links;

  void operator()(std::int64_t i, std::uint64_t& sum) const {
    const Link& link = links[i];
    sum += tessera::counter_hash(0, link.from, link.to, tessera::bit_cast<std::int64_t>(link.weight));
  }
};

}  // namespace

std::vector<Link> detail::exchanged_links(MPI_Comm communicator, const std::vector<Link>& links,
                                          const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> received(counts.size());
  MPI_Alltoall(counts.data(), 1, MPI_INT64_T, received.data(), 1, MPI_INT64_T, communicator);
  return exchanged(communicator, links, counts, received);
}

std::vector<double> moved_values(MPI_Comm communicator, const std::vector<double>& values,
                                 const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) {
  const auto rank = static_cast<std::size_t>(rank_in(communicator));
  const auto range = [](const std::vector<std::int64_t>& bounds, std::size_t part) {
    return tessera::Range{bounds[part], bounds[part + 1]};
  };
  std::vector<std::int64_t> sent, received;
  for (std::size_t other = 0; other + 1 < from.size(); ++other) {
    sent.push_back(intersection(range(from, rank), range(to, other)).size());
    received.push_back(intersection(range(to, rank), range(from, other)).size());
  }
  return exchanged(communicator, values, sent, received);
}

std::vector<Ranked> highest(MPI_Comm communicator, const std::vector<double>& ranks, std::int64_t first,
                            std::int64_t count) {
  std::vector<Ranked> own;
  for (const double rank : ranks) own.push_back({first++, rank});
  keep_highest(own, count);
  std::vector<Ranked> list = tessera::graph::gathered(communicator, own);
  keep_highest(list, count);
  return list;
}

std::uint64_t fingerprint(MPI_Comm communicator, const std::vector<Link>& links) {
  using Space = tessera::HostExecutionSpace;
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce(
      "pagerank: fingerprint",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(0, static_cast<std::int64_t>(links.size())),
      AddLinkHash{links.data()}, sum);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, communicator);
  return sum;
}

}  // namespace pagerank
