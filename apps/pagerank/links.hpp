// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
  /// Whether the numbers of the entries are the weights of their links. Otherwise all links have the
  /// weight 1.
  bool has_weights = true;
  /// The number of vertices that the deck gives, or 0.
  std::int64_t vertices = 0;
};

}  // namespace pagerank
