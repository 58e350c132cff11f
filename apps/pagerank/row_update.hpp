// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels_product.hpp"
#include "rank_graph.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/exact_sum.hpp"

namespace pagerank {

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
  /// Computes rows, of which the giving ones come first: each vertex gets the rank `base` and what its links
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

}  // namespace pagerank
