// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "tessera/operators/detail/byte_medians.hpp"
#include "tessera/operators/detail/keys.hpp"
#include "tessera/operators/detail/median_network.hpp"
#include "tessera/operators/detail/plane_stage.hpp"
#include "tessera/operators/detail/scratch.hpp"
#include "tessera/operators/detail/sliding_counts.hpp"
#include "tessera/view/vectorised.hpp"

namespace tessera::operators::detail {

/// A stage body: the element of T with the number `rank`, in ascending order from 0, of a window.
template <class T>
struct RankOfWindow {
  Reach reach;
  int rank;

  Box footprint(int, const Box& box) const { return reach.around(box); }

  /// Finds the bits of the result from the highest on: it is the greatest number than which at most `rank`
  /// elements are less.
  template <class In>
  KOKKOS_FUNCTION auto operator()(const In& in, Coordinate x, Coordinate y, Coordinate c) const {
    Number result = 0;
    for (Number bit = highest_bit; bit != 0; bit = static_cast<Number>(bit / 2)) {
      const Number candidate = static_cast<Number>(result | bit);
      int less = 0;
      for (int j = -reach.y; j <= reach.y; ++j)
        for (int i = -reach.x; i <= reach.x; ++i)
          less += number_of_element(in(x + i, y + j, c)) < candidate ? 1 : 0;
      if (less <= rank) result = candidate;
    }
    return element_of<T>(static_cast<Key<T>>(result ^ sign));
  }

#ifdef TESSERA_COMPUTES_PLANES
  void plane(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows) const {
    const bool median = rank == reach.count() / 2;
    if (median && reach.x == 1 && reach.y == 1) return by_network<1>(in, out, columns, rows);
    if (median && reach.x == 2 && reach.y == 2) return by_network<2>(in, out, columns, rows);
    for (std::int64_t x = columns.begin; x < columns.end; x += piece)
      by_counts(in, out, {x, std::min(x + piece, columns.end)}, rows);
  }
#endif

 private:
  /// Unsigned integers have the order of the keys if the signs of these are inverted.
  using Number = std::make_unsigned_t<Key<T>>;
  static constexpr Number highest_bit = static_cast<Number>(Number(1) << (8 * sizeof(Number) - 1));
  static constexpr Number sign = std::is_signed_v<Key<T>> ? highest_bit : Number(0);
  static constexpr std::int64_t piece = 256;

  KOKKOS_FORCEINLINE_FUNCTION static Number number_of_element(T element) {
    return static_cast<Number>(static_cast<Number>(key_of<T>(element)) ^ sign);
  }

#ifdef TESSERA_COMPUTES_PLANES
  template <int Reach>
  static void by_network(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows) {
    constexpr int extent = 2 * Reach + 1;
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      const T* from[extent];
      for (int j = 0; j < extent; ++j) from[j] = in.row(y + j - Reach) - Reach;
      T* const to = out.row(y);
      TESSERA_VECTORISED
      for (std::int64_t x = columns.begin; x < columns.end; ++x)
        to[x] = median_at<extent>(from, x, std::make_index_sequence<extent * extent>{});
    }
  }
  template <int Extent, std::size_t... I>
  [[gnu::always_inline]] static T median_at(const T* const* from, std::int64_t x, std::index_sequence<I...>) {
    Key<T> elements[] = {key_of<T>(from[I / Extent][x + static_cast<std::int64_t>(I % Extent)])...};
    return element_of<T>(median_of<Extent * Extent>(elements));
  }

  void by_counts(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows) const {
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      ByteRanks(reach, rank, columns.size()).compute(in, out, columns, rows);
    } else if constexpr (std::is_same_v<T, std::uint16_t>) {
      slide(
          65536, columns, rows, [&](std::int64_t x, std::int64_t y) { return in.row(y)[x]; },
          [&](std::int64_t x, std::int64_t y, std::uint32_t value) {
            out.row(y)[x] = static_cast<T>(value);
          });
    } else {
      // The points around a part are sorted together with it.
      const std::int64_t most_rows = std::max(64, 4 * reach.y);
      for (std::int64_t y = rows.begin; y < rows.end; y += most_rows)
        by_order(in, out, columns, {y, std::min(y + most_rows, rows.end)});
    }
  }

  /// Counts elements by their places in the order of all elements of the part.
  void by_order(const Plane<const T>& in, const Plane<T>& out, Range columns, Range rows) const {
    const std::int64_t left = columns.begin - reach.x, top = rows.begin - reach.y;
    const std::int64_t width = columns.size() + 2 * reach.x, height = rows.size() + 2 * reach.y;
    const auto count = static_cast<std::size_t>(width * height);
    auto* const elements = scratch<RankOfWindow, std::uint64_t>(count);
    for (std::int64_t j = 0; j < height; ++j)
      for (std::int64_t i = 0; i < width; ++i) {
        const auto k = static_cast<std::size_t>(j * width + i);
        elements[k] = std::uint64_t{number_of_element(in.row(top + j)[left + i])} << 32 | k;
      }
    std::sort(elements, elements + count);
    auto* const places = scratch<RankOfWindow, std::uint32_t>(count);
    T* const values = scratch<RankOfWindow, T>(count);
    std::size_t different = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const auto number = static_cast<Number>(elements[k] >> 32);
      if (k == 0 || number != static_cast<Number>(elements[k - 1] >> 32))
        values[different++] = element_of<T>(static_cast<Key<T>>(number ^ sign));
      places[static_cast<std::uint32_t>(elements[k])] = static_cast<std::uint32_t>(different - 1);
    }
    slide(
        different, columns, rows,
        [&](std::int64_t x, std::int64_t y) {
          return places[static_cast<std::size_t>((y - top) * width + x - left)];
        },
        [&](std::int64_t x, std::int64_t y, std::uint32_t value) { out.row(y)[x] = values[value]; });
  }

  /// Moves the window over the points of a part, there and back, and counts what comes in and what goes out.
  /// There are numbers below `values`. All counts are 0 before and after, and the thread keeps them.
  template <class At, class Put>
  void slide(std::size_t values, Range columns, Range rows, const At& at, const Put& put) const {
    static thread_local SlidingCounts counts;
    counts.make_room(values);
    const auto count = [&](Range x, Range y, std::int32_t number) {
      for (std::int64_t j = y.begin; j < y.end; ++j)
        for (std::int64_t i = x.begin; i < x.end; ++i) counts.add(at(i, j), number);
    };
    std::int64_t x = columns.begin;
    count({x - reach.x, x + reach.x + 1}, {rows.begin - reach.y, rows.begin + reach.y + 1}, 1);
    for (std::int64_t y = rows.begin; y < rows.end; ++y) {
      const Range height{y - reach.y, y + reach.y + 1};
      const int step = x == columns.begin ? 1 : -1;
      for (std::int64_t k = 0; k < columns.size(); ++k) {
        put(x, y, counts.find(rank));
        if (k + 1 == columns.size()) break;
        const std::int64_t leaves = x - step * reach.x, comes = x + step * (reach.x + 1);
        count({leaves, leaves + 1}, height, -1);
        count({comes, comes + 1}, height, 1);
        x += step;
      }
      if (y + 1 == rows.end) break;
      const Range width{x - reach.x, x + reach.x + 1};
      count(width, {y - reach.y, y - reach.y + 1}, -1);
      count(width, {y + reach.y + 1, y + reach.y + 2}, 1);
    }
    count({x - reach.x, x + reach.x + 1}, {rows.end - 1 - reach.y, rows.end + reach.y}, -1);
  }
#endif
};

}  // namespace tessera::operators::detail
