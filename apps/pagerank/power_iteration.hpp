// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
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

/// The ways to multiply rows.
enum class Product : std::uint8_t {
  fused,          ///< In the pass that computes ranks.
  kokkos_kernels  ///< Before that, by KokkosSparse::spmv.
};
/// The names of these ways for the key `product`.
constexpr const char* product_names[] = {"fused", "kokkos-kernels"};
/// Whether the program is built with Kokkos Kernels.
#ifdef PAGERANK_KERNELS
constexpr bool has_kernels = true;
#else
constexpr bool has_kernels = false;
#endif

/// The matrix of a rank in the form that Kokkos Kernels multiplies.
class KernelsProduct {
 public:
  virtual ~KernelsProduct() = default;
  /// Computes the sums of all rows, from what positions give.
  virtual void multiply(const Values& gives) = 0;
  /// The sums of the rows.
  virtual const Values& sums() const = 0;
};

/// Copies the links of a graph into such a matrix. Only in builds with Kokkos Kernels.
std::unique_ptr<KernelsProduct> make_kernels_product(const RankGraph& graph);

/// Sums over vertices, which are exact.
struct TurnSums {
  /// The absolute changes of ranks.
  tessera::ExactSum<double> change;
  /// The ranks of vertices without links.
  tessera::ExactSum<double> lost;
};

/// Rows that are computed at once.
enum class Rows : std::uint8_t {
  giving,  ///< Those of the vertices that have links.
  silent,  ///< Those of the vertices without links, which nobody waits for.
  all      ///< All rows.
};

/// Computes the rows of a rank: the sum of a row, the rank of its vertex, and what the vertex gives in the
/// next turn. All of this is one pass, or two if Kokkos Kernels computes the sums.
class RowUpdate {
 public:
  /// Copies a graph to where kernels run. All ranks of vertices are 1 / n.
  RowUpdate(const RankGraph& graph, double damping, Product product);

  /// The ranks of the own vertices, by positions.
  const Values& ranks() const { return ranks_; }
  /// Makes all ranks of vertices the same.
  void set_ranks(double rank) const { Kokkos::deep_copy(ranks_, rank); }
  /// Returns an array of what all positions give, with zeros.
  Values make_gives() const;

  /// Sets what own vertices give with their ranks as they are, and adds the ranks of vertices without links
  /// to `sums`.
  void start(const Values& gives, TurnSums& sums) const;
  /// Computes rows. Those that give come first. Each vertex gets the rank `base` and what its links
  /// bring from `from`. Adds the changes, and the ranks of vertices without links, to `sums`.
  void compute(Rows rows, double base, const Values& from, const Values& to, TurnSums& sums);

 private:
  /// Rows that one thread computes at a time.
  struct Part {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  void make_parts(const RankGraph& graph);
  template <class Row>
  void compute_on_host(Rows rows, const Row& row, TurnSums& sums);
  template <class Row>
  void compute_on_device(Rows rows, const Row& row, TurnSums& sums) const;

  /// The numbers of own vertices, of those with links, and of own vertices and ghosts.
  std::int64_t rows_ = 0, giving_ = 0, positions_ = 0;
  Kokkos::View<std::int64_t*, tessera::MemorySpace> offsets_;
  Kokkos::View<Vertex*, tessera::MemorySpace> columns_;
  Values weights_;
  /// Computes the sums of rows; null if they are computed together with the ranks.
  std::unique_ptr<KernelsProduct> product_;
  /// The damping divided by the sum of the weights of the links, for own vertices with links.
  Values factors_;
  Values ranks_;
  /// The parts of the rows of giving vertices, and then those of the others.
  std::vector<Part> parts_;
  std::int64_t giving_parts_ = 0;
  std::vector<TurnSums> part_sums_;
};

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
  tessera::ValueReduction addition_;
  /// The parts of their ranks that vertices give for a weight of 1: own vertices, and behind them ghosts. A
  /// turn reads the array number `from_` and writes the other one.
  Values gives_[2];
  std::unique_ptr<tessera::IndexedExchange<double>> exchanges_[2];
  int from_ = 0;
  /// The sum of the ranks of vertices without links.
  double lost_ = 0;
};

}  // namespace pagerank
