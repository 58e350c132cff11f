// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "nearest.hpp"
#include "points.hpp"
#include "tessera/view/instruction_sets.hpp"
#include "tessera/view/vectorised.hpp"
#include "vectors.hpp"

namespace kmeans {

/// A block of points, shifted and scaled as a CentreTable says, and turned: the first coordinates of all
/// points, then their second coordinates, and so on.
template <class T>
class TurnedBlock {
 public:
  /// Makes a block for points of `dimensions` coordinates, which stays in the caches.
  explicit TurnedBlock(int dimensions)
      : points_(points_of(dimensions)),
        lines_(static_cast<std::size_t>(dimensions) * static_cast<std::size_t>(points_) * sizeof(T) /
               sizeof(Line)) {}

  /// The number of points of a block.
  static int points_of(int dimensions) {
    return points_together * std::clamp(16 * 64 / (dimensions * points_together), 1, 4);
  }

  /// The greatest number of points.
  int size() const { return points_; }
  /// The coordinates. The first ones of all points are followed by the second ones.
  const T* data() const { return reinterpret_cast<const T*>(lines_.data()); }

  /// Takes `count` points of a row, from point `begin` on. The last one is also in all places behind it.
  template <class In>
  void take(const PointRow<In>& row, std::int64_t begin, int count, const CentreTable<T>& table) {
    const PointRow<In> points = row.part(begin, count);
    if (points.coordinate_stride == 1)
      tessera::detail::call_flat_with_vectors([&](auto bytes) __attribute__((always_inline)) {
        turn<decltype(bytes)::value>(points, table);
      });
    else
      tessera::detail::call_flat_for_processor([&]() __attribute__((always_inline)) { copy(points, table); });
  }

 private:
  /// Numbers at a place that vectors need.
  struct alignas(64) Line {
    T numbers[64 / sizeof(T)];
  };

  /// Returns the coordinates number j of all points.
  T* line(int j) { return reinterpret_cast<T*>(lines_.data()) + std::int64_t(j) * points_; }

  /// Turns points whose coordinates lie beside each other, in squares.
  template <int bytes, class In>
  [[gnu::always_inline]] void turn(const PointRow<In>& points, const CentreTable<T>& table) {
    using Square = TransposedSquare<T, bytes>;
    constexpr int side = Square::side;
    const int dimensions = table.dimensions, whole = dimensions / side * side;
    const T* const shift = table.shift.data();
    const T scale = table.scale;
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
    const T scale = table.scale;
    for (int j = 0; j < table.dimensions; ++j) {
      const In* const plane = points.first + j * points.coordinate_stride;
      T* const to = line(j);
      const T shift = table.shift[static_cast<std::size_t>(j)];
      TESSERA_VECTORISED
      for (std::int64_t i = 0; i < points.count; ++i) to[i] = (static_cast<T>(plane[i]) - shift) * scale;
      std::fill(to + points.count, to + points_, to[points.count - 1]);
    }
  }

  int points_;
  std::vector<Line> lines_;
};

/// Returns the number of the centre that is nearest to a point, whose coordinates lie `stride` elements
/// apart. The distances are sums of (x - c)^2 in double. Of several equally near centres, the first one is
/// taken.
template <class T, class In>
std::int32_t nearest_by_squares(const CentreTable<T>& table, const In* point, std::int64_t stride) {
  double least = std::numeric_limits<double>::infinity();
  std::int32_t label = 0;
  tessera::detail::call_flat_for_processor([&]() __attribute__((always_inline)) {
    for (int g = 0; g < table.groups; ++g) {
      const T* centres = table.given(g);
      double squares[centres_together] = {};
      for (int j = 0; j < table.dimensions; ++j, centres += centres_together) {
        const auto coordinate = static_cast<double>(point[j * stride]);
        TESSERA_VECTORISED
        for (int c = 0; c < centres_together; ++c) {
          const double difference = coordinate - static_cast<double>(centres[c]);
          squares[c] += difference * difference;
        }
      }
      for (int c = 0; c < centres_together; ++c)
        if (squares[c] < least) {
          least = squares[c];
          label = g * centres_together + c;
        }
    }
  });
  return label;
}

/// Finds the numbers of the nearest centres of points.
template <class T>
class LabelFinder {
 public:
  /// Makes a finder for `clusters` centres with `dimensions` coordinates each, one centre after the other.
  /// All coordinates of points are less than 2^exponent.
  LabelFinder(const T* centres, int clusters, int dimensions, int exponent)
      : table_(centres, clusters, dimensions, exponent),
        block_(dimensions),
        labels_(static_cast<std::size_t>(block_.size())),
        others_(labels_.size()) {}

  /// The bytes of a finder, but for small parts.
  static std::int64_t bytes(int clusters, int dimensions) {
    const std::int64_t numbers =
        std::int64_t(dimensions) * (TurnedBlock<T>::points_of(dimensions) + 1) +
        (std::int64_t(clusters) + 2 * centres_together) * (std::int64_t(dimensions) + 2) * 2;
    return numbers * static_cast<std::int64_t>(sizeof(double));
  }

  /// The number of points that are searched together.
  int block_size() const { return block_.size(); }
  /// The power of two by which distances are multiplied.
  double scale() const { return static_cast<double>(table_.scale); }
  /// Returns a lower bound of the scaled distances of a point from all centres but that of its label, while
  /// `for_each` calls use(begin, count, labels) with this point as number begin + i.
  double other_distance(int i) const {
    // Centres that are farther away than this are not looked at.
    constexpr double greatest = 0x1p39;
    const double square = std::max(0.0, static_cast<double>(others_[static_cast<std::size_t>(i)]));
    const double factor = 1 + static_cast<double>(table_.margin_factor) / 3;
    return std::min(std::sqrt(square / factor) * (1 - 0x1p-20), greatest);
  }

  /// Calls use(begin, count, labels) for each part of a row: labels[i] is the number of the centre that is
  /// nearest to the point begin + i of the row.
  template <class In, class Use>
  void for_each(const PointRow<In>& row, const Use& use) {
    for (std::int64_t begin = 0; begin < row.count; begin += block_.size()) {
      const int count = static_cast<int>(std::min<std::int64_t>(block_.size(), row.count - begin));
      block_.take(row, begin, count, table_);
      if (find_nearest(table_, block_.data(), block_.size(), labels_.data(), others_.data()))
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
          if (labels_[i] != doubtful) continue;
          const In* const point = row.point(begin + static_cast<std::int64_t>(i));
          labels_[i] = nearest_by_squares(table_, point, row.coordinate_stride);
          others_[i] = 0;
        }
      use(begin, count, labels_.data());
    }
  }

 private:
  CentreTable<T> table_;
  TurnedBlock<T> block_;
  std::vector<std::int32_t> labels_;
  /// The result of find_nearest for the distances from other centres.
  std::vector<T> others_;
};

}  // namespace kmeans
