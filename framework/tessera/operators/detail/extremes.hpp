// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>

#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/operators/detail/plane_stage.hpp"
#include "tessera/pipeline/body/table.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace tessera::operators::detail {

/// Calls part(columns, rows) for parts of a plane that are computed together with the `reach` rows above and
/// below.
template <class Part>
void for_each_part(Range columns, Range rows, int reach, const Part& part) {
  constexpr std::int64_t most_columns = 512;
  const std::int64_t most_rows = std::max(64, 4 * reach);
  for (std::int64_t y = rows.begin; y < rows.end; y += most_rows)
    for (std::int64_t x = columns.begin; x < columns.end; x += most_columns)
      part(Range{x, std::min(x + most_columns, columns.end)}, Range{y, std::min(y + most_rows, rows.end)});
}

/// A stage body: the least or the greatest element of T in a window.
template <class T, bool Greatest>
struct ExtremeOfWindow {
  Reach reach;

  Box footprint(int, const Box& box) const { return reach.around(box); }

  template <class In>
  KOKKOS_FUNCTION auto operator()(const In& in, Coordinate x, Coordinate y, Coordinate c) const {
    Key<T> result = key_of<T>(in(x, y, c));
    for (int j = -reach.y; j <= reach.y; ++j)
      for (int i = -reach.x; i <= reach.x; ++i)
        result = better_key<Greatest>(result, key_of<T>(in(x + i, y + j, c)));
    return element_of<T>(result);
  }

#ifdef TESSERA_COMPUTES_PLANES
  /// Computes the extremes of 2, 4, 8 and more neighbours, each from two extremes of half the size. Two of
  /// these that overlap give the extreme of the window. There is one step for each binary digit of the
  /// extent.
  void plane(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows) const {
    for_each_part(columns, rows, reach.y, [&](Range x, Range y) { part(in, out, x, y); });
  }
#endif

 private:
  /// Sets a[i] to the better one of a[i] and b[i]. Where the arrays overlap, b lies behind
  /// a, so that no element is read after it was set.
  static void combine(Key<T>* a, const Key<T>* b, std::int64_t count) {
    TESSERA_VECTORISED
    for (std::int64_t i = 0; i < count; ++i) a[i] = better_key<Greatest>(a[i], b[i]);
  }

  void along_x(const T* from, Key<T>* keys, std::int64_t width) const {
    const std::int64_t extent = 2 * reach.x + 1, count = width + extent - 1;
    if (extent == 1) {
      for (std::int64_t i = 0; i < count; ++i) keys[i] = key_of<T>(from[i]);
      return;
    }
    TESSERA_VECTORISED
    for (std::int64_t i = 0; i < count - 1; ++i)
      keys[i] = better_key<Greatest>(key_of<T>(from[i]), key_of<T>(from[i + 1]));
    std::int64_t known = 2;  // keys[i] is the extreme of this many elements
    for (; 2 * known <= extent; known *= 2)
      combine(keys, keys + known, whole_vectors<Key<T>>(width + extent - 2 * known));
    combine(keys, keys + extent - known, whole_vectors<Key<T>>(width));
  }

  void part(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows) const {
    const std::int64_t width = columns.size(), height = rows.size() + 2 * reach.y;
    const std::int64_t stride = whole_vectors<Key<T>>(width + 2 * reach.x);
    // Whole vectors are computed, which read beyond the last row.
    Key<T>* const keys = scratch<ExtremeOfWindow, Key<T>>((height + 1) * stride);
    for (std::int64_t k = 0; k < height; ++k)
      along_x(in.row(rows.begin - reach.y + k) + columns.begin - reach.x, keys + k * stride, width);
    const std::int64_t extent = 2 * reach.y + 1;
    std::int64_t known = 1;
    for (; 2 * known <= extent; known *= 2)
      for (std::int64_t k = 0; k < height - 2 * known + 1; ++k)
        combine(keys + k * stride, keys + (k + known) * stride, whole_vectors<Key<T>>(width));
    for (std::int64_t k = 0; k < rows.size(); ++k) {
      T* const to = out.row(rows.begin + k) + columns.begin;
      const Key<T>* const first = keys + k * stride;
      const Key<T>* const last = first + (extent - known) * stride;
      TESSERA_VECTORISED
      for (std::int64_t i = 0; i < width; ++i) to[i] = element_of<T>(better_key<Greatest>(first[i], last[i]));
    }
  }
};

/// The points of a window that belong to a structuring element. In each row, these are the points up to a
/// number of columns from the middle. Opposite rows have the same points.
struct Spans {
  /// The greatest number of rows on each side of the middle.
  static constexpr int most_rows = 127;

  Reach reach;
  /// The columns on each side of the middle, for the rows that are 0, 1 and more rows away from the middle.
  Table<std::uint8_t, most_rows + 1> half_widths;

  /// Returns half of the width of the row that is `j` rows below the middle, or above it.
  KOKKOS_FORCEINLINE_FUNCTION int half_width(int j) const { return half_widths(j < 0 ? -j : j); }
};

/// A stage body: the least or the greatest element of T in a structuring element.
template <class T, bool Greatest>
struct ExtremeOfSpans {
  Spans spans;

  Box footprint(int, const Box& box) const { return spans.reach.around(box); }

  template <class In>
  KOKKOS_FUNCTION auto operator()(const In& in, Coordinate x, Coordinate y, Coordinate c) const {
    Key<T> result = key_of<T>(in(x, y, c));
    for (int j = -spans.reach.y; j <= spans.reach.y; ++j) {
      const int reach = spans.half_width(j);
      for (int i = -reach; i <= reach; ++i)
        result = better_key<Greatest>(result, key_of<T>(in(x + i, y + j, c)));
    }
    return element_of<T>(result);
  }

#ifdef TESSERA_COMPUTES_PLANES
  /// Reads the rows one after the other. For each row it computes the extremes of 2, 4, 8 and more
  /// neighbours. Two of these that overlap give the extreme of any span. Each row of results then takes the
  /// extreme of the span that it has in the row that was read.
  void plane(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows) const {
    for_each_part(columns, rows, spans.reach.y, [&](Range x, Range y) { part(in, out, x, y); });
  }
#endif

 private:
#ifdef TESSERA_COMPUTES_PLANES
  /// Sets to[i] to the better one of a[i] and b[i].
  static void combine(Key<T>* to, const Key<T>* a, const Key<T>* b, std::int64_t count) {
    TESSERA_VECTORISED
    for (std::int64_t i = 0; i < count; ++i) to[i] = better_key<Greatest>(a[i], b[i]);
  }

  /// Computes the keys of a row, `stride` of them, and behind them the extremes of 2, 4, 8 and more of them.
  void extremes_of_powers(const T* from, Key<T>* keys, std::int64_t stride) const {
    TESSERA_VECTORISED
    for (std::int64_t i = 0; i < stride; ++i) keys[i] = key_of<T>(from[i]);
    for (std::int64_t known = 1; 2 * known <= 2 * spans.reach.x + 1; known *= 2, keys += stride)
      combine(keys + stride, keys, keys + known, stride - 2 * known + 1);
  }

  /// Computes the extremes of the spans of a row around `width` points.
  void extremes_of_spans(const Key<T>* keys, std::int64_t stride, int half_width, Key<T>* to,
                         std::int64_t width) const {
    const std::int64_t extent = 2 * half_width + 1;
    std::int64_t known = 1;
    for (; 2 * known <= extent; known *= 2) keys += stride;
    const Key<T>* const first = keys + spans.reach.x - half_width;
    combine(to, first, first + extent - known, width);
  }

  /// Adds a row that is read, `distance` rows below a row of the results, to the extreme of that row. The
  /// first row that belongs to a row of results is the uppermost one.
  void take(const Key<T>* span, Key<T>* result, int distance, std::int64_t width) const {
    if (distance == -spans.reach.y)
      std::copy_n(span, width, result);
    else
      combine(result, result, span, width);
  }

  void part(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows) const {
    const std::int64_t width = columns.size(), stride = width + 2 * spans.reach.x;
    std::int64_t levels = 1;
    while ((std::int64_t{1} << levels) <= 2 * spans.reach.x + 1) ++levels;
    Key<T>* const keys = scratch<ExtremeOfSpans, Key<T>>(levels * stride + (rows.size() + 1) * width);
    Key<T>* const span = keys + levels * stride;
    Key<T>* const results = span + width;
    for (std::int64_t row = rows.begin - spans.reach.y; row < rows.end + spans.reach.y; ++row) {
      extremes_of_powers(in.row(row) + columns.begin - spans.reach.x, keys, stride);
      int half_width = -1;
      for (int j = 0; j <= spans.reach.y; ++j) {
        if (spans.half_width(j) != half_width) {
          half_width = spans.half_width(j);
          extremes_of_spans(keys, stride, half_width, span, width);
        }
        if (row - j >= rows.begin && row - j < rows.end)
          take(span, results + (row - j - rows.begin) * width, j, width);
        if (j > 0 && row + j >= rows.begin && row + j < rows.end)
          take(span, results + (row + j - rows.begin) * width, -j, width);
      }
    }
    for (std::int64_t k = 0; k < rows.size(); ++k) {
      T* const to = out.row(rows.begin + k) + columns.begin;
      const Key<T>* const result = results + k * width;
      TESSERA_VECTORISED
      for (std::int64_t i = 0; i < width; ++i) to[i] = element_of<T>(result[i]);
    }
  }
#endif
};

}  // namespace tessera::operators::detail
