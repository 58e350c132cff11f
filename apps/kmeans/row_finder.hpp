// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "aligned_numbers.hpp"
#include "nearest.hpp"
#include "points.hpp"
#include "tessera/view/instruction_sets.hpp"
#include "vectors.hpp"

namespace kmeans {

/// Finds the nearest centres of points whose coordinates lie beside each other in memory. It computes the
/// same values as find_nearest, but a vector holds those of several centres for one point, and not those of
/// several points. The points need not be turned, and to compare values takes less time: first the least
/// values of several points are found together, and then the places of the values that are not much greater.
template <class T>
class RowFinder {
 public:
  /// The number of points that are taken together.
  static constexpr int points = points_together;
  /// The greatest number of centres, for which the values of all points stay in a cache.
  static constexpr int most_centres = 512;

  /// Makes a finder of the nearest of the centres.
  explicit RowFinder(const CentreTable<T>& table);

  /// Whether this way is expected to take less time than find_nearest.
  static constexpr bool suits(int clusters) { return clusters > 24 && clusters <= most_centres; }
  /// The bytes of a finder, but for small parts.
  static std::int64_t bytes(int clusters, int dimensions) {
    const std::int64_t centres = whole(clusters), coordinates = whole(dimensions);
    return (centres * (dimensions + 1) + (centres + coordinates) * points) * std::int64_t(sizeof(T));
  }

  /// Takes `count` points of a row, from point `begin` on.
  template <class In>
  void take(const PointRow<In>& row, std::int64_t begin, int count) {
    tessera::detail::call_flat_with_vectors([&](auto bytes) __attribute__((always_inline)) {
      copy<decltype(bytes)::value>(row, begin, count);
    });
  }
  /// Finds the labels of the points that were taken, as find_nearest does.
  bool find(std::int32_t* labels);

 private:
  template <int bytes>
  class Search;

  /// The numbers of 64 bytes.
  static constexpr int unit = 64 / static_cast<int>(sizeof(T));
  /// The number of centres that lie beside each other.
  static constexpr int block = 4 * unit;

  static constexpr int whole(int count) { return (count + unit - 1) / unit * unit; }

  /// Copies points, shifted and scaled as the table says. There are zeros behind their coordinates, and the
  /// last one takes the places of missing points.
  template <int bytes, class In>
  [[gnu::always_inline]] void copy(const PointRow<In>& row, std::int64_t begin, int count) {
    using Numbers = typename Vectors<T, bytes>::Numbers;
    constexpr int lanes = Vectors<T, bytes>::lanes;
    const int dimensions = dimensions_, end = dimensions / lanes * lanes;
    const T* const shift = shift_.data();
    const T scale = scale_;
    T* to = points_.data();
    for (int i = 0; i < points; ++i, to += stride_) {
      const In* const from = row.point(begin + std::min(i, count - 1));
      for (int j = 0; j < end; j += lanes) {
        Numbers numbers;
        Vectors<T, bytes>::load(from + j, numbers);
        *reinterpret_cast<Numbers*>(to + j) =
            (numbers - *reinterpret_cast<const Numbers*>(shift + j)) * scale;
      }
      for (int j = end; j < dimensions; ++j) to[j] = (static_cast<T>(from[j]) - shift[j]) * scale;
      // The points that are taken next come from memory while those of now are compared with all centres.
      const In* const next = row.point(std::min(begin + points + i, row.count - 1));
      for (int j = 0; j < dimensions; j += 64 / static_cast<int>(sizeof(In))) __builtin_prefetch(next + j);
    }
  }

  int dimensions_;
  /// The distance between points.
  int stride_;
  /// The number of centres, with missing ones.
  int centres_;
  T scale_;
  T margin_factor_;
  T margin_rest_;
  AlignedNumbers<T> shift_;
  /// Half the squared norms of `block` centres, their first coordinates with the opposite sign, their second
  /// ones, and so on; then the same of the next centres. There are fewer centres in the last block.
  AlignedNumbers<T> factors_;
  AlignedNumbers<T> points_;
  /// The values of some centres for the first point, for the second point, and so on; then the same of the
  /// next centres.
  AlignedNumbers<T> values_;
};

}  // namespace kmeans
