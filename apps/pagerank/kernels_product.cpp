// SPDX-License-Identifier: BSD-3-Clause
#include "power_iteration.hpp"

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>

#include <limits>

#include "tessera/domain/error.hpp"

namespace pagerank {

RowProduct make_kernels_product(const RankGraph& graph) {
  using Matrix =
      KokkosSparse::CrsMatrix<double, int, tessera::ExecutionSpace::device_type, void, std::int64_t>;
  const auto positions = graph.rows() + graph.lists.received_count();
  if (positions > std::numeric_limits<int>::max())
    throw tessera::InternalError("Kokkos Kernels counts rows and columns in 31 bits");
  const std::size_t links = graph.columns.size();
  const Matrix::row_map_type::non_const_type offsets("pagerank: offsets", graph.offsets.size());
  const Matrix::index_type::non_const_type columns("pagerank: columns", links);
  const Matrix::values_type::non_const_type weights("pagerank: weights", links);
  const auto host_offsets = Kokkos::create_mirror_view(offsets);
  const auto host_columns = Kokkos::create_mirror_view(columns);
  const auto host_weights = Kokkos::create_mirror_view(weights);
  for (std::size_t i = 0; i < graph.offsets.size(); ++i) host_offsets(i) = graph.offsets[i];
  for (std::size_t i = 0; i < links; ++i) {
    host_columns(i) = static_cast<int>(graph.columns[i]);
    host_weights(i) = graph.weights.empty() ? 1 : graph.weights[i];
  }
  Kokkos::deep_copy(offsets, host_offsets);
  Kokkos::deep_copy(columns, host_columns);
  Kokkos::deep_copy(weights, host_weights);
  const Matrix matrix("pagerank: links", static_cast<int>(graph.rows()), static_cast<int>(positions),
                      static_cast<std::int64_t>(links), weights, offsets, columns);
  const Values sums("pagerank: sums", static_cast<std::size_t>(graph.rows()));
  return [matrix, sums](const Values& gives) {
    KokkosSparse::spmv("N", 1.0, matrix, gives, 0.0, sums);
    return sums;
  };
}

}  // namespace pagerank
