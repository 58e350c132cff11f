// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "rank_graph.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/exact_sum.hpp"
#include "tessera/view/indexed_exchange.hpp"
#include "tessera/view/mpi_objects.hpp"

namespace pagerank {

/// One number for each position.
using Values = Kokkos::View<double*, tessera::MemorySpace>;

/// The ways to compute the sums of rows.
enum class Product : std::uint8_t {
  fused,          ///< In the pass that computes ranks.
  kokkos_kernels  ///< Before that, by KokkosSparse::spmv.
};
/// The names of these ways for the key `product`.
constexpr const char* product_names[] = {"fused", "kokkos-kernels"};
/// True when the program is built with Kokkos Kernels.
#ifdef PAGERANK_KERNELS
constexpr bool has_kernels = true;
#else
constexpr bool has_kernels = false;
#endif

/// A function that returns the sums of all rows of a rank, from what the vertices at all positions give.
using RowProduct = std::function<Values(const Values& gives)>;

/// Returns the product of Kokkos Kernels, which has a copy of the links of a graph as a matrix. Only in
/// builds with Kokkos Kernels.
RowProduct make_kernels_product(const RankGraph& graph);

/// Exact sums over vertices.
struct TurnSums {
  /// The absolute changes of ranks.
  tessera::ExactSum<double> change;
  /// The ranks of vertices without links.
  tessera::ExactSum<double> lost;
};

/// Rows that one thread computes at a time.
struct RowPart {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// The iteration that finds PageRanks. A turn computes from the ranks p of the turn before
///
///     p'(v) = (1 - d) / n + d (sum over links u -> v of weight * p(u) / sum(u) + q / n)
///
/// with the damping d, the number of vertices n, the sum of weights sum(u) of the links from u, and the sum q
/// of the ranks of vertices without links. With the fused product, ranks have the same bits on any number of
/// threads and of ranks of MPI: rows are summed in a fixed order, and sums over vertices are exact. With the
/// product of Kokkos Kernels they have the same bits on hosts only, where it sums rows in order. A turn is
/// one pass over the rows, or two if Kokkos Kernels computes the sums. The calls begin() and turn() are
/// collective.
class PowerIteration {
 public:
  /// Copies a graph to where kernels run. All ranks are 1 / n. `graph` must outlive this object.
  PowerIteration(const RankGraph& graph, double damping, Product product = Product::fused);

  /// Makes all ranks 1 / n.
  void set_even_ranks() { Kokkos::deep_copy(ranks_, 1 / static_cast<double>(graph_.vertices)); }
  /// Replaces the ranks of this rank's vertices, which are in the order of the vertices.
  void set_ranks(const std::vector<double>& ranks);
  /// Returns the ranks of this rank's vertices, in the order of the vertices.
  std::vector<double> ranks() const;

  /// Begins the turns with the ranks as they are.
  void begin();
  /// Computes a turn, and returns the sum of the absolute changes of all ranks.
  double turn();

 private:
  /// Rows that are computed at once.
  enum class Rows : std::uint8_t {
    giving,  ///< Those of the vertices that have links.
    silent,  ///< Those of the vertices without links, which nobody waits for.
    all      ///< All rows.
  };

  void make_parts();
  void compute(Rows rows, double base, int to, TurnSums& sums);
  template <class Row>
  void compute_on_host(Rows rows, const Row& row, TurnSums& sums);
  template <class Row>
  void compute_on_device(Rows rows, const Row& row, TurnSums& sums) const;
  void add_over_ranks(TurnSums& sums) const;

  const RankGraph& graph_;
  double damping_;
  Kokkos::View<std::int64_t*, tessera::MemorySpace> offsets_;
  Kokkos::View<Vertex*, tessera::MemorySpace> columns_;
  Values weights_;
  /// Computes the sums of rows; empty if they are computed together with the ranks.
  RowProduct product_;
  Values sums_;
  /// The damping divided by the sum of the weights of the links, for own vertices with links.
  Values factors_;
  /// The ranks of the own vertices, by positions.
  Values ranks_;
  /// The parts of the rows of vertices with links, and then the parts of the rows of vertices without links.
  std::vector<RowPart> parts_;
  std::int64_t giving_parts_ = 0;
  std::vector<TurnSums> part_sums_;
  tessera::ValueReduction addition_;
  /// The part of its rank that each vertex gives for a weight of 1, times the damping: own vertices, and
  /// behind them ghosts. A turn reads the array number `from_` and writes the other array.
  Values gives_[2];
  std::unique_ptr<tessera::IndexedExchange<double>> exchanges_[2];
  int from_ = 0;
  /// The sum of the ranks of vertices without links.
  double lost_ = 0;
};

}  // namespace pagerank
