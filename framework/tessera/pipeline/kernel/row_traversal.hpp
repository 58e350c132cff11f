// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

#include "tessera/domain/box.hpp"
#include "tessera/domain/coordinate.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace tessera::detail {

/// Computes `count` points of a row, from `x` on. `outer` are the coordinates of the row in the other
/// dimensions.
template <class Bound, class Output, class... Outer>
[[gnu::always_inline]] inline void compute_span(const Bound& bound, const Output& output, int x, int count,
                                                Outer... outer) {
  const auto value = [&bound, x, outer... ](int k) __attribute__((always_inline)) {
    return bound(Coordinate(x + k), outer...);
  };
  output.store(value, count, Coordinate(x), outer...);
}

/// Computes the points of a plane that lie in `columns` along x and in `rows` along y. `outer` are the
/// coordinates of the plane in the other dimensions. `Bound::rows_together` rows are computed at a time, and
/// the last rows one by one if fewer are left.
template <class Bound, class Output, class... Outer>
void compute_plane(const Bound& bound, const Output& output, Range columns, Range rows, Outer... outer) {
  call_flat_for_processor([&bound, &output, columns, rows, outer...] {
    // These copies stay in registers, because stores to a row cannot change them.
    const Bound local = bound;
    const Output out = output;
    const int x = static_cast<int>(columns.begin);
    const int width = static_cast<int>(columns.size());
    int y = static_cast<int>(rows.begin);
    if constexpr (Bound::rows_together > 1) {
      const auto value = [&local, x, &y, outer... ](int row, int k) __attribute__((always_inline)) {
        return local(Coordinate(x + k), Coordinate(y + row), outer...);
      };
      for (; y + Bound::rows_together <= rows.end; y += Bound::rows_together)
        out.store_rows(std::make_index_sequence<Bound::rows_together>{}, value, width, x, y, outer...);
    }
    for (; y < rows.end; ++y) compute_span(local, out, x, width, Coordinate(y), outer...);
  });
}

/// Computes all points of `box` that have the coordinates `outer` in the dimensions above D.
template <int D, class Bound, class Output, class... Outer>
inline void compute_rows(const Bound& bound, const Output& output, const Box& box, Outer... outer) {
  if constexpr (D == 0) {
    compute_span(bound, output, static_cast<int>(box[0].begin), static_cast<int>(box[0].size()));
  } else if constexpr (D == 1) {
    compute_plane(bound, output, box[0], box[1], outer...);
  } else {
    for (std::int64_t p = box[D].begin; p < box[D].end; ++p)
      compute_rows<D - 1>(bound, output, box, Coordinate(static_cast<int>(p)), outer...);
  }
}

/// Calls row(kernel, r) for all r of [0, rows) on the threads of `execution`, and returns when all calls have
/// ended. This function is only for builds whose kernels run on hosts. The type of the kernel is erased, so
/// that the compiler need not instantiate Kokkos::parallel_for for each stage. This saves a third of the time
/// to compile a stage. The calls through the pointer cost nothing that matters: hosts compute stages without
/// launches, and only tests launch their kernels there.
void launch_rows(const ExecutionSpace& execution, std::int64_t rows, const void* kernel,
                 void (*row)(const void* kernel, std::int64_t row));

/// Calls kernel(r) for all r of [0, rows) on the threads of `execution`, and returns when all calls have
/// ended. This function is only for builds whose kernels run on hosts.
template <class Kernel>
void launch_rows(const ExecutionSpace& execution, std::int64_t rows, const Kernel& kernel) {
  launch_rows(execution, rows, &kernel,
              [](const void* erased, std::int64_t row) { (*static_cast<const Kernel*>(erased))(row); });
}

}  // namespace tessera::detail
