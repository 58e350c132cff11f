// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "tessera/domain/box.hpp"
#include "tessera/domain/error.hpp"

namespace tessera {

/// The boundary condition on one side of a dimension: the values that an array has beyond this side of its
/// domain. In the examples, the numbers are coordinates of points whose values are taken. The bar is the
/// lower side of the domain [0, n).
enum class Boundary : std::uint8_t {
  none,             ///< No values: stages must not read beyond this side.
  clamp,            ///< The value of the nearest point: 0 0 0 | 0 1 2 3.
  mirror,           ///< The mirror image, with the edge repeated: 2 1 0 | 0 1 2 3.
  mirror_interior,  ///< The mirror image, with the edge not repeated: 3 2 1 | 0 1 2 3.
  constant,         ///< A constant value.
  periodic          ///< The opposite end: n-3 n-2 n-1 | 0 1 2 3. If one side is periodic, both must be.
};

/// The largest permitted size of an element of an array, in bytes.
inline constexpr std::size_t largest_element = 64;

/// The boundary conditions of an array, for each dimension and side. A point may lie outside the domain in
/// several dimensions. If the condition in one of these dimensions is `constant`, the point has the constant.
/// Otherwise each condition maps one coordinate into the domain, and the point has the value of the resulting
/// point.
struct BoundaryConditions {
  /// The conditions: side[d][0] holds below the domain in dimension `d`, and side[d][1] above it. Dimension 0
  /// is x.
  std::array<std::array<Boundary, 2>, max_dimensions> side = {};
  /// The bytes of the constant, which is an element of the array. All bytes are 0 if no constant was set.
  std::array<std::byte, largest_element> constant = {};
  /// The C++ type of the constant that was set; null if no constant was set.
  const std::type_info* constant_type = nullptr;

  /// Makes boundary conditions that are `none` on all sides.
  BoundaryConditions() = default;
  /// Makes boundary conditions that are `everywhere` on all sides.
  BoundaryConditions(Boundary everywhere) {
    for (auto& sides : side) sides = {everywhere, everywhere};
  }
  /// Returns boundary conditions under which the array has the constant `value` beyond all sides.
  template <class T>
  static BoundaryConditions of_constant(const T& value) {
    BoundaryConditions conditions(Boundary::constant);
    conditions.set_constant(value);
    return conditions;
  }
  /// Sets the value that the array has beyond the sides whose condition is `constant`.
  template <class T>
  void set_constant(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= largest_element);
    std::memcpy(constant.data(), &value, sizeof(T));
    constant_type = &typeid(T);
  }

  /// Returns true when dimension `d` is periodic.
  bool is_periodic(int d) const { return side[static_cast<std::size_t>(d)][0] == Boundary::periodic; }
  /// Returns true when conditions, constants and the types of the constants are equal.
  bool operator==(const BoundaryConditions&) const = default;
};

/// Throws InputError when one of the first `dimensions` dimensions is periodic on one side only.
void check_boundary(const BoundaryConditions& conditions, int dimensions);

/// Throws InternalError when a constant was set and its type is not T. An example is of_constant(1) for an
/// array of float.
template <class T>
void check_constant(const BoundaryConditions& conditions) {
  if (conditions.constant_type != nullptr && *conditions.constant_type != typeid(T))
    throw InternalError("the constant of a boundary condition is not of the type of the array's elements");
}

/// The source of the value at a coordinate, in one dimension.
struct BoundarySource {
  /// The kinds of sources: a point of the domain, the constant, or no source because the condition is `none`.
  enum class Kind : std::uint8_t { point, constant, nowhere };
  /// The kind of the source.
  Kind kind = Kind::point;
  /// The coordinate of the source in the domain. It has a meaning only when `kind` is `point`.
  std::int64_t point = 0;
};

/// Returns true when values beyond a side with this condition are those of a mirror image.
KOKKOS_FUNCTION constexpr bool is_mirror(Boundary condition) {
  return condition == Boundary::mirror || condition == Boundary::mirror_interior;
}

/// Returns the source of the value at coordinate `p` in one dimension. `domain` is the range of the domain in
/// this dimension, and must not be empty. `below` and `above` are the conditions on the two sides of the
/// dimension. If the mirror image of a coordinate lies outside the domain again, the condition of the side
/// beyond which it lies is applied to the mirror image, and so on.
KOKKOS_FUNCTION constexpr BoundarySource boundary_source(std::int64_t p, Range domain, Boundary below,
                                                         Boundary above) {
  using Kind = BoundarySource::Kind;
  const std::int64_t extent = domain.size();
  while (!domain.contains(p)) {
    if (is_mirror(below) && is_mirror(above) &&
        (p < domain.begin - 2 * extent || p >= domain.end + 2 * extent)) {
      // Mirror images beyond both sides repeat: coordinates far away are moved by whole periods.
      const std::int64_t interiors =
          (below == Boundary::mirror_interior ? 1 : 0) + (above == Boundary::mirror_interior ? 1 : 0);
      const std::int64_t period = extent == 1 ? 1 : 2 * extent - interiors;
      p = domain.begin + ((p - domain.begin) % period + period) % period;
      continue;
    }
    const bool is_below = p < domain.begin;
    switch (is_below ? below : above) {
      case Boundary::none:
        return {Kind::nowhere, p};
      case Boundary::constant:
        return {Kind::constant, p};
      case Boundary::clamp:
        return {Kind::point, is_below ? domain.begin : domain.end - 1};
      case Boundary::mirror:
        p = is_below ? 2 * domain.begin - 1 - p : 2 * domain.end - 1 - p;
        continue;
      case Boundary::mirror_interior:
        if (extent == 1) return {Kind::point, domain.begin};
        p = is_below ? 2 * domain.begin - p : 2 * (domain.end - 1) - p;
        continue;
      case Boundary::periodic:
        p = domain.begin + ((p - domain.begin) % extent + extent) % extent;
        continue;
    }
    return {Kind::nowhere, p};
  }
  return {Kind::point, p};
}

/// Returns the box that a rank must hold so that it can fill in all points of `box`. This is the hull of
/// `box` and of those points of `domain` whose values the boundary conditions give to points outside
/// `domain`. Periodic dimensions do not enlarge the box, because values beyond periodic sides come in
/// messages, or are computed.
Box with_boundary_sources(const Box& box, const Box& domain, const BoundaryConditions& conditions);

/// Returns the points of `box` that lie in `domain`, or that repeat points of `domain` in periodic
/// dimensions.
Box within_sides(const Box& box, const Box& domain, const BoundaryConditions& conditions);

/// A part of a box that lies in the domain, or that repeats points of the domain because dimensions are
/// periodic.
struct PeriodicPiece {
  /// The points of the part, in global coordinates. They may lie outside the domain.
  Box box;
  /// The shift that moves the part to those points of the domain that it repeats; zero if the part lies in
  /// the domain.
  Point shift;
};

/// Divides `box` into parts that lie in `domain` and parts that repeat points of `domain` in periodic
/// dimensions. Points of `box` that do neither are left out. The order of the parts depends on the arguments
/// alone.
std::vector<PeriodicPiece> periodic_pieces(const Box& box, const Box& domain,
                                           const BoundaryConditions& conditions);

/// Returns true when some point of `box` lies in `target`, or repeats a point of `target` in periodic
/// dimensions. `target` must lie in `domain`.
bool periodic_touches(const Box& box, const Box& target, const Box& domain,
                      const BoundaryConditions& conditions);

/// Returns the name of a boundary condition, such as "mirror". Plans and explanations use this name. Throws
/// InternalError if there is no such condition.
const char* name_of(Boundary condition);

}  // namespace tessera
