// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/io/image_source.hpp"

namespace pagerank {

/// The number of a vertex, from 0.
using Vertex = std::uint32_t;
/// The greatest number of vertices of a graph.
constexpr std::int64_t most_vertices = 0xffffffff;

/// A link between two vertices.
struct Link {
  Vertex from = 0;
  Vertex to = 0;
  double weight = 1;
};

/// The links of a graph that a rank has read. Each link is on one rank.
struct Links {
  /// The number of vertices of the whole graph.
  std::int64_t vertices = 0;
  /// The links that this rank has read.
  std::vector<Link> links;
  /// The number that the input gives to vertex 0.
  std::int64_t counted_from = 0;
};

/// Returns a count and its noun: "1 vertex", "2 vertices".
inline std::string number_of(std::int64_t count, std::string_view one, std::string_view several) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : several);
}

/// The settings with which links are read.
struct LinkReading {
  /// True when the numbers of the entries are the weights of their links. Otherwise all links have the
  /// weight 1.
  bool has_weights = true;
  /// The number of vertices that the deck gives, or 0.
  std::int64_t vertices = 0;
};

/// Returns the description of a data set that has the links of a graph, in two columns of integers. Not
/// collective. Throws InputError when the data set has another shape or type.
tessera::io::ImageInfo inspect_edge_list(const std::string& path, const std::string& dataset);

/// Reads the links of a data set. Its rows are the links: from the vertex in the first column to the one in
/// the second, both counted from 0. Each rank reads a part of the rows. If LinkReading::vertices is 0, the
/// graph has one vertex more than the greatest number. Collective. Throws InputError, on all ranks, when a
/// vertex is negative or is not in the graph.
Links read_edge_list(MPI_Comm communicator, const std::string& path, const tessera::io::ImageInfo& info,
                     const LinkReading& reading);

}  // namespace pagerank
