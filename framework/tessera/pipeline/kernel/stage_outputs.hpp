// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>

#include "tessera/domain/box.hpp"
#include "tessera/domain/coordinate.hpp"
#include "tessera/pipeline/body/pack.hpp"
#include "tessera/pipeline/body/table.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/view/accessor.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace tessera {

/// A unit: the points that one call of a stage body computes. Along x, these are X points that follow each
/// other, and the coordinate of the first point is a multiple of X. If `Planes` is greater than 1, the last
/// dimension of the array has `Planes` points, and a unit has X points in each plane. A plane is all points
/// that have the same last coordinate.
template <int X, int Planes>
struct Unit {
  static_assert(X >= 1 && Planes >= 1);
  /// The number of points of a unit along x.
  static constexpr int x = X;
  /// The number of planes of a unit.
  static constexpr int planes = Planes;
  /// The number of points of a unit.
  static constexpr int points = X * Planes;
  /// The number of coordinates of a unit in an N-dimensional array. If `Planes` is greater than 1, a unit has
  /// no coordinate in the last dimension.
  template <int N>
  static constexpr int dimensions = Planes > 1 ? N - 1 : N;

  /// Returns the coordinates of all units that have points in `box`, as a box. The unit with the coordinate x
  /// has the points X * x to X * x + X - 1 along x.
  KOKKOS_FUNCTION static Box over(Box box) {
    if constexpr (X > 1)
      box[0] = {floor_divide<std::int64_t>(box[0].begin, X),
                floor_divide<std::int64_t>(box[0].end - 1, X) + 1};
    if constexpr (Planes > 1) --box.dimensions;
    return box;
  }
};

/// The unit of most stages, which is one point.
using SinglePoint = Unit<1, 1>;

}  // namespace tessera

namespace tessera::detail {

/// The arrays that a stage with several outputs writes, for hosts. There is one array for each output, and a
/// call of the body computes one point. `Wide` says that the stage reads no elements of less than four bytes,
/// which matters only to stages with one output.
template <bool Wide, class U, int N, class... Values>
struct OutputArrays {
  static_assert(U::points == 1);
  std::tuple<Accessor<Values, N>...> arrays;
  /// Whether each array is written with non-temporal stores.
  std::array<bool, sizeof...(Values)> non_temporal;

  OutputArrays(const ArrayReference* outputs, const Box&)
      : OutputArrays(outputs, std::index_sequence_for<Values...>{}) {}
  template <std::size_t... Output>
  OutputArrays(const ArrayReference* outputs, std::index_sequence<Output...>)
      : arrays(Accessor<Values, N>(outputs[Output])...), non_temporal{outputs[Output].non_temporal...} {}

  /// Stores `count` points of a row, from the point `at` on. `value(k)` returns the values of the k-th of
  /// these points, counted from 0.
  template <class Value, class... Coordinates>
  [[gnu::always_inline]] void store(const Value& value, int count, Coordinates... at) const {
    store(value, count, std::index_sequence_for<Values...>{}, at...);
  }
  template <class Value, std::size_t... Output, class... Coordinates>
  [[gnu::always_inline]] void store(const Value& value, int count, std::index_sequence<Output...>,
                                    Coordinates... at) const {
    const std::tuple<Values*...> spans(&std::get<Output>(arrays)(at...)...);
    constexpr int most = non_temporal_piece_bytes / static_cast<int>(std::max({sizeof(Values)...}));
    alignas(64) std::byte gathered[sizeof...(Values)][non_temporal_piece_bytes];
    const int piece = (non_temporal[Output] || ...) ? most : count;
    for (int first = 0; first < count; first += piece) {
      const int points = std::min(piece, count - first);
      compute<Output...>(value, first, points,
                         (non_temporal[Output] ? reinterpret_cast<Values*>(gathered[Output])
                                               : std::get<Output>(spans) + first)...);
      (store_gathered<Output>(gathered[Output], std::get<Output>(spans) + first, points), ...);
    }
  }

 private:
  /// Stores points that were gathered, if the output is written with non-temporal stores.
  template <std::size_t Output, class Value>
  void store_gathered(const std::byte* points, Value* to, int count) const {
    if (non_temporal[Output]) store_non_temporal(to, points, static_cast<std::size_t>(count) * sizeof(Value));
  }
  /// Computes the points `first` to first + count - 1 of a row. `to` says, for each output, where the first
  /// of them is stored.
  template <std::size_t... Output, class Value>
  [[gnu::always_inline]] static void compute(const Value& value, int first, int count, Values*... to) {
    const std::tuple<Values * KOKKOS_RESTRICT...> spans(to...);
    TESSERA_VECTORISED
    for (int k = 0; k < count; ++k) store_point(value, first, k, std::index_sequence<Output...>{}, spans);
  }
  /// Stores the values of point `first` + `k`. This is a function of its own, because compilers would keep
  /// the values in memory if they were variables of the loop.
  template <class Value, std::size_t... Output, class Spans>
  [[gnu::always_inline]] static void store_point(const Value& value, int first, int k,
                                                 std::index_sequence<Output...>, const Spans& spans) {
    const auto values = value(first + k);
    ((std::get<Output>(spans)[k] = static_cast<Values>(value_of<Output>(values))), ...);
  }
};

/// The array that a stage with one output writes, if a call of the body computes one point.
template <bool Wide, int N, class Value>
struct OutputArrays<Wide, SinglePoint, N, Value> {
  Accessor<Value, N> array;
  bool non_temporal;

  OutputArrays(const ArrayReference* outputs, const Box&)
      : array(outputs[0]), non_temporal(outputs[0].non_temporal) {}

  /// Stores `count` points of a row, from the point `at` on. `value(k)` returns the value of the k-th of
  /// these points, counted from 0.
  template <class ValueOf, class... Coordinates>
  [[gnu::always_inline]] void store(const ValueOf& value, int count, Coordinates... at) const {
    Value* const span = &array(at...);
    using Given = std::decay_t<decltype(value_of<0>(value(0)))>;
    if constexpr (is_row_lookup<Given, Value>)
      store_entries(value, span, count);
    else
      store_spans<0>([&value](int, int k) __attribute__((always_inline)) { return value(k); }, count, {span});
  }

  /// Stores `count` points, from `x` on, of several rows: the rows y + r for all r in R. `value(r, k)`
  /// returns the value of the point x + k of the row y + r.
  template <std::size_t... R, class ValueOf, class... Outer>
  [[gnu::always_inline]] void store_rows(std::index_sequence<R...>, const ValueOf& value, int count, int x,
                                         int y, Outer... outer) const {
    const std::array<Value*, sizeof...(R)> spans{
        &array(Coordinate(x), Coordinate(y + static_cast<int>(R)), outer...)...};
    using Given = std::decay_t<decltype(value_of<0>(value(0, 0)))>;
    const auto row = [&value](int r) __attribute__((always_inline)) {
      return [&value, r ](int k) __attribute__((always_inline)) { return value(r, k); };
    };
    if constexpr (is_row_lookup<Given, Value>)
      (store_entries(row(static_cast<int>(R)), spans[R], count), ...);
    else
      store_spans<R...>(value, count, spans);
  }

 private:
  template <std::size_t... R, class ValueOf>
  [[gnu::always_inline]] void store_spans(const ValueOf& value, int count,
                                          const std::array<Value*, sizeof...(R)>& spans) const {
    constexpr int most = non_temporal_piece_bytes / static_cast<int>(sizeof(Value));
    alignas(64) Value gathered[sizeof...(R)][most];
    const int piece = non_temporal ? most : count;
    for (int first = 0; first < count; first += piece) {
      const int points = std::min(piece, count - first);
      compute<R...>(value, first, points, (non_temporal ? gathered[R] : spans[R] + first)...);
      if (non_temporal)
        (store_non_temporal(spans[R] + first, gathered[R], static_cast<std::size_t>(points) * sizeof(Value)),
         ...);
    }
  }
  /// Computes the points `first` to first + count - 1 of each of the rows R. `to` says, for each row, where
  /// the first of them is stored. `value(r, k)` returns the value of point k of row r.
  template <std::size_t... R, class ValueOf, class... Spans>
  [[gnu::always_inline]] static void compute(const ValueOf& value, int first, int count,
                                             Spans KOKKOS_RESTRICT... to) {
    // Vectors have 32 bytes if all elements have at least four bytes. With longer vectors, a load that does
    // not begin at the start of a cache line crosses into the next line. This costs more than the arithmetic
    // gains, because even a longer vector holds only a few such elements.
    if constexpr (Wide && sizeof(Value) >= 4) {
      [[maybe_unused]] constexpr int lanes = 32 / static_cast<int>(sizeof(Value));
#pragma omp simd simdlen(lanes)
      for (int k = 0; k < count; ++k)
        put<R...>(k, to..., static_cast<Value>(value_of<0>(value(static_cast<int>(R), first + k)))...);
    } else {
      TESSERA_VECTORISED
      for (int k = 0; k < count; ++k)
        put<R...>(k, to..., static_cast<Value>(value_of<0>(value(static_cast<int>(R), first + k)))...);
    }
  }
  template <std::size_t>
  struct Same {
    using Type = Value;
  };
  /// Stores point `k` of all rows. This is a function of its own, so that all values are computed before the
  /// first value is stored. The compiler then computes only once what the rows have in common.
  template <std::size_t... R>
  [[gnu::always_inline]] static void put(int k, typename Same<R>::Type*... to,
                                         typename Same<R>::Type... values) {
    ((to[k] = values), ...);
  }
  /// Stores `count` points of a row whose values are table entries (see Lookup). The row is stored in pieces.
  /// For each piece, first the indices are gathered, and then the entries are looked up.
  template <class ValueOf>
  [[gnu::always_inline]] static void store_entries(const ValueOf& value, Value* span, int count) {
    constexpr int piece = 512;
    std::uint16_t indices[piece];
    for (int first = 0; first < count; first += piece) {
      const int points = std::min(piece, count - first);
      const auto table = value_of<0>(value(first));
      int others = 0;
      TESSERA_VECTORISED_SUM(others)
      for (int k = 0; k < points; ++k) others += put_index(value, first + k, table.entries, indices[k]);
      if (others == 0)
        look_up(table.entries, table.entry_count, indices, span + first, points);
      else
        for (int k = 0; k < points; ++k) span[first + k] = value_of<0>(value(first + k));
    }
  }
  /// Writes to `index` the table index of point `k`. Returns 1 if the point uses another table than
  /// `entries`, else 0. This is a function of its own, because compilers would keep the value in memory if it
  /// were a variable of the loop.
  template <class ValueOf>
  [[gnu::always_inline]] static int put_index(const ValueOf& value, int k, const Value* entries,
                                              std::uint16_t& index) {
    const auto entry = value_of<0>(value(k));
    index = static_cast<std::uint16_t>(entry.index);
    return entry.entries != entries;
  }
};

/// The array that a stage writes, if a call of the body computes a unit of several points (see Unit). The
/// first and the last unit of a row may lie only partly in the box.
template <bool Wide, int X, int Planes, int N, class Value>
requires(X* Planes > 1)
struct OutputArrays<Wide, Unit<X, Planes>, N, Value> {
  Accessor<Value, N> array;
  int begin;
  int end;
  bool non_temporal;

  OutputArrays(const ArrayReference* outputs, const Box& box)
      : array(outputs[0]),
        begin(static_cast<int>(box[0].begin)),
        end(static_cast<int>(box[0].end)),
        non_temporal(outputs[0].non_temporal) {}

  template <class ValueOf, class... Outer>
  [[gnu::always_inline]] void store(const ValueOf& value, int count, Coordinate x, Outer... outer) const {
    constexpr auto points = std::make_index_sequence<std::size_t(X * Planes)>{};
    int first = 0;
    if (X > 1 && x.value * X < begin) store_part(value, first++, points, x, outer...);
    const bool is_cut = X > 1 && first < count && (x.value + count) * X > end;
    store_whole(value, first, is_cut ? count - 1 : count, points, x, outer...);
    if (is_cut) store_part(value, count - 1, points, x, outer...);
  }

 private:
  template <class... Outer>
  [[gnu::always_inline]] Value* plane(int number, int x, Outer... outer) const {
    if constexpr (Planes > 1)
      return &array(Coordinate(x), outer..., Coordinate(number));
    else
      return &array(Coordinate(x), outer...);
  }

  template <class ValueOf, std::size_t... K, class... Outer>
  [[gnu::always_inline]] void store_whole(const ValueOf& value, int first, int last,
                                          std::index_sequence<K...>, Coordinate x, Outer... outer) const {
    // If the row is written past the caches, it is written in pieces whose size is a multiple of a cache
    // line.
    constexpr int unit = static_cast<int>(sizeof(Value)) * X, step = 64 / std::gcd(64, unit);
    constexpr int most = std::max(step, non_temporal_piece_bytes / unit / step * step);
    alignas(64) Value gathered[Planes][most * X];
    const int piece = non_temporal ? most : last - first;
    for (; first < last; first += piece) {
      const int units = std::min(piece, last - first);
      std::array<Value*, Planes> spans;
      for (int p = 0; p < Planes; ++p)
        spans[std::size_t(p)] = non_temporal ? gathered[p] : plane(p, (x.value + first) * X, outer...);
      compute_units(value, first, units, spans, std::index_sequence<K...>{},
                    std::make_index_sequence<Planes>{});
      for (int p = 0; non_temporal && p < Planes; ++p)
        store_non_temporal(plane(p, (x.value + first) * X, outer...), gathered[p],
                           static_cast<std::size_t>(units) * X * sizeof(Value));
    }
  }
  template <class ValueOf, std::size_t... K, std::size_t... Plane>
  [[gnu::always_inline]] static void compute_units(const ValueOf& value, int first, int count,
                                                   const std::array<Value*, Planes>& starts,
                                                   std::index_sequence<K...>, std::index_sequence<Plane...>) {
    const auto spans = std::make_tuple(starts[Plane]...);
    TESSERA_VECTORISED
    for (int k = 0; k < count; ++k) store_unit(value, first, k, std::index_sequence<K...>{}, spans);
  }
  /// Stores the unit with the number `first` + `k`. This is a function of its own, because compilers would
  /// keep the values in memory if they were variables of the loop.
  template <class ValueOf, std::size_t... K, class Spans>
  [[gnu::always_inline]] static void store_unit(const ValueOf& value, int first, int k,
                                                std::index_sequence<K...>, const Spans& spans) {
    const auto values = value(first + k);
    ((std::get<K / X>(spans)[k * X + static_cast<int>(K % X)] = static_cast<Value>(value_of<K>(values))),
     ...);
  }
  template <class ValueOf, std::size_t... K, class... Outer>
  [[gnu::always_inline]] void store_part(const ValueOf& value, int unit, std::index_sequence<K...>,
                                         Coordinate x, Outer... outer) const {
    const auto values = value(unit);
    const int start = (x.value + unit) * X;
    const auto put = [&](int number, int at, auto point) {
      if (begin <= at && at < end) *plane(number, at, outer...) = static_cast<Value>(point);
    };
    (put(static_cast<int>(K) / X, start + static_cast<int>(K) % X, value_of<K>(values)), ...);
  }
};

}  // namespace tessera::detail
