// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/operators/detail/plane.hpp"
#include "tessera/operators/detail/plane_stage.hpp"

namespace tessera::operators::detail {

/// A stage body: the variance of the elements of T in a window, from their sum and that of their squares.
/// Columns of the window are added first, and then their sums.
template <class T>
struct VarianceOfWindow {
  Reach reach;

  Box footprint(int, const Box& box) const { return reach.around(box); }

  template <class In>
  KOKKOS_FUNCTION auto operator()(const In& in, Coordinate x, Coordinate y, Coordinate c) const {
    Sum sum = 0, squares = 0;
    for (int i = -reach.x; i <= reach.x; ++i) {
      Sum column = 0, column_squares = 0;
      for (int j = -reach.y; j <= reach.y; ++j) {
        const auto value = static_cast<Sum>(in(x + i, y + j, c));
        column = column + value;
        column_squares = column_squares + value * value;
      }
      sum = sum + column;
      squares = squares + column_squares;
    }
    return variance(sum, squares);
  }

#ifdef TESSERA_COMPUTES_PLANES
  void plane(const Plane<const T>& in, const Plane<float>& out, Range columns, Range rows) const {
    const std::int64_t width = columns.size() + 2 * reach.x;
    Sum* const sums = scratch<VarianceOfWindow, Sum>(2 * width);
    Sum* const squares = sums + width;
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      move_down(in, columns.begin - reach.x, width, y, y == rows.begin, sums, squares);
      if constexpr (std::is_floating_point_v<T>)
        add_columns(sums, squares, out.row(y) + columns.begin, columns.size());
      else
        slide_columns(sums, squares, out.row(y) + columns.begin, columns.size());
    }
  }
#endif

 private:
  /// The type of exact sums of elements and of their squares; double for float, whose sums are rounded.
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

  KOKKOS_FORCEINLINE_FUNCTION float variance(Sum sum, Sum squares) const {
    const int count = reach.count();
    const double mean = static_cast<double>(sum) / count;
    const double value = static_cast<double>(squares) / count - mean * mean;
    return static_cast<float>(value > 0 ? value : 0);
  }

#ifdef TESSERA_COMPUTES_PLANES
  /// Makes `sums` and `squares` the sums of the columns of the windows of row y. Sums of integers, which are
  /// exact, are made from those of the row above.
  void move_down(const Plane<const T>& in, std::int64_t begin, std::int64_t width, std::int64_t y, bool first,
                 Sum* sums, Sum* squares) const {
    const auto add = [&](std::int64_t row, Sum sign) {
      const T* const from = in.row(row) + begin;
      for (std::int64_t i = 0; i < width; ++i) {
        const auto value = static_cast<Sum>(from[i]);
        sums[i] = sums[i] + sign * value;
        squares[i] = squares[i] + sign * (value * value);
      }
    };
    if (first || std::is_floating_point_v<T>) {
      for (std::int64_t i = 0; i < width; ++i) sums[i] = squares[i] = 0;
      for (int j = -reach.y; j <= reach.y; ++j) add(y + j, 1);
    } else {
      add(y - reach.y - 1, -1);
      add(y + reach.y, 1);
    }
  }

  /// Adds the sums of the columns of each window in the same order for all windows.
  void add_columns(const Sum* sums, const Sum* squares, float* out, std::int64_t count) const {
    constexpr int block = 32;
    for (std::int64_t x = 0; x < count; x += block) {
      const int points = static_cast<int>(count - x < block ? count - x : block);
      Sum sum[block] = {}, square[block] = {};
      for (int i = 0; i <= 2 * reach.x; ++i)
        for (int k = 0; k < points; ++k) {
          sum[k] = sum[k] + sums[x + i + k];
          square[k] = square[k] + squares[x + i + k];
        }
      for (int k = 0; k < points; ++k) out[x + k] = variance(sum[k], square[k]);
    }
  }

  void slide_columns(const Sum* sums, const Sum* squares, float* out, std::int64_t count) const {
    Sum sum = 0, square = 0;
    for (int i = 0; i < 2 * reach.x; ++i) {
      sum += sums[i];
      square += squares[i];
    }
    for (std::int64_t x = 0; x < count; ++x) {
      sum += sums[x + 2 * reach.x];
      square += squares[x + 2 * reach.x];
      out[x] = variance(sum, square);
      sum -= sums[x];
      square -= squares[x];
    }
  }
#endif
};

}  // namespace tessera::operators::detail
