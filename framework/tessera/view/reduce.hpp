// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <concepts>
#include <type_traits>

#include "tessera/view/distributed_view.hpp"
#include "tessera/view/for_each.hpp"
#include "tessera/view/reductions.hpp"
#include "tessera/view/value_reduction.hpp"

namespace tessera {

namespace detail {

/// A kernel that reduces the points of a box. The points are divided into `shares` parts, and each part is
/// reduced to one partial value.
template <class Reduction, class T, int N>
struct ReduceShare {
  using Value = typename Reduction::Value;

  Reduction reduction;
  ArrayReference array;
  Box box;
  /// On hosts, the number of runs in the box (see points_per_run); on devices, the number of points in the
  /// box.
  std::int64_t indices;
  std::int64_t shares;
  Value* partials;

  KOKKOS_FUNCTION const T* row(const int* point) const {
    const T* row = reinterpret_cast<const T*>(array.origin);
    for (int d = 1; d < N; ++d) row += array.strides[d] * point[d];
    return row;
  }

  KOKKOS_FUNCTION void add_point(Value& value, const T* row, const int* point) const {
    Point at;
    for (int d = 0; d < N; ++d) at[d] = point[d];
    reduction.add(value, row[point[0]], at);
  }

  void add_run(Value& value, std::int64_t index) const {
    int point[N];
    const std::int64_t begin = box[0].begin + split_index(box, index, point) * points_per_run;
    const std::int64_t end = std::min(begin + points_per_run, box[0].end);
    const T* first = row(point);
    if constexpr (requires { reduction.add_row(value, first, end); })
      return reduction.add_row(value, first + begin, end - begin);
    else
      for (point[0] = static_cast<int>(begin); point[0] < end; ++point[0]) add_point(value, first, point);
  }

  KOKKOS_FUNCTION void operator()(std::int64_t share) const {
    // A large value, such as a histogram, is computed in place, because the stack of a device thread is too
    // small for it.
    if constexpr (sizeof(Value) <= 4096) {
      Value value;
      gather(value, share);
      partials[share] = value;
    } else {
      gather(partials[share], share);
    }
  }

  KOKKOS_FUNCTION void gather(Value& value, std::int64_t share) const {
    reduction.init(value);
    if constexpr (runs_on_host) {
      for (std::int64_t i = indices * share / shares; i < indices * (share + 1) / shares; ++i)
        add_run(value, i);
    } else {
      for (std::int64_t i = share; i < indices; i += shares) {
        int point[N];
        point[0] = static_cast<int>(box[0].begin + i % box[0].size());
        split_index(box, i / box[0].size(), point);
        add_point(value, row(point), point);
      }
    }
  }
};

/// Returns the number of partial values that a device computes. It is the number of values of `value_bytes`
/// bytes that fit into 8 MiB, but at least 256 and at most 16384.
constexpr int device_shares(std::int64_t value_bytes) {
  return static_cast<int>(std::clamp<std::int64_t>((std::int64_t{8} << 20) / value_bytes, 256, 16384));
}

/// Joins from[i] to to[i] for each i less than `count`. This is an MPI_User_function.
template <class Reduction>
void join_values(void* from, void* to, int* count, MPI_Datatype*) {
  using Value = typename Reduction::Value;
  for (int i = 0; i < *count; ++i)
    Reduction().join(static_cast<Value*>(to)[i], static_cast<const Value*>(from)[i]);
}

}  // namespace detail

/// A reduction of elements of type T. Its type `Value` holds the state of the reduction for some of the
/// elements. The function `init` sets a value to the state for no elements, `add` adds the element at a point
/// to a value, `join` joins one value to another, and `result` returns the result that belongs to a value.
/// The result must depend neither on the order of the elements nor on how they are divided among values. It
/// is then the same, bit by bit, on any number of ranks and threads. A reduction may also have the function
/// `add_row(value, elements, count)`, which hosts call to add `count` neighbouring elements. The usual
/// reductions are in reductions.hpp.
template <class Reduction, class T>
concept ReductionOf = std::is_empty_v<Reduction> && std::is_trivially_copyable_v<typename Reduction::Value> &&
    requires(Reduction reduction, typename Reduction::Value& value, const T& element, const Point& point) {
  reduction.init(value);
  reduction.add(value, element, point);
  reduction.join(value, value);
  reduction.result(value);
};

/// Reduces the points of a view that this rank owns to one `Reduction::Value`, and returns this value. The
/// function `result` of the reduction is not called. Waits for all work on `execution`. Not collective.
template <class T, int N, class Reduction>
typename Reduction::Value reduce_owned(const DistributedView<T, N>& view, Reduction reduction,
                                       const ExecutionSpace& execution = {}) {
  using Value = typename Reduction::Value;
  using Policy =
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<std::int64_t>>;
  Value total;
  reduction.init(total);
  const Box box = view.owned();
  if (box.empty()) return total;
  const std::int64_t runs = (box[0].size() + detail::points_per_run - 1) / detail::points_per_run;
  const std::int64_t indices = runs_on_host ? box.size() / box[0].size() * runs : box.size();
  const std::int64_t shares = std::min<std::int64_t>(
      indices, runs_on_host ? ExecutionSpace().concurrency() : detail::device_shares(sizeof(Value)));
  const Kokkos::View<Value*, MemorySpace> partials(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: partial values"),
      static_cast<std::size_t>(shares));
  Kokkos::parallel_for("tessera: reduce", Policy(execution, 0, shares),
                       detail::ReduceShare<Reduction, T, N>{reduction, view.block().reference(), box, indices,
                                                            shares, partials.data()});
  const auto on_host = Kokkos::create_mirror_view(partials);
  compat::copy(execution, on_host, partials);
  execution.fence();
  for (std::int64_t i = 0; i < shares; ++i) reduction.join(total, on_host(i));
  return total;
}

/// Reduces the points of a view over all ranks of `communicator`, for example with reduce(view, Sum<float>(),
/// communicator). Every rank gets the same result, which does not depend on the number of ranks. Collective.
template <class T, int N, ReductionOf<T> Reduction>
auto reduce(const DistributedView<T, N>& view, Reduction reduction, MPI_Comm communicator,
            const ExecutionSpace& execution = {}) {
  typename Reduction::Value total = reduce_owned(view, reduction, execution);
  ValueReduction(sizeof total, &detail::join_values<Reduction>).run(&total, communicator);
  return reduction.result(total);
}

}  // namespace tessera
