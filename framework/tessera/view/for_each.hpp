// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "tessera/view/accessor.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/distributed_view.hpp"
#include "tessera/view/launch.hpp"

namespace tessera {

namespace detail {

/// The largest number of points in a run. A run is a part of a row that one thread of a host visits at once.
inline constexpr std::int64_t points_per_run = 4096;

/// Writes the coordinates of a run in the dimensions 1 and up to `point`. `index` is the number of the run in
/// `box`. Returns the number of the run within its row. When rows are not cut into runs, `index` is the
/// number of a row, and the result is 0.
template <int N>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t split_index(const Box& box, std::int64_t index, int (&point)[N]) {
  for (int d = 1; d < N; ++d) {
    const std::int64_t size = box[d].size();
    point[d] = static_cast<int>(box[d].begin + index % size);
    index /= size;
  }
  return index;
}

/// Writes the coordinates of the row with the number `row` of `box`, in the dimensions 1 and up, to `point`.
/// The box has `dimensions` dimensions.
KOKKOS_FORCEINLINE_FUNCTION void locate_row(const Box& box, int dimensions, std::int64_t row, int* point) {
  for (int d = 1; d < dimensions - 1; ++d) {
    const std::int64_t size = box[d].size();
    point[d] = static_cast<int>(box[d].begin + row % size);
    row /= size;
  }
  if (dimensions > 1) point[dimensions - 1] = static_cast<int>(box[dimensions - 1].begin + row);
}

template <int N, class Body>
KOKKOS_FORCEINLINE_FUNCTION void call_at(const Body& body, const int* point) {
  if constexpr (N == 1) body(point[0]);
  if constexpr (N == 2) body(point[0], point[1]);
  if constexpr (N == 3) body(point[0], point[1], point[2]);
  if constexpr (N == 4) body(point[0], point[1], point[2], point[3]);
}

/// A kernel that calls `body` for the points of `box`. On hosts, an index is the number of a run, and the
/// kernel visits all points of the run. On devices, `compute` calls the body at one point.
template <int N, class Body>
struct ForEach {
  Body body;
  Box box;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    int point[N];
    const std::int64_t begin = box[0].begin + split_index(box, index, point) * points_per_run;
    const int end =
        static_cast<int>(begin + points_per_run < box[0].end ? begin + points_per_run : box[0].end);
    for (point[0] = static_cast<int>(begin); point[0] < end; ++point[0]) call_at<N>(body, point);
  }
  KOKKOS_FUNCTION void compute(const int* point) const { call_at<N>(body, point); }
};

template <class T, int N>
struct Fill {
  Accessor<T, N> array;
  T value;
  template <class... Indices>
  KOKKOS_FUNCTION void operator()(Indices... indices) const {
    array(indices...) = value;
  }
};

}  // namespace detail

/// Calls body(x, y, ...) for every point of an N-dimensional box. The arguments are the global coordinates of
/// the point, as ints. `body` is a functor or a KOKKOS_LAMBDA. The calls are made in parallel by a kernel,
/// which is enqueued on `execution`.
template <int N, class Body>
void for_each(const Box& box, const Body& body, const ExecutionSpace& execution = {}) {
  if (box.empty()) return;
  const detail::ForEach<N, Body> kernel{body, box};
  if constexpr (runs_on_host) {
    const std::int64_t width = box[0].size();
    const std::int64_t runs = (width + detail::points_per_run - 1) / detail::points_per_run;
    Kokkos::parallel_for("tessera: for each", IndexPolicy<>(execution, 0, box.size() / width * runs), kernel);
  } else {
    detail::launch_on_device(execution, "tessera: for each", box, kernel);
  }
}

/// Calls body(x, y, ...) for every point of a view that this rank owns. The arguments are the global
/// coordinates of the point, as ints. The calls are made in parallel by a kernel, which is enqueued on
/// `execution`. Not collective.
template <class T, int N, class Body>
void for_each(const DistributedView<T, N>& view, const Body& body, const ExecutionSpace& execution = {}) {
  for_each<N>(view.owned(), body, execution);
}

/// Sets all points of a view that this rank holds, including ghosts, to `value`. The work is enqueued on
/// `execution`. Not collective.
template <class T, int N>
void fill(const DistributedView<T, N>& view, const std::type_identity_t<T>& value,
          const ExecutionSpace& execution = {}) {
  for_each<N>(view.required(), detail::Fill<T, N>{Accessor<T, N>(view.block().reference()), value},
              execution);
}

}  // namespace tessera
