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

/// Finds the nearest of a few centres for points whose coordinates lie beside each other in memory. It
/// computes the same values as find_nearest, but a vector holds those of several centres for one point, and
/// not those of several points. The points need not be turned, and to compare values takes less time: first
/// the least values of several points are found together, and then the places of the values that are not much
/// greater.
template <class T>
class RowFinder {
 public:
  /// The number of points that are taken together.
  static constexpr int points = points_together;
  /// The number of centres with which points are compared. There may be fewer centres, which takes no less
  /// time.
  static constexpr int most_centres = 256 / static_cast<int>(sizeof(T));

  /// Makes a finder of the nearest of the centres, of which there are `most_centres` at most.
  explicit RowFinder(const CentreTable<T>& table);

  /// Whether this way is expected to take less time than find_nearest. For 64 centres and `float`, it was
  /// measured to take 0.85 to 0.93 of the time. With a second group of centres it was no faster.
  static constexpr bool suits(int clusters) {
    return clusters <= most_centres && clusters > most_centres * 7 / 8;
  }
  /// The bytes of a finder, but for small parts.
  static std::int64_t size(int dimensions) {
    return (std::int64_t(most_centres) * (points + 1 + dimensions) +
            std::int64_t(stride_of(dimensions)) * points) *
           std::int64_t(sizeof(T));
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
  template <int vector_bytes>
  class Search;

  /// Returns the distance between points: the number of coordinates, rounded up to whole vectors.
  static constexpr int stride_of(int dimensions) {
    constexpr int longest = 64 / static_cast<int>(sizeof(T));
    return (dimensions + longest - 1) / longest * longest;
  }

  /// Copies points, shifted and scaled as the table says. There are zeros behind their coordinates, and the
  /// last one takes the places of missing points.
  template <int vector_bytes, class In>
  [[gnu::always_inline]] void copy(const PointRow<In>& row, std::int64_t begin, int count) {
    using Numbers = typename Vectors<T, vector_bytes>::Numbers;
    constexpr int lanes = Vectors<T, vector_bytes>::lanes;
    const int dimensions = dimensions_, end = dimensions / lanes * lanes;
    const T* const shift = shift_.data();
    const T scale = scale_;
    T* to = points_.data();
    for (int i = 0; i < points; ++i, to += stride_) {
      const In* const from = row.point(begin + std::min(i, count - 1));
      for (int j = 0; j < end; j += lanes) {
        Numbers numbers;
        Vectors<T, vector_bytes>::load(from + j, numbers);
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
  int stride_;
  T scale_;
  T margin_factor_;
  T margin_rest_;
  AlignedNumbers<T> shift_;
  /// Half the squared norms of all centres, their first coordinates with the opposite sign, their second
  /// ones, and so on.
  AlignedNumbers<T> factors_;
  AlignedNumbers<T> points_;
  /// The values of some centres for the first point, for the second point, and so on; then the same of the
  /// next centres.
  AlignedNumbers<T> values_;
};

}  // namespace kmeans
