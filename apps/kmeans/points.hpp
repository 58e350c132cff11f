// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "tessera/pipeline/kernel/library_stage.hpp"

namespace kmeans {

using namespace tessera;  // NOLINT(google-build-using-namespace): stages use many of its names

/// The points of an array that a step reads.
template <class T>
using Read = LibraryBlock<const T>;

/// The type of the numbers that distances of points are computed with. In is the type of their coordinates.
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
  /// Returns `size` of the points, from point `begin` on.
  PointRow part(std::int64_t begin, std::int64_t size) const {
    return {point(begin), point_stride, coordinate_stride, size, number + begin};
  }
};

/// How points lie in an array: as the rows of a data set, whose dimensions are the coordinates and the rows,
/// or as the pixels of a picture, whose channels are the coordinates.
struct Layout {
  /// Whether points are rows.
  bool has_rows = true;
  /// The number of dimensions of the array: 2, or 3 for pictures with channels.
  int array_dimensions = 2;
  /// The number of coordinates of a point.
  int dimensions = 1;
  /// The box of all points, without the dimension of the coordinates.
  Box points = {};

  /// Returns the layout of an array.
  static Layout of(const Box& domain, bool has_rows) {
    if (has_rows) return {true, 2, static_cast<int>(domain[0].size()), {domain[1]}};
    const int channels = domain.dimensions == 2 ? 1 : static_cast<int>(domain[2].size());
    return {false, domain.dimensions, channels, {domain[0], domain[1]}};
  }

  /// Returns the part of the array that has the points `box`.
  Box of_points(const Box& box) const {
    const Range coordinates{0, dimensions};
    if (has_rows) return {coordinates, box[0]};
    return array_dimensions == 2 ? box : Box{box[0], box[1], coordinates};
  }

  /// Calls use(row, place) for the points `box`, row by row. `place` is the point at which the row begins.
  template <class In, class Use>
  void for_each_row(const Read<In>& block, const Box& box, const Use& use) const {
    const std::int64_t first = box[0].begin, count = box[0].size();
    if (has_rows) {
      const In* const data = block.data + (first - block.box[1].begin) * block.strides[1];
      return use(PointRow<In>{data, block.strides[1], 1, count, first}, Point{{first, 0, 0, 0}});
    }
    for (std::int64_t y = box[1].begin; y < box[1].end; ++y) {
      const In* const data =
          block.data + (y - block.box[1].begin) * block.strides[1] + first - block.box[0].begin;
      use(PointRow<In>{data, 1, block.strides[2], count, y * points[0].size() + first},
          Point{{first, y, 0, 0}});
    }
  }
};

/// Returns the address of a point of a block.
template <class T>
T* address(const LibraryBlock<T>& block, const Point& point) {
  std::int64_t offset = 0;
  for (int d = 0; d < block.box.dimensions; ++d) offset += block.strides[d] * (point[d] - block.box[d].begin);
  return block.data + offset;
}

}  // namespace kmeans
