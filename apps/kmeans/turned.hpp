// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "aligned_numbers.hpp"
#include "nearest.hpp"
#include "points.hpp"
#include "tessera/view/instruction_sets.hpp"
#include "transposed_square.hpp"

namespace kmeans {

/// A block of points, shifted and scaled as a CentreTable says, and turned: first the first coordinates of
/// all points, then their second coordinates, and so on.
template <class T>
class TurnedBlock {
 public:
  /// Makes a block for `points` points of so many coordinates.
  TurnedBlock(int dimensions, int points) : points_(points), numbers_(std::int64_t(dimensions) * points) {}

  /// The greatest number of points.
  int size() const { return points_; }
  /// The coordinates. The first ones of all points are followed by the second ones.
  const T* data() const { return numbers_.data(); }
  /// The number of points of a block that stays in the caches.
  static int cached_points(int dimensions) {
    return points_together * std::clamp(16 * 64 / (dimensions * points_together), 1, 4);
  }

  /// Takes `count` points of a row, from point `begin` on, to the places from `place` on. The places before
  /// and behind them hold the first and the last one of these points.
  template <class In>
  void take(const PointRow<In>& row, std::int64_t begin, int count, int place, const CentreTable<T>& table) {
    const PointRow<In> points{row.point(begin), row.point_stride, row.coordinate_stride, count, 0};
    if (points.coordinate_stride == 1)
      tessera::detail::call_flat_with_vectors([&](auto bytes) __attribute__((always_inline)) {
        turn<decltype(bytes)::value>(points, place, table);
      });
    else
      tessera::detail::call_flat_for_processor([&]() __attribute__((always_inline)) {
        copy(points, place, table);
      });
  }

 private:
  T* line(int j) { return numbers_.data() + static_cast<std::ptrdiff_t>(j) * points_; }

  /// Turns points whose coordinates lie beside each other, in squares.
  template <int bytes, class In>
  [[gnu::always_inline]] void turn(const PointRow<In>& points, int place, const CentreTable<T>& table) {
    using Square = TransposedSquare<T, bytes>;
    constexpr int side = Square::side;
    const int dimensions = table.dimensions(), whole = dimensions / side * side;
    const T* const shift = table.shift();
    const T scale = table.scale();
    for (int first = 0; first < points_; first += side) {
      const In* from[side];
      for (int i = 0; i < side; ++i)
        from[i] = points.point(std::clamp<std::int64_t>(first + i - place, 0, points.count - 1));
      for (int j = 0; j < whole; j += side) {
        Square square;
        KMEANS_UNROLLED
        for (int i = 0; i < side; ++i)
          for (int d = 0; d < side; ++d)
            square.rows[i][d] = (static_cast<T>(from[i][j + d]) - shift[j + d]) * scale;
        square.transpose();
        KMEANS_UNROLLED
        for (int d = 0; d < side; ++d)
          *reinterpret_cast<typename Square::Numbers*>(line(j + d) + first) = square.rows[d];
      }
      for (int j = whole; j < dimensions; ++j)
        for (int i = 0; i < side; ++i) line(j)[first + i] = (static_cast<T>(from[i][j]) - shift[j]) * scale;
    }
  }
  /// Copies points whose coordinates lie in planes.
  template <class In>
  [[gnu::always_inline]] void copy(const PointRow<In>& points, int place, const CentreTable<T>& table) {
    const T scale = table.scale();
    for (int j = 0; j < table.dimensions(); ++j) {
      const In* const plane = points.first + j * points.coordinate_stride;
      T* const to = line(j) + place;
      const T shift = table.shift()[j];
      TESSERA_VECTORISED
      for (std::int64_t i = 0; i < points.count; ++i) to[i] = (static_cast<T>(plane[i]) - shift) * scale;
      std::fill(to - place, to, to[0]);
      std::fill(to + points.count, to - place + points_, to[points.count - 1]);
    }
  }

  int points_;
  AlignedNumbers<T> numbers_;
};

}  // namespace kmeans
