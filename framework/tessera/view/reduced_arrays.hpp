// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <tuple>
#include <utility>

#include "tessera/domain/box.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera::detail {

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

  /// Returns the first ones of `inputs`.
  static ReducedArrays of(const ArrayReference* inputs) {
    return of(inputs, std::index_sequence_for<T...>{});
  }

  /// Returns the element of the only array at a point.
  KOKKOS_FUNCTION const auto* element(const int* point) const requires(sizeof...(T) == 1) {
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

}  // namespace tessera::detail
