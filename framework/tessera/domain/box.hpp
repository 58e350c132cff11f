// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tessera {

/// Arrays have one to four dimensions; dimension 0 is x, the fastest in memory.
inline constexpr int max_dimensions = 4;

/// A half-open range [begin, end) of global coordinates in one dimension. Empty when end <= begin.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  KOKKOS_FUNCTION constexpr bool empty() const { return end <= begin; }
  KOKKOS_FUNCTION constexpr std::int64_t size() const { return empty() ? 0 : end - begin; }
  KOKKOS_FUNCTION constexpr bool contains(std::int64_t point) const { return begin <= point && point < end; }
  KOKKOS_FUNCTION constexpr bool operator==(const Range& other) const {
    return begin == other.begin && end == other.end;
  }
};

KOKKOS_FUNCTION constexpr Range intersection(Range a, Range b) {
  return {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}

/// A point of an array; coordinates past the array's dimensions are 0.
struct Point {
  std::int64_t at[max_dimensions] = {};

  KOKKOS_FUNCTION constexpr std::int64_t& operator[](int d) { return at[d]; }
  KOKKOS_FUNCTION constexpr std::int64_t operator[](int d) const { return at[d]; }
  KOKKOS_FUNCTION constexpr bool operator==(const Point& other) const {
    for (int d = 0; d < max_dimensions; ++d)
      if (at[d] != other.at[d]) return false;
    return true;
  }
};

/// A product of ranges in global coordinates: what a rank owns, a stage requires, a message carries.
/// A default-constructed box has no dimensions: it is the neutral element of `hull`.
struct Box {
  int dimensions = 0;
  Range range[max_dimensions];

  constexpr Box() = default;
  constexpr Box(std::initializer_list<Range> ranges) {
    for (const Range& r : ranges) range[dimensions++] = r;
  }
  /// The box [0, extents[0]) x [0, extents[1]) x ...
  template <class Extents>
  static constexpr Box of_extents(const Extents& extents) {
    Box box;
    for (auto extent : extents) box.range[box.dimensions++] = {0, static_cast<std::int64_t>(extent)};
    return box;
  }

  KOKKOS_FUNCTION constexpr Range& operator[](int d) { return range[d]; }
  KOKKOS_FUNCTION constexpr const Range& operator[](int d) const { return range[d]; }

  KOKKOS_FUNCTION constexpr bool empty() const {
    for (int d = 0; d < dimensions; ++d)
      if (range[d].empty()) return true;
    return dimensions == 0;
  }
  /// Number of points.
  KOKKOS_FUNCTION constexpr std::int64_t size() const {
    std::int64_t points = dimensions == 0 ? 0 : 1;
    for (int d = 0; d < dimensions; ++d) points *= range[d].size();
    return points;
  }
  /// True when every point of `other` lies in this box; an empty box lies in every box.
  KOKKOS_FUNCTION constexpr bool contains(const Box& other) const {
    if (other.empty()) return true;
    if (other.dimensions != dimensions) return false;
    for (int d = 0; d < dimensions; ++d)
      if (other.range[d].begin < range[d].begin || other.range[d].end > range[d].end) return false;
    return true;
  }
  KOKKOS_FUNCTION constexpr bool contains(const Point& point) const {
    for (int d = 0; d < dimensions; ++d)
      if (!range[d].contains(point[d])) return false;
    return dimensions > 0;
  }
  /// Equal as boxes: the same ranges, written the same way.
  KOKKOS_FUNCTION constexpr bool operator==(const Box& other) const {
    if (dimensions != other.dimensions) return false;
    for (int d = 0; d < dimensions; ++d)
      if (!(range[d] == other.range[d])) return false;
    return true;
  }
};

/// The points in both boxes; nothing when one of them has no dimensions.
KOKKOS_FUNCTION constexpr Box intersection(Box a, const Box& b) {
  if (b.dimensions == 0) return b;
  for (int d = 0; d < a.dimensions; ++d) a.range[d] = intersection(a.range[d], b.range[d]);
  return a;
}

/// The smallest box that holds both; an empty box adds nothing.
KOKKOS_FUNCTION constexpr Box hull(Box a, const Box& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  for (int d = 0; d < a.dimensions; ++d) {
    if (b.range[d].begin < a.range[d].begin) a.range[d].begin = b.range[d].begin;
    if (b.range[d].end > a.range[d].end) a.range[d].end = b.range[d].end;
  }
  return a;
}

/// The box moved by `shift`.
KOKKOS_FUNCTION constexpr Box shifted(Box box, const Point& shift) {
  for (int d = 0; d < box.dimensions; ++d) {
    box.range[d].begin += shift[d];
    box.range[d].end += shift[d];
  }
  return box;
}

/// The points of `a` outside `b` as boxes that do not overlap: at most two per dimension.
std::vector<Box> difference(const Box& a, const Box& b);

/// Text such as "[0, 4) x [2, 9)", or "empty".
std::string to_string(const Box& box);

}  // namespace tessera
