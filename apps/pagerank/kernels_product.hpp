// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "rank_graph.hpp"
#include "tessera/view/compat.hpp"

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

}  // namespace pagerank
