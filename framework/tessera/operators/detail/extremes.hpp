// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "tessera/operators/detail/keys.hpp"
#include "tessera/operators/detail/plane_stage.hpp"
#include "tessera/operators/detail/scratch.hpp"
#include "tessera/view/vectorised.hpp"

namespace tessera::operators::detail {

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
  /// Computes the extremes of 2, 4, 8 and more neighbours, each of two extremes of half as many. Two of these
  /// that overlap give that of the window. This takes as many steps as the extent has binary digits.
  void plane(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows) const {
    const std::int64_t stride = whole_vectors(piece + 2 * reach.x);
    const std::int64_t most_rows = std::min(rows.size(), piece_rows()) + 2 * reach.y;
    // Whole vectors are computed, which read beyond the last row.
    Key<T>* const keys = scratch<ExtremeOfWindow, Key<T>>((most_rows + 1) * stride);
    for (std::int64_t y = rows.begin; y < rows.end; y += piece_rows())
      for (std::int64_t x = columns.begin; x < columns.end; x += piece)
        part(in, out, {x, std::min(x + piece, columns.end)}, {y, std::min(y + piece_rows(), rows.end)}, keys,
             stride);
  }
#endif

 private:
  /// The greatest numbers of columns and rows that are computed together.
  static constexpr std::int64_t piece = 512;
  std::int64_t piece_rows() const { return std::max(64, 4 * reach.y); }

  /// Sets a[i] to the better one of a[i] and b[i]. Where the arrays overlap, b lies behind
  /// a, so that no element is read after it was set.
  static void combine(Key<T>* a, const Key<T>* b, std::int64_t count) {
    TESSERA_VECTORISED
    for (std::int64_t i = 0; i < count; ++i) a[i] = better_key<Greatest>(a[i], b[i]);
  }

  /// Returns the least number of elements that fill vectors of 64 bytes and are not less than `count`.
  static std::int64_t whole_vectors(std::int64_t count) {
    constexpr std::int64_t lanes = 64 / sizeof(Key<T>);
    return (count + lanes - 1) / lanes * lanes;
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
      combine(keys, keys + known, whole_vectors(width + extent - 2 * known));
    combine(keys, keys + extent - known, whole_vectors(width));
  }

  /// Computes some points. `keys` is memory for their rows and those around them, `stride` elements apart.
  void part(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows, Key<T>* keys,
            std::int64_t stride) const {
    const std::int64_t width = columns.size(), height = rows.size() + 2 * reach.y;
    for (std::int64_t k = 0; k < height; ++k)
      along_x(in.row(rows.begin - reach.y + k) + columns.begin - reach.x, keys + k * stride, width);
    const std::int64_t extent = 2 * reach.y + 1;
    std::int64_t known = 1;
    for (; 2 * known <= extent; known *= 2)
      for (std::int64_t k = 0; k < height - 2 * known + 1; ++k)
        combine(keys + k * stride, keys + (k + known) * stride, whole_vectors(width));
    for (std::int64_t k = 0; k < rows.size(); ++k) {
      T* const to = out.row(rows.begin + k) + columns.begin;
      const Key<T>* const first = keys + k * stride;
      const Key<T>* const last = first + (extent - known) * stride;
      TESSERA_VECTORISED
      for (std::int64_t i = 0; i < width; ++i) to[i] = element_of<T>(better_key<Greatest>(first[i], last[i]));
    }
  }
};

}  // namespace tessera::operators::detail
