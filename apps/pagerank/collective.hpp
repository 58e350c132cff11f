// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "links.hpp"
#include "tessera/view/collectively.hpp"

// Collective operations on links and on numbers of vertices.
namespace pagerank {

/// Sends each link to the rank that `rank_of` gives for it. Returns the links that this rank gets, by their
/// senders; the links of one sender keep their order. Collective.
template <class RankOf>
std::vector<Link> moved_links(MPI_Comm communicator, std::vector<Link> links, const RankOf& rank_of);

/// Distributes an array over the ranks in another way. `values` are the values [from[rank], from[rank + 1])
/// of the array, and the result has the values [to[rank], to[rank + 1]). Collective.
std::vector<double> moved_values(MPI_Comm communicator, const std::vector<double>& values,
                                 const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to);

/// A vertex and its PageRank.
struct Ranked {
  std::int64_t vertex = 0;
  double rank = 0;
};

/// Returns the vertices with the highest PageRanks, at most `count` of them, the highest first. If PageRanks
/// are equal, the lower vertex comes first. `ranks` are the PageRanks of this rank's vertices, which follow
/// each other from `first` on. Collective.
std::vector<Ranked> highest(MPI_Comm communicator, const std::vector<double>& ranks, std::int64_t first,
                            std::int64_t count);

/// Returns a number that depends on all links of a graph and their weights, but neither on their order nor on
/// the ranks that have read them. Graphs with different links hardly ever have the same number. Kokkos must
/// have been started. Collective.
std::uint64_t fingerprint(MPI_Comm communicator, const std::vector<Link>& links);

/// Returns the number of this rank in a communicator.
inline int rank_in(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

namespace detail {
/// Sends `links`, which are in the order of their receivers, counts[r] of them to rank r. Returns the links
/// that this rank gets, in the order of their senders. Collective.
std::vector<Link> exchanged_links(MPI_Comm communicator, const std::vector<Link>& links,
                                  const std::vector<std::int64_t>& counts);
}  // namespace detail

template <class RankOf>
std::vector<Link> moved_links(MPI_Comm communicator, std::vector<Link> links, const RankOf& rank_of) {
  const int ranks = tessera::ranks_of(communicator);
  if (ranks == 1) return links;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks));
  for (const Link& link : links) ++counts[static_cast<std::size_t>(rank_of(link))];
  // Sorts the links by receivers. next[r] is the place of the next link to rank r.
  std::vector<std::int64_t> next(counts.size());
  for (std::size_t rank = 1; rank < next.size(); ++rank) next[rank] = next[rank - 1] + counts[rank - 1];
  std::vector<Link> sorted(links.size());
  for (const Link& link : links)
    sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(rank_of(link))]++)] = link;
  links = {};
  return detail::exchanged_links(communicator, sorted, counts);
}

}  // namespace pagerank
