// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tessera/view/distributed_view.hpp"
#include "tessera/view/for_each.hpp"
#include "tessera/view/launch.hpp"
#include "tessera/view/mpi_objects.hpp"
#include "tessera/view/reductions.hpp"

namespace tessera {

namespace detail {

/// One row of each array that a reduction reads, for hosts. `first` is the point at which the rows begin.
template <class... T>
struct ReducedRows {
  std::tuple<const T*...> elements;
  Point first;

  /// Adds the points `begin` to end - 1 to `value`. They are counted from `first` on.
  template <class Reduction>
  void add(const Reduction& reduction, typename Reduction::Value& value, std::int64_t begin,
           std::int64_t end) const {
    add(reduction, value, begin, end, std::index_sequence_for<T...>{});
  }

 private:
  template <class Reduction, std::size_t... I>
  void add(const Reduction& reduction, typename Reduction::Value& value, std::int64_t begin, std::int64_t end,
           std::index_sequence<I...>) const {
    if constexpr (requires { reduction.add_row(value, std::get<I>(elements)..., end); })
      if (end - begin > 1) return reduction.add_row(value, (std::get<I>(elements) + begin)..., end - begin);
    for (std::int64_t i = begin; i < end; ++i) {
      Point point = first;
      point[0] += i;
      reduction.add(value, std::get<I>(elements)[i]..., point);
    }
  }
};

/// The arrays of N dimensions that a reduction reads. At each point, it adds one element of each array.
template <int N, class... T>
struct ReducedArrays {
  ArrayReference arrays[sizeof...(T)];

  /// Returns the first arrays of `inputs`.
  static ReducedArrays of(const ArrayReference* inputs) {
    return of(inputs, std::index_sequence_for<T...>{});
  }

  /// Returns the element of the only array at a point.
  KOKKOS_FUNCTION const auto* element(const int* point) const
  requires(sizeof...(T) == 1)
  {
    return (element<T>(arrays[0], point), ...);
  }
  /// Adds the elements at a point to `value`.
  template <class Reduction>
  KOKKOS_FUNCTION void add(const Reduction& reduction, typename Reduction::Value& value,
                           const int* point) const {
    add(reduction, value, point, std::index_sequence_for<T...>{});
  }
  /// Returns the rows that begin at a point.
  ReducedRows<T...> rows(const int* point) const { return rows(point, std::index_sequence_for<T...>{}); }

 private:
  template <std::size_t... I>
  static ReducedArrays of(const ArrayReference* inputs, std::index_sequence<I...>) {
    return {{inputs[I]...}};
  }
  template <class Element>
  KOKKOS_FUNCTION static const Element* element(const ArrayReference& array, const int* point) {
    std::int64_t offset = point[0];
    for (int d = 1; d < N; ++d) offset += array.strides[d] * point[d];
    return reinterpret_cast<const Element*>(array.origin) + offset;
  }
  KOKKOS_FUNCTION static Point global(const int* point) {
    Point at;
    for (int d = 0; d < N; ++d) at[d] = point[d];
    return at;
  }
  template <class Reduction, std::size_t... I>
  KOKKOS_FUNCTION void add(const Reduction& reduction, typename Reduction::Value& value, const int* point,
                           std::index_sequence<I...>) const {
    reduction.add(value, *element<T>(arrays[I], point)..., global(point));
  }
  template <std::size_t... I>
  ReducedRows<T...> rows(const int* point, std::index_sequence<I...>) const {
    return {{element<T>(arrays[I], point)...}, global(point)};
  }
};

/// A kernel that reduces the points of a box. The points are divided into `shares` parts, and each part is
/// reduced to one partial value.
template <class Reduction, int N, class... T>
struct ReduceShare {
  using Value = typename Reduction::Value;

  Reduction reduction;
  ReducedArrays<N, T...> arrays;
  Box box;
  /// On hosts, the number of runs in the box (see points_per_run); on devices, the number of points in the
  /// box.
  std::int64_t indices;
  std::int64_t shares;
  Value* partials;

  void add_run(Value& value, std::int64_t index) const {
    int point[N];
    const std::int64_t begin = box[0].begin + split_index(box, index, point) * points_per_run;
    point[0] = static_cast<int>(begin);
    arrays.rows(point).add(reduction, value, 0, std::min(points_per_run, box[0].end - begin));
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
      const std::int64_t width = box[0].size();
      const std::int64_t columns = shares % width, rows = shares / width;
      std::int64_t x = share % width, y = share / width;
      // The shares take points in turn, so that neighbouring threads read neighbours in memory.
      for (std::int64_t i = share; i < indices; i += shares) {
        int point[N];
        point[0] = static_cast<int>(box[0].begin + x);
        locate_row(box, N, y, point);
        arrays.add(reduction, value, point);
        x += columns;
        y += rows + (x >= width ? 1 : 0);
        x -= x >= width ? width : 0;
      }
    }
  }
};

/// A reduction whose values fit into the scratch memory of a team of threads of a device, which computes them
/// together. See Histogram.
template <class Reduction>
concept TeamReduction =
    requires { typename Reduction::TeamValue; } && sizeof(typename Reduction::TeamValue) <= 16384;

/// A kernel that reduces the points of a box. Each team reduces some tiles of the box to one partial value.
template <class Reduction, class T, int N>
struct ReduceInTeams {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Shared = typename Reduction::TeamValue;
  static constexpr int rows_per_thread = 4;
  static constexpr int scratch_bytes = static_cast<int>(sizeof(Shared)) + 16;

  Reduction reduction;
  Accessor<const T, N> array;
  DeviceTiling tiling;
  int tiles;
  typename Reduction::Value* partials;

  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const int thread = team.team_rank(), threads = team.team_size();
    auto& shared =
        *static_cast<Shared*>(team.team_scratch(0).get_shmem_aligned(static_cast<int>(sizeof(Shared)), 16));
    reduction.begin_team(shared, thread, threads);
    team.team_barrier();
    for (int tile = team.league_rank(); tile < tiles; tile += team.league_size()) {
      int point[max_dimensions];
      for (int rows = tiling.first_point(tile, thread, point); rows > 0; --rows, ++point[1])
        add(shared, point, std::make_index_sequence<N>{});
    }
    team.team_barrier();
    reduction.end_team(partials[team.league_rank()], shared, thread, threads);
  }

 private:
  template <std::size_t... D>
  KOKKOS_FORCEINLINE_FUNCTION void add(Shared& shared, const int* point, std::index_sequence<D...>) const {
    reduction.add_in_team(shared, array(Coordinate(point[D])...));
  }
};

/// A kernel that joins partial values. The partial values `index + k * left`, for k > 0, are joined to the
/// partial value `index`.
template <class Reduction>
struct JoinShares {
  typename Reduction::Value* partials;
  std::int64_t count;
  std::int64_t left;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    typename Reduction::Value value = partials[index];
    for (std::int64_t other = index + left; other < count; other += left)
      Reduction().join(value, partials[other]);
    partials[index] = value;
  }
};

/// Partial values of more bytes, such as histograms, are few, and are joined by the host.
inline constexpr std::int64_t most_bytes_to_join = 1024;
static_assert(sizeof(ExactSum<double>) <= most_bytes_to_join);

/// Returns the number of partial values that are left if each thread of a device joins 16 of `shares`.
constexpr std::int64_t left_of_shares(std::int64_t shares) { return (shares + 15) / 16; }

/// Returns how many of `shares` partial values of `value_bytes` bytes reduce_on_device() leaves to the host.
constexpr std::int64_t joined_shares(std::int64_t shares, std::int64_t value_bytes) {
  if (value_bytes <= most_bytes_to_join)
    while (shares > 64) shares = left_of_shares(shares);
  return shares;
}

/// Enqueues kernels on a device that join partial values until joined_shares() are left, which are the first
/// ones. There are `shares` partial values. Each of them has the values of `groups` groups, one after the
/// other, which are joined to those of the same group.
template <class Reduction>
void join_on_device(const ExecutionSpace& execution, std::int64_t shares, std::int64_t groups,
                    typename Reduction::Value* partials) {
  if constexpr (sizeof(typename Reduction::Value) <= most_bytes_to_join) {
    const auto value_bytes = static_cast<std::int64_t>(sizeof(typename Reduction::Value));
    const std::int64_t last = joined_shares(shares, groups * value_bytes);
    while (shares > last) {
      const std::int64_t left = left_of_shares(shares);
      Kokkos::parallel_for("tessera: join", IndexPolicy<>(execution, 0, left * groups),
                           JoinShares<Reduction>{partials, shares * groups, left * groups});
      shares = left;
    }
  }
}

/// Enqueues kernels on a device that reduce the points of `box` to `shares` partial values, and join these
/// until joined_shares() are left, which are the first ones.
template <class Reduction, int N, class... T>
void reduce_on_device(const ExecutionSpace& execution, const ReducedArrays<N, T...>& arrays, const Box& box,
                      std::int64_t shares, typename Reduction::Value* partials) {
  if constexpr (sizeof...(T) == 1 && TeamReduction<Reduction>) {
    using Kernel = ReduceInTeams<Reduction, T..., N>;
    const DeviceTiling tiling(box, N > 1 ? Kernel::rows_per_thread : 1);
    launch_teams(execution, "tessera: reduce", shares, Kernel::scratch_bytes,
                 Kernel{Reduction(), Accessor<const T..., N>(arrays.arrays[0]), tiling,
                        static_cast<int>(tiling.count()), partials});
  } else {
    Kokkos::parallel_for(
        "tessera: reduce", IndexPolicy<>(execution, 0, shares),
        ReduceShare<Reduction, N, T...>{Reduction(), arrays, box, box.size(), shares, partials});
  }
  join_on_device<Reduction>(execution, shares, 1, partials);
}

/// Returns the number of partial values that a device computes. It is the number of values of `value_bytes`
/// bytes that fit into 8 MiB, or into 1 MiB if the host joins them, but at least 256 and at most 16384.
constexpr int device_shares(std::int64_t value_bytes) {
  const std::int64_t bytes = std::int64_t{value_bytes > most_bytes_to_join ? 1 : 8} << 20;
  return static_cast<int>(std::clamp<std::int64_t>(bytes / value_bytes, 256, 16384));
}

/// Joins from[i] to to[i] for each i less than `count`. This is an MPI_User_function.
template <class Reduction>
void join_values(void* from, void* to, int* count, MPI_Datatype*) {
  using Value = typename Reduction::Value;
  for (int i = 0; i < *count; ++i)
    Reduction().join(static_cast<Value*>(to)[i], static_cast<const Value*>(from)[i]);
}

}  // namespace detail

/// A reduction of elements of type T, or of points that have one element of each of several types T. Its type
/// `Value` holds the state of the reduction for some of the points. The function `init` sets a value to the
/// state for no points, `add(value, elements..., point)` adds the elements at a point to a value, `join`
/// joins one value to another, and `result` returns the result that belongs to a value. The result must
/// depend neither on the order of the points nor on how they are divided among values. It is then the same,
/// bit by bit, on any number of ranks and threads. A reduction may also have the function `add_row(value,
/// elements..., count)`, which hosts call to add `count` neighbouring points, and which gets a pointer for
/// each element. A reduction of single elements may have a type `TeamValue` with the functions that Histogram
/// has for it, with which a team of threads of a device computes one value together. The usual reductions are
/// in reductions.hpp.
template <class Reduction, class... T>
concept ReductionOf = std::is_empty_v<Reduction> && std::is_trivially_copyable_v<typename Reduction::Value> &&
                      requires(Reduction reduction, typename Reduction::Value& value, const Point& point,
                               const T&... elements) {
                        reduction.init(value);
                        reduction.add(value, elements..., point);
                        reduction.join(value, value);
                        reduction.result(value);
                      };

/// Reduces the points of a view that this rank owns to one `Reduction::Value`, and returns this value. The
/// function `result` of the reduction is not called. Waits for all work on `execution`. Not collective.
template <class T, int N, class Reduction>
typename Reduction::Value reduce_owned(const DistributedView<T, N>& view, Reduction reduction,
                                       const ExecutionSpace& execution = {}) {
  using Value = typename Reduction::Value;
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
  std::int64_t left = shares;
  const detail::ReducedArrays<N, T> arrays{{view.block().reference()}};
  if constexpr (runs_on_host) {
    Kokkos::parallel_for(
        "tessera: reduce", IndexPolicy<>(execution, 0, shares),
        detail::ReduceShare<Reduction, N, T>{reduction, arrays, box, indices, shares, partials.data()});
  } else {
    detail::reduce_on_device<Reduction>(execution, arrays, box, shares, partials.data());
    left = detail::joined_shares(shares, sizeof(Value));
  }
  const auto joined = Kokkos::subview(partials, std::make_pair(std::int64_t{0}, left));
  const auto on_host = Kokkos::create_mirror_view(joined);
  compat::copy(execution, on_host, joined);
  execution.fence();
  for (std::int64_t i = 0; i < left; ++i) reduction.join(total, on_host(i));
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
