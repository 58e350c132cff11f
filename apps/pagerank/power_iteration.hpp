// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "rank_graph.hpp"
#include "row_update.hpp"
#include "tessera/view/exact_sum_mpi.hpp"
#include "tessera/view/indexed_exchange.hpp"

namespace pagerank {

/// The iteration that finds ranks. Those of a turn are
///
///     p'(v) = (1 - d) / n + d (sum over links u -> v of weight * p(u) / sum(u) + q / n)
///
/// with the damping d, the number of vertices n, the sum of weights sum(u) of the links from u, and the sum q
/// of the ranks of vertices without links. With the fused product, ranks have the same bits on any number of
/// threads and of ranks of MPI: rows are summed in a fixed order, and sums over vertices are exact. With that
/// of Kokkos Kernels they have them on hosts, where its rows are summed in order. The calls begin() and
/// turn() are collective.
class PowerIteration {
 public:
  /// Prepares the iteration. All ranks are 1 / n. `graph` must outlive this object.
  PowerIteration(const RankGraph& graph, double damping, Product product = Product::fused);

  /// Makes all ranks 1 / n.
  void set_even_ranks() { update_.set_ranks(1 / static_cast<double>(graph_.vertices)); }
  /// Replaces the ranks of this rank's vertices, which are in the order of the vertices.
  void set_ranks(const std::vector<double>& ranks);
  /// Returns the ranks of this rank's vertices, in the order of the vertices.
  std::vector<double> ranks() const;

  /// Begins the turns with the ranks as they are.
  void begin();
  /// Computes a turn, and returns the sum of the absolute changes of all ranks.
  double turn();

 private:
  /// Adds the sums of all ranks.
  void add_over_ranks(TurnSums& sums) const;

  const RankGraph& graph_;
  double damping_;
  RowUpdate update_;
  tessera::ExactSumOperation<double> addition_;
  /// The parts of their ranks that vertices give for a weight of 1: own vertices, and behind them ghosts. A
  /// turn reads the array number `from_` and writes the other one.
  Values gives_[2];
  std::unique_ptr<tessera::IndexedExchange<double>> exchanges_[2];
  int from_ = 0;
  /// The sum of the ranks of vertices without links.
  double lost_ = 0;
};

}  // namespace pagerank
