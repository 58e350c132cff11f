// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "tessera/pipeline/kernel/library_stage.hpp"

namespace kmeans {

/// The type of numbers with which points of coordinates In are compared.
template <class In>
using NumberOf = std::conditional_t<std::is_same_v<In, double>, double, float>;

/// Points that lie at equal distances in memory.
template <class In>
struct PointRow {
  /// The first coordinate of the first point.
  const In* first;
  /// The distance between points, in elements.
  std::int64_t point_stride;
  /// The distance between coordinates of a point, in elements.
  std::int64_t coordinate_stride;
  /// The number of points.
  std::int64_t count;
  /// The number of the first point among all points.
  std::int64_t number;

  /// Returns the first coordinate of a point.
  const In* point(std::int64_t i) const { return first + i * point_stride; }
};

/// The layout of the array of points. It has N dimensions, of which the points take P: a data set of rows
/// of coordinates (N = 2, P = 1), or a picture whose channels are the coordinates (N = 3, or 2 if it is grey;
/// P = 2).
template <int N, int P>
struct Layout {
  /// The number of coordinates of a point.
  int dimensions = 1;
  /// All points, without coordinates.
  tessera::Box points = {};

  /// Returns the layout of an array.
  static Layout of(const tessera::Box& domain) {
    Layout layout;
    layout.points.dimensions = P;
    for (int d = 0; d < P; ++d) layout.points[d] = domain[P == 1 ? 1 : d];
    if (N > P) layout.dimensions = static_cast<int>(domain[P == 1 ? 0 : 2].size());
    return layout;
  }

  /// Returns the part of the array that has the points `box`.
  tessera::Box of_points(const tessera::Box& box) const {
    const tessera::Range coordinates{0, dimensions};
    if constexpr (P == 1) return {coordinates, box[0]};
    if constexpr (N == 2) return box;
    if constexpr (P == 2 && N == 3) return {box[0], box[1], coordinates};
  }

  /// Calls use(row, place) for the points `box`, row by row. `place` is the point at which the row begins.
  template <class In, class Use>
  void for_each_row(const tessera::LibraryBlock<const In>& block, const tessera::Box& box,
                    const Use& use) const {
    const std::int64_t width = points[0].size();
    if constexpr (P == 1) {
      const std::int64_t offset = (box[0].begin - block.box[1].begin) * block.strides[1];
      use(PointRow<In>{block.data + offset, block.strides[1], 1, box[0].size(), box[0].begin},
          tessera::Point{{box[0].begin, 0, 0, 0}});
    } else {
      for (std::int64_t y = box[1].begin; y < box[1].end; ++y) {
        const std::int64_t offset =
            (y - block.box[1].begin) * block.strides[1] + box[0].begin - block.box[0].begin;
        use(PointRow<In>{block.data + offset, 1, block.strides[2], box[0].size(), y * width + box[0].begin},
            tessera::Point{{box[0].begin, y, 0, 0}});
      }
    }
  }
};

/// Returns the address of a point of a block.
template <class T>
T* address(const tessera::LibraryBlock<T>& block, const tessera::Point& point) {
  std::int64_t offset = 0;
  for (int d = 0; d < block.box.dimensions; ++d) offset += block.strides[d] * (point[d] - block.box[d].begin);
  return block.data + offset;
}

}  // namespace kmeans
