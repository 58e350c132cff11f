// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "nearest.hpp"
#include "points.hpp"
#include "tessera/view/instruction_sets.hpp"
#include "vectors.hpp"

namespace kmeans {

/// Returns the squared distance of a point from another one, multiplied by scale^2, in double. The
/// coordinates of `point` lie `stride` elements apart.
template <class In, class T>
double scaled_square(const In* point, std::int64_t stride, const T* other, int dimensions, double scale) {
  double square = 0;
  for (int j = 0; j < dimensions; ++j) {
    const double difference =
        (static_cast<double>(point[j * stride]) - static_cast<double>(other[j])) * scale;
    square += difference * difference;
  }
  return square;
}

/// Finds the numbers of the nearest centres of points.
template <class T>
class LabelFinder {
 public:
  /// Makes a finder for `clusters` centres with `dimensions` coordinates each, one centre after the other.
  /// All coordinates of points are less than 2^exponent. other_distance() needs `finds_others`.
  LabelFinder(const T* centres, int clusters, int dimensions, int exponent, bool finds_others = false)
      : centres_(centres),
        clusters_(clusters),
        block_size_(block_size(dimensions)),
        table_(centres, clusters, dimensions, exponent),
        lines_(static_cast<std::size_t>(dimensions) * static_cast<std::size_t>(block_size_) * sizeof(T) /
               sizeof(Line)),
        labels_(static_cast<std::size_t>(block_size_)),
        others_(finds_others ? labels_.size() : 0) {}

  /// The bytes that a finder allocates, except for its small parts.
  static std::int64_t bytes(int clusters, int dimensions) {
    return ((std::int64_t(clusters) + 2 * centres_together) * (dimensions + 1) +
            std::int64_t(dimensions) * (block_size(dimensions) + 1)) *
           static_cast<std::int64_t>(sizeof(T));
  }
  /// The number of points that are searched together: 1 to 4 times points_together, such that a block of them
  /// has about 1024 coordinates at most, which stay in the caches.
  static int block_size(int dimensions) {
    return points_together * std::clamp(16 * 64 / (dimensions * points_together), 1, 4);
  }

  /// The factor of distances, a power of two.
  double scale() const { return static_cast<double>(table_.scale); }
  /// Returns a lower bound of the scaled distances of a point from all centres except the nearest one. It may
  /// only be called by `use` of for_each, for the point with the label labels[i].
  double other_distance(int i) const {
    // Centres that are farther than 2^40 from 0 have no values, so that no greater bound is known.
    constexpr double greatest = 0x1p39;
    const double square = std::max(0.0, static_cast<double>(others_[static_cast<std::size_t>(i)]));
    const double factor = 1 + static_cast<double>(table_.margin_factor) / 3;
    return std::min(std::sqrt(square / factor) * (1 - 0x1p-20), greatest);
  }

  /// Calls use(begin, points, block) for each part `points` of a row, from point `begin` on. `block` has
  /// these points as find_nearest reads them. Copies of the last point fill a block that is not full.
  template <class In, class Use>
  void for_each_block(const PointRow<In>& row, const Use& use) {
    for (std::int64_t begin = 0; begin < row.count; begin += block_size_) {
      const PointRow<In> points = row.part(begin, std::min<std::int64_t>(block_size_, row.count - begin));
      tessera::detail::call_flat_with_vectors([&](auto bytes) __attribute__((always_inline)) {
        points.coordinate_stride == 1 ? transpose<decltype(bytes)::value>(points) : copy(points);
      });
      use(begin, points, line(0));
    }
  }
  /// Calls use(begin, count, labels) for each part of a row: labels[i] is the number of the centre that is
  /// nearest to the point begin + i of the row.
  template <class In, class Use>
  void for_each(const PointRow<In>& row, const Use& use) {
    for_each_block(row, [&](std::int64_t begin, const PointRow<In>& points, const T* block) {
      if (find_nearest(table_, block, block_size_, labels_.data(),
                       others_.empty() ? nullptr : others_.data()))
        for (std::size_t i = 0; i < static_cast<std::size_t>(points.count); ++i) {
          if (labels_[i] != doubtful) continue;
          labels_[i] = nearest_by_squares(points.point(static_cast<std::int64_t>(i)), row.coordinate_stride);
          if (!others_.empty()) others_[i] = 0;
        }
      use(begin, static_cast<int>(points.count), labels_.data());
    });
  }

 private:
  /// Returns coordinate number j of all points of the block.
  T* line(int j) { return reinterpret_cast<T*>(lines_.data()) + std::int64_t(j) * block_size_; }

  /// Writes points whose coordinates lie beside each other to the block, a square after the other.
  template <int bytes, class In>
  [[gnu::always_inline]] void transpose(const PointRow<In>& points) {
    using Square = TransposedSquare<T, bytes>;
    constexpr int side = Square::side;
    const int dimensions = table_.dimensions, whole = dimensions / side * side;
    const T* const shift = table_.shift.data();
    const T scale = table_.scale;
    for (int first = 0; first < block_size_; first += side) {
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
  /// Writes points whose coordinates lie in planes to the block.
  template <class In>
  [[gnu::always_inline]] void copy(const PointRow<In>& points) {
    const T scale = table_.scale;
    for (int j = 0; j < table_.dimensions; ++j) {
      const In* const plane = points.first + j * points.coordinate_stride;
      T* const to = line(j);
      const T shift = table_.shift[static_cast<std::size_t>(j)];
      TESSERA_VECTORISED
      for (std::int64_t i = 0; i < points.count; ++i) to[i] = (static_cast<T>(plane[i]) - shift) * scale;
      std::fill(to + points.count, to + block_size_, to[points.count - 1]);
    }
  }
  /// Returns the number of the centre with the least squared distance in double; the first one of several.
  template <class In>
  std::int32_t nearest_by_squares(const In* point, std::int64_t stride) const {
    double least = std::numeric_limits<double>::infinity();
    std::int32_t label = 0;
    for (std::int32_t k = 0; k < clusters_; ++k) {
      const T* const centre = centres_ + std::int64_t(k) * table_.dimensions;
      const double square = scaled_square(point, stride, centre, table_.dimensions, 1);
      if (square < least) label = k;
      least = std::min(least, square);
    }
    return label;
  }

  const T* centres_;
  int clusters_;
  int block_size_;
  CentreTable<T> table_;
  /// The block of points.
  std::vector<Line> lines_;
  std::vector<std::int32_t> labels_;
  /// The bounds of find_nearest for the distances from other centres. Empty without `finds_others`.
  std::vector<T> others_;
};

}  // namespace kmeans
