// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "nearest.hpp"

namespace kmeans {

/// The number of points that GemmFinder takes together.
inline constexpr int gemm_points = 384;
/// The greatest number of centres that GemmFinder takes together, so that the products stay in a cache.
inline constexpr int gemm_centres = 256;

/// Finds the nearest centres of points by products of matrices, with KokkosBlas::gemm. The sizes of the
/// products follow from the centres alone, and each product is computed by one thread. How a library rounds
/// may depend on the place of a point in the product, so that points must have fixed places.
template <class T>
class GemmFinder {
 public:
  virtual ~GemmFinder() = default;

  /// Makes a finder. There is none if the program was built without Kokkos Kernels or if these do not call a
  /// BLAS of the host (see can_use_gemm).
  static std::unique_ptr<GemmFinder> make(const CentreTable<T>& centres);
  /// Finds the labels of `gemm_points` points. `turned` holds them as for kmeans::find_nearest, and labels
  /// may be `doubtful`, too. Returns whether one of them is.
  virtual bool find(const T* turned, std::int32_t* labels) = 0;
};

/// Whether the program can compute distances by KokkosBlas::gemm.
bool can_use_gemm();
/// Whether products of matrices are expected to take less time than find_nearest. The answer follows from the
/// numbers alone, so that it is the same on all ranks and machines. With OpenBLAS, products were measured to
/// take as long for 256 dimensions and 256 or 1024 clusters, 0.96 of the time for 1024 and 1024, and more
/// time where there are fewer clusters: 1.13 of it for 256 dimensions and 64 clusters.
constexpr bool is_gemm_faster(std::int64_t dimensions, std::int64_t clusters) {
  return dimensions >= 256 && dimensions * clusters >= 1 << 20;
}

}  // namespace kmeans
