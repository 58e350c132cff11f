// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tessera/graph/graph.hpp"

// Random graphs, and what they compute, as a plain recursion that knows nothing of graphs.
namespace tessera::graph_test {

using Number = std::uint64_t;

/// A part of a graph with one input and one output.
struct Shape {
  /// `hash` changes a number, `filter` drops some, `chain` has one child after the other, `diamond` joins
  /// what two children make of the same number, `loop` repeats its child until the number says so, `scatter`
  /// makes several numbers of one and gathers its child's results, and `held` holds a buffer while
  /// its child works. `tally` keeps a state in the order of the items, and `pair` keeps one of what its two
  /// children make.
  enum class Kind { hash, filter, chain, diamond, loop, scatter, held, tally, pair };
  Kind kind = Kind::hash;
  Number salt = 0;
  /// For loops: the most turns. For `held`: the number of buffers.
  int count = 1;
  std::vector<Shape> children = {};
};

/// Returns a shape whose nesting is at most `depth`, with states if it is the outermost.
Shape random_shape(std::mt19937_64& random, int depth, bool is_outermost);

/// Returns the shape's results for the numbers 0, 1 and so on to `count`, by recursion.
std::vector<Number> plain_results(const Shape& shape, int count);

/// A graph that has the shape and writes its results to `results`.
class ShapedGraph {
 public:
  ShapedGraph(const Shape& shape, int count);
  graph::Graph& graph() { return graph_; }
  /// The results since the last call.
  std::vector<Number> take_results() { return std::exchange(results_, {}); }

 private:
  graph::Flow<Number> add(const Shape& shape, graph::Flow<Number> flow);
  std::string name(const char* kind) { return kind + std::to_string(++tasks_); }

  graph::Graph graph_{"random"};
  int tasks_ = 0;
  std::vector<Number> results_;
};

}  // namespace tessera::graph_test
