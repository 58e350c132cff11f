// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/operators/detail/plane_stage.hpp"
#include "tessera/view/instruction_sets.hpp"

// Sums of windows take a number of steps that grows only with the number of binary digits of their extents. A
// sum of n terms is a sum of blocks, one for each binary digit 1 of n. A block of 2, 4, 8 or more terms is
// the sum of two blocks of half the size, and larger blocks lie before smaller ones. The order of the terms
// depends on n alone: sums of floats have the same bits in every tile, and windows of equal values have equal
// sums.

namespace tessera::operators::detail {

/// The number of blocks that a sum of at most 255 terms may have.
inline constexpr int most_blocks = 8;

/// Returns where the block of `size` terms begins in a sum of `count` terms. `size` is a digit of `count`.
KOKKOS_FORCEINLINE_FUNCTION constexpr int begin_of_block(int count, int size) {
  return count / (2 * size) * (2 * size);
}

/// Returns the sum of term(0) to term(count - 1).
template <class Sum, class Term>
KOKKOS_FUNCTION Sum sum_in_blocks(int count, const Term& term) {
  Sum blocks[most_blocks] = {};
  for (int i = 0; i < count; ++i) {
    Sum sum = term(i);
    int digit = 0;
    for (; (i >> digit & 1) != 0; ++digit) sum = blocks[digit] + sum;
    blocks[digit] = sum;
  }
  Sum sum = 0;
  bool is_first = true;
  for (int digit = 0; digit < most_blocks; ++digit) {
    if ((count >> digit & 1) == 0) continue;
    sum = is_first ? blocks[digit] : blocks[digit] + sum;
    is_first = false;
  }
  return sum;
}

/// The type of sums of elements of T along y, which are exact for integers.
template <class T>
using ColumnSum = std::conditional_t<std::is_floating_point_v<T>, T,
                                     std::conditional_t<sizeof(T) == 1, std::uint16_t, std::uint32_t>>;

/// A stage body: the mean of the elements of T in a window. Sums of integers are exact. Columns of the window
/// are added first, and then their sums.
template <class T>
struct MeanOfWindow {
  Reach reach;
  float scale;

  /// Returns the body for windows of this reach.
  static MeanOfWindow of(const Reach& reach) { return {reach, static_cast<float>(1.0 / reach.count())}; }

  Box footprint(int, const Box& box) const { return reach.around(box); }

  template <class In>
  KOKKOS_FUNCTION auto operator()(const In& in, Coordinate x, Coordinate y, Coordinate c) const {
    using Sum = std::conditional_t<std::is_floating_point_v<T>, T, std::uint32_t>;
    return finished(sum_in_blocks<Sum>(2 * reach.x + 1, [&](int i) {
      return sum_in_blocks<Sum>(2 * reach.y + 1, [&](int j) {
        return static_cast<Sum>(in(x + (i - reach.x), y + (j - reach.y), c));
      });
    }));
  }

#ifdef TESSERA_COMPUTES_PLANES
  void plane(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows) const {
    for (std::int64_t x = columns.begin; x < columns.end; x += piece)
      part(in, out, {x, std::min(x + piece, columns.end)}, rows);
  }
#endif

 private:
  /// The greatest number of columns that are computed together.
  static constexpr std::int64_t piece = 512;
  /// The greatest number of columns that are read for them, and the number of elements in the longest vector.
  static constexpr std::int64_t most_columns = piece + 256, lanes = 64 / sizeof(std::uint16_t);

  template <class Sum>
  KOKKOS_FORCEINLINE_FUNCTION auto finished(Sum sum) const {
    return rounded<T>(static_cast<float>(sum) * scale);
  }

#ifdef TESSERA_COMPUTES_PLANES
  using Column = ColumnSum<T>;
  struct Levels;
  struct Sums;

  void part(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows) const {
    const std::int64_t begin = columns.begin - reach.x, width = columns.size() + 2 * reach.x;
    Column* const sums = scratch<Sums, Column>(width);
    if constexpr (std::is_floating_point_v<T>) {
      BlocksOfRows blocks(2 * reach.y + 1, width);
      for (std::int64_t y = rows.begin - reach.y; y < rows.end + reach.y; ++y) {
        blocks.add(in.row(y) + begin);
        if (y < rows.begin + reach.y) continue;
        blocks.sum(sums);
        add_columns<float>(sums, width, out.row(y - reach.y) + columns.begin, columns.size());
      }
    } else {
      std::fill_n(sums, width, Column(0));
      for (std::int64_t y = rows.begin - reach.y; y < rows.begin + reach.y; ++y)
        change<true>(sums, in.row(y) + begin, width);
      for (std::int64_t y = rows.begin; y < rows.end; ++y) {
        change<true>(sums, in.row(y + reach.y) + begin, width);
        T* const to = out.row(y) + columns.begin;
        if (sizeof(T) == 1 && reach.count() <= 256)
          add_columns<std::uint16_t>(sums, width, to, columns.size());
        else
          add_columns<std::uint32_t>(sums, width, to, columns.size());
        change<false>(sums, in.row(y - reach.y) + begin, width);
      }
    }
  }

  /// Adds a row to sums, or subtracts it.
  template <bool Adds>
  static void change(Column* sums, const T* row, std::int64_t count) {
    TESSERA_VECTORISED
    for (std::int64_t i = 0; i < count; ++i)
      sums[i] = static_cast<Column>(Adds ? sums[i] + row[i] : sums[i] - row[i]);
  }

  /// Computes a row of the result from the sums of `width` columns.
  template <class Sum>
  void add_columns(const Column* columns, std::int64_t width, T* out, std::int64_t count) const {
    // Whole vectors are computed. Elements beyond the columns are never used.
    alignas(64) Sum blocks[most_columns + 128 + lanes], sums[piece];
    const int extent = 2 * reach.x + 1;
    for (std::int64_t i = 0; i < width; ++i) blocks[i] = static_cast<Sum>(columns[i]);
    std::fill_n(blocks + width, whole_vectors<std::uint16_t>(width) + 128 + lanes - width, Sum(0));
    const std::int64_t points = whole_vectors<std::uint16_t>(count);
    for (std::int64_t i = 0; i < points; ++i) sums[i] = blocks[i + extent - 1];
    for (int size = 1; 2 * size <= extent; size *= 2) {
      add(blocks, blocks + size, whole_vectors<std::uint16_t>(width - 2 * size + 1));
      if ((extent & 2 * size) != 0) add(sums, blocks + begin_of_block(extent, 2 * size), points);
    }
    const MeanOfWindow copy = *this;  // Stores of bytes cannot change this copy.
    TESSERA_VECTORISED
    for (std::int64_t i = 0; i < count; ++i) out[i] = static_cast<T>(copy.finished(sums[i]));
  }

  /// Adds b[i] to a[i]. Where the arrays overlap, b lies behind a, so that no element is read after it was
  /// set.
  template <class Sum>
  static void add(Sum* a, const Sum* b, std::int64_t count) {
    TESSERA_VECTORISED
    for (std::int64_t i = 0; i < count; ++i) a[i] = static_cast<Sum>(b[i] + a[i]);
  }

  /// The blocks of the last rows of floats.
  class BlocksOfRows {
   public:
    BlocksOfRows(int extent, std::int64_t width) : extent_(extent), width_(width) {
      std::int64_t rows = 0;
      for (int size = 2; size <= extent; size *= 2, ++levels_) {
        first_[levels_] = rows;
        rows += kept(size);
      }
      memory_ = scratch<Levels, T>(rows * width);
    }

    /// Adds the row after the last one, which must stay where it is until the next call.
    void add(const T* row) {
      // Blocks that begin before the first row have undefined values, and belong to no sum.
      const T* second = row;
      const T* first = previous_ == nullptr ? row : previous_;
      int size = 2;
      for (int level = 0; level < levels_; ++level, size *= 2) {
        const std::int64_t begin = number_ - size + 1;
        T* const to = block(level, begin);
        if (begin >= 0)
          for (std::int64_t i = 0; i < width_; ++i) to[i] = first[i] + second[i];
        second = to;
        first = block(level, begin - size);
      }
      previous_ = row;
      ++number_;
    }

    /// Computes the sums of the last rows.
    void sum(T* sums) {
      std::copy_n(previous_, width_, sums);
      const std::int64_t begin = number_ - extent_;
      int size = 2;
      for (int level = 0; level < levels_; ++level, size *= 2)
        if ((extent_ & size) != 0)
          MeanOfWindow::add(sums, block(level, begin + begin_of_block(extent_, size)), width_);
    }

   private:
    /// Returns the number of blocks of `size` rows that are needed at a time.
    std::int64_t kept(int size) const {
      return std::max(size + 1, extent_ + 1 - size - begin_of_block(extent_, size));
    }
    /// Returns the block of 2, 4, 8 ... rows that begins with the row number `begin`, which may be negative.
    T* block(int level, std::int64_t begin) {
      const std::int64_t rows = kept(2 << level);
      return memory_ + (first_[level] + (begin % rows + rows) % rows) * width_;
    }

    int extent_;
    std::int64_t width_;
    int levels_ = 0;
    std::int64_t first_[most_blocks] = {};
    T* memory_ = nullptr;
    const T* previous_ = nullptr;
    std::int64_t number_ = 0;
  };
#endif
};

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
