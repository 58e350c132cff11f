// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "links.hpp"
#include "tessera/view/collectively.hpp"

namespace pagerank {

/// Sends each link to the rank that `rank_of` gives for it, and returns those that this rank gets: in the
/// order of their senders, and those of one sender in its order. Collective.
template <class RankOf>
std::vector<Link> moved_links(MPI_Comm communicator, std::vector<Link> links, const RankOf& rank_of);

/// Returns the values [to[rank], to[rank + 1]) of an array of which this rank has [from[rank], from[rank +
/// 1]). Collective.
std::vector<double> moved_values(MPI_Comm communicator, const std::vector<double>& values,
                                 const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to);

/// Returns this rank's number.
inline int rank_in(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

namespace detail {
/// Sends `links`, which are in the order of their receivers and of which counts[r] are for rank r.
std::vector<Link> exchanged_links(MPI_Comm communicator, const std::vector<Link>& links,
                                  const std::vector<std::int64_t>& counts);
}  // namespace detail

template <class RankOf>
std::vector<Link> moved_links(MPI_Comm communicator, std::vector<Link> links, const RankOf& rank_of) {
  const int ranks = tessera::ranks_of(communicator);
  if (ranks == 1) return links;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks));
  for (const Link& link : links) ++counts[static_cast<std::size_t>(rank_of(link))];
  std::vector<std::int64_t> next(counts.size());
  for (std::size_t rank = 1; rank < next.size(); ++rank) next[rank] = next[rank - 1] + counts[rank - 1];
  std::vector<Link> sorted(links.size());
  for (const Link& link : links)
    sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(rank_of(link))]++)] = link;
  links = {};
  return detail::exchanged_links(communicator, sorted, counts);
}

}  // namespace pagerank
