// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <memory>

#include "nearest.hpp"
#include "points.hpp"
#include "tessera/view/instruction_sets.hpp"
#include "tessera/view/vectorised.hpp"
#include "transposed_square.hpp"

namespace kmeans {

/// A block of points, shifted and scaled as a CentreTable says, and turned: first the first coordinates of
/// all points, then their second coordinates, and so on.
template <class T>
class TurnedBlock {
 public:
  /// Makes a block for points of so many coordinates. A block stays in the caches.
  explicit TurnedBlock(int dimensions)
      : points_(points_together * std::clamp(16 * 64 / (dimensions * points_together), 1, 4)),
        numbers_(new (std::align_val_t{64})
                     T[static_cast<std::size_t>(dimensions) * static_cast<std::size_t>(points_)]) {}

  /// The greatest number of points.
  int size() const { return points_; }
  /// The coordinates. The first ones of all points are followed by the second ones.
  const T* data() const { return numbers_.get(); }
  /// The bytes of a block.
  static std::int64_t bytes(int dimensions) {
    return std::int64_t(dimensions) * TurnedBlock(dimensions).size() * static_cast<std::int64_t>(sizeof(T));
  }

  /// Takes `count` points of a row, from point `begin` on. The rest of the block holds the last one of them.
  template <class In>
  void take(const PointRow<In>& row, std::int64_t begin, int count, const CentreTable<T>& table) {
    const PointRow<In> points{row.point(begin), row.point_stride, row.coordinate_stride, count, 0};
    if (points.coordinate_stride == 1)
      tessera::detail::call_flat_with_vectors([&](auto bytes) __attribute__((always_inline)) {
        turn<decltype(bytes)::value>(points, table);
      });
    else
      tessera::detail::call_flat_for_processor([&]() __attribute__((always_inline)) { copy(points, table); });
  }

 private:
  struct Deleter {
    void operator()(T* numbers) const { ::operator delete[](numbers, std::align_val_t{64}); }
  };

  T* line(int j) { return numbers_.get() + static_cast<std::ptrdiff_t>(j) * points_; }

  /// Turns points whose coordinates lie beside each other, in squares.
  template <int bytes, class In>
  [[gnu::always_inline]] void turn(const PointRow<In>& points, const CentreTable<T>& table) {
    using Square = TransposedSquare<T, bytes>;
    constexpr int side = Square::side;
    const int dimensions = table.dimensions(), whole = dimensions / side * side;
    const T* const shift = table.shift();
    const T scale = table.scale();
    for (int first = 0; first < points_; first += side) {
      const In* from[side];
      for (int i = 0; i < side; ++i)
        from[i] = points.point(std::min<std::int64_t>(first + i, points.count - 1));
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
  [[gnu::always_inline]] void copy(const PointRow<In>& points, const CentreTable<T>& table) {
    const T scale = table.scale();
    for (int j = 0; j < table.dimensions(); ++j) {
      const In* const plane = points.first + j * points.coordinate_stride;
      T* const to = line(j);
      const T shift = table.shift()[j];
      TESSERA_VECTORISED
      for (std::int64_t i = 0; i < points.count; ++i) to[i] = (static_cast<T>(plane[i]) - shift) * scale;
      std::fill(to + points.count, to + points_, to[points.count - 1]);
    }
  }

  int points_;
  std::unique_ptr<T[], Deleter> numbers_;
};

/// Calls use(begin, count, labels) for each part of a row: labels[i] is the number of the centre that is
/// nearest to the point begin + i of the row.
template <class In, class T, class Use>
void for_each_label(const PointRow<In>& row, const CentreTable<T>& table, TurnedBlock<T>& block,
                    const Use& use) {
  std::int32_t labels[4 * points_together];
  for (std::int64_t begin = 0; begin < row.count; begin += block.size()) {
    const int count = static_cast<int>(std::min<std::int64_t>(block.size(), row.count - begin));
    block.take(row, begin, count, table);
    find_nearest(table, block.data(), block.size(), labels);
    use(begin, count, labels);
  }
}

}  // namespace kmeans
