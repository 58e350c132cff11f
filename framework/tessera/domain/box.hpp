// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tessera {

/// The largest number of dimensions that an array may have. Dimension 0 is x, along which points lie next to
/// each other in memory, and dimension 1 is y.
inline constexpr int max_dimensions = 4;

/// A half-open range [begin, end) of global coordinates in one dimension. It is empty when end <= begin.
struct Range {
  /// The first coordinate in the range.
  std::int64_t begin = 0;
  /// The first coordinate after the range.
  std::int64_t end = 0;

  /// Returns true when the range has no points.
  KOKKOS_FUNCTION constexpr bool empty() const { return end <= begin; }
  /// Returns the number of points in the range.
  KOKKOS_FUNCTION constexpr std::int64_t size() const { return empty() ? 0 : end - begin; }
  /// Returns true when `point` lies in the range.
  KOKKOS_FUNCTION constexpr bool contains(std::int64_t point) const { return begin <= point && point < end; }
  /// Returns true when both ranges have the same `begin` and `end`. Two empty ranges need not be equal.
  KOKKOS_FUNCTION constexpr bool operator==(const Range& other) const {
    return begin == other.begin && end == other.end;
  }
};

/// Returns the range of the coordinates that lie in both ranges.
KOKKOS_FUNCTION constexpr Range intersection(Range a, Range b) {
  return {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}

/// The global coordinates of a point of an array. Coordinates in dimensions that the array does not have are
/// 0.
struct Point {
  /// The coordinate in each dimension, x first.
  std::int64_t at[max_dimensions] = {};

  /// Returns a reference to the coordinate in dimension `d`, to read or write the coordinate.
  KOKKOS_FUNCTION constexpr std::int64_t& operator[](int d) { return at[d]; }
  /// Returns the coordinate in dimension `d`.
  KOKKOS_FUNCTION constexpr std::int64_t operator[](int d) const { return at[d]; }
  /// Returns true when the coordinates in all dimensions are equal.
  KOKKOS_FUNCTION constexpr bool operator==(const Point& other) const {
    for (int d = 0; d < max_dimensions; ++d)
      if (at[d] != other.at[d]) return false;
    return true;
  }
};

/// A set of points that is a range of global coordinates in every dimension. Examples are the points that a
/// rank owns, that a stage requires or that a message carries. A default-constructed box has no dimensions
/// and is empty. The hull of such a box and another box is the other box.
struct Box {
  /// The number of dimensions, from 0 to max_dimensions.
  int dimensions = 0;
  /// The range in each dimension, x first. Only the first `dimensions` ranges are used.
  Range range[max_dimensions];

  /// Makes an empty box without dimensions.
  constexpr Box() = default;
  /// Makes the box with the given ranges, x first. There may be at most max_dimensions ranges.
  constexpr Box(std::initializer_list<Range> ranges) {
    for (const Range& r : ranges) range[dimensions++] = r;
  }
  /// Returns the box [0, extents[0]) x [0, extents[1]) x ... for a sequence of extents, x first.
  template <class Extents>
  static constexpr Box of_extents(const Extents& extents) {
    Box box;
    for (auto extent : extents) box.range[box.dimensions++] = {0, static_cast<std::int64_t>(extent)};
    return box;
  }

  /// Returns a reference to the range in dimension `d`, to read or write the range.
  KOKKOS_FUNCTION constexpr Range& operator[](int d) { return range[d]; }
  /// Returns the range in dimension `d`.
  KOKKOS_FUNCTION constexpr const Range& operator[](int d) const { return range[d]; }

  /// Returns true when the box has no points.
  KOKKOS_FUNCTION constexpr bool empty() const {
    for (int d = 0; d < dimensions; ++d)
      if (range[d].empty()) return true;
    return dimensions == 0;
  }
  /// Returns the number of points in the box.
  KOKKOS_FUNCTION constexpr std::int64_t size() const {
    std::int64_t points = dimensions == 0 ? 0 : 1;
    for (int d = 0; d < dimensions; ++d) points *= range[d].size();
    return points;
  }
  /// Returns true when every point of `other` lies in this box. An empty box lies in every box.
  KOKKOS_FUNCTION constexpr bool contains(const Box& other) const {
    if (other.empty()) return true;
    if (other.dimensions != dimensions) return false;
    for (int d = 0; d < dimensions; ++d)
      if (other.range[d].begin < range[d].begin || other.range[d].end > range[d].end) return false;
    return true;
  }
  /// Returns true when `point` lies in this box.
  KOKKOS_FUNCTION constexpr bool contains(const Point& point) const {
    for (int d = 0; d < dimensions; ++d)
      if (!range[d].contains(point[d])) return false;
    return dimensions > 0;
  }
  /// Returns true when both boxes have the same number of dimensions and the same ranges. Two empty boxes
  /// need not be equal.
  KOKKOS_FUNCTION constexpr bool operator==(const Box& other) const {
    if (dimensions != other.dimensions) return false;
    for (int d = 0; d < dimensions; ++d)
      if (!(range[d] == other.range[d])) return false;
    return true;
  }
};

/// Returns the box of the points that lie in both boxes. The result is empty when one of the boxes has no
/// dimensions.
KOKKOS_FUNCTION constexpr Box intersection(Box a, const Box& b) {
  if (b.dimensions == 0) return b;
  for (int d = 0; d < a.dimensions; ++d) a.range[d] = intersection(a.range[d], b.range[d]);
  return a;
}

/// Returns the smallest box that contains both boxes. If one of them is empty, the result is the other one.
KOKKOS_FUNCTION constexpr Box hull(Box a, const Box& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  for (int d = 0; d < a.dimensions; ++d) {
    if (b.range[d].begin < a.range[d].begin) a.range[d].begin = b.range[d].begin;
    if (b.range[d].end > a.range[d].end) a.range[d].end = b.range[d].end;
  }
  return a;
}

/// Returns `box` moved by `shift[d]` points in each dimension `d`.
KOKKOS_FUNCTION constexpr Box shifted(Box box, const Point& shift) {
  for (int d = 0; d < box.dimensions; ++d) {
    box.range[d].begin += shift[d];
    box.range[d].end += shift[d];
  }
  return box;
}

/// Returns boxes that together hold the points of `a` outside `b`. The boxes do not overlap, and there are at
/// most two for each dimension.
std::vector<Box> difference(const Box& a, const Box& b);

/// Returns the ranges of the box as text, x first, such as "[0, 4) x [2, 9)". The text for an empty box is
/// "empty".
std::string to_string(const Box& box);

/// Returns an empty box with `dimensions` dimensions.
Box no_points(int dimensions);

/// Returns the last point of `box` if `last` is true, and otherwise the first point, as a box of one point.
/// The first point has the least coordinate of `box` in every dimension, and the last point the greatest.
Box corner(const Box& box, bool last);

/// Returns the point in the middle of `box`, as a box of one point. A dimension with an even number of points
/// has two middle coordinates. The result has the upper one if `up` is true, and otherwise the lower one.
Box centre(const Box& box, bool up);

/// Searches for a large box within `box` that `holds` accepts. The search starts with the point in the
/// middle of `box`. For each side, bisection finds how far the side can be moved outwards while the box has
/// only the middle coordinate in the other dimensions. Returns an empty box if `holds` is false for the
/// middle point, or for the box with all sides moved. If `holds` is a condition on each dimension separately,
/// as with the footprints of stencils, no larger box around the middle point exists. If `holds` is true for a
/// box, it must be true for every box within that box.
template <class Holds>
Box interior_box(const Box& box, const Holds& holds) {
  const Box none = no_points(box.dimensions);
  if (box.empty()) return none;
  const Box middle = centre(box, true);
  if (!holds(middle)) return none;
  Box inside = middle;
  for (int d = 0; d < box.dimensions; ++d)
    for (const auto side : {&Range::begin, &Range::end}) {
      // `holds` is true if the side of the box is at that of `inside`, and false if it is at `fails`.
      std::int64_t fails = box[d].*side + (side == &Range::begin ? -1 : 1);
      while (fails - inside[d].*side < -1 || fails - inside[d].*side > 1) {
        Box trial = middle;
        trial[d].*side = inside[d].*side + (fails - inside[d].*side) / 2;
        (holds(trial) ? inside[d].*side : fails) = trial[d].*side;
      }
    }
  return holds(inside) ? inside : none;
}

}  // namespace tessera
