// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "links.hpp"
#include "tessera/view/indexed_exchange.hpp"

namespace pagerank {

/// This rank's part of a graph, as rows of the transposed matrix: the links to a vertex are its row. A rank
/// has the rows of the vertices [bounds[rank], bounds[rank + 1]), which are chosen so that all ranks have
/// about as many links.
///
/// Inside a rank, vertices have positions. Those with the largest sum of weights of their links come first,
/// so that what is read most often lies together, and those without a link come last. Behind the rank's own
/// vertices are its ghosts: vertices of other ranks with links to its own, in the order in which they are
/// received. The links of a row are in the order of the sums of their sources in the whole graph, so that a
/// row is summed in the same order on any number of ranks.
struct RankGraph {
  MPI_Comm communicator = MPI_COMM_NULL;
  /// The numbers of vertices and of links in the whole graph.
  std::int64_t vertices = 0, links = 0;
  /// The first vertex of each rank, and the number of all vertices.
  std::vector<std::int64_t> bounds;
  /// The number of this rank.
  int rank = 0;
  /// For each position the vertex, counted from the first vertex of this rank.
  std::vector<Vertex> order;
  /// The number of own vertices that have links to others. Those without have the last positions.
  std::int64_t giving = 0;
  /// The numbers of the first links of the rows, and the number of all links of this rank.
  std::vector<std::int64_t> offsets;
  /// The positions where the links begin.
  std::vector<Vertex> columns;
  /// True when any link of the graph has another weight than 1.
  bool has_weights = false;
  /// The weights of the links. Empty if all links of the graph have the weight 1.
  std::vector<double> weights;
  /// The sum of the weights of the links from each own vertex, by positions.
  std::vector<double> sums;
  /// The vertices that are sent and received, by positions.
  tessera::IndexLists lists;

  /// The number of own vertices.
  std::int64_t rows() const { return static_cast<std::int64_t>(order.size()); }
  /// The first own vertex.
  std::int64_t first() const { return bounds[static_cast<std::size_t>(rank)]; }
};

/// Returns this rank's part of a graph. `links` are those that this rank has read. With `once`, links that
/// are repeated count once, and must all have the weight 1; without it their weights add up. Kokkos must have
/// been started. Collective. Throws InputError, on all ranks, if the sum of the weights of a vertex is so
/// large or so small that what the vertex gives might be infinite or 0.
RankGraph distributed(MPI_Comm communicator, Links links, bool once);

}  // namespace pagerank
