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

/// The boundary condition on one side of a dimension: which values an array holds beyond its domain. The
/// examples show the domain [0, n) to the right of the bar.
enum class Boundary : std::uint8_t {
  none,             ///< No value: stages must not read there.
  clamp,            ///< The value of the nearest point: 0 0 0 | 0 1 2 3.
  mirror,           ///< The mirror image, with the edge repeated: 2 1 0 | 0 1 2 3.
  mirror_interior,  ///< The mirror image, with the edge not repeated: 3 2 1 | 0 1 2 3.
  constant,         ///< A constant value.
  periodic          ///< The other end: n-3 n-2 n-1 | 0 1 2 3. Both sides of a dimension have it, or none.
};

/// The size of the largest element that an array may have, in bytes.
inline constexpr std::size_t largest_element = 64;

/// The boundary conditions of an array, per dimension and side. A point that lies outside in several
/// dimensions has the constant if one of these sides is `constant`, and otherwise the value of the point of
/// the domain that the conditions of all these dimensions lead to.
struct BoundaryConditions {
  /// The condition per dimension, x first, and side: 0 is below the domain, 1 above it.
  std::array<std::array<Boundary, 2>, max_dimensions> side = {};
  /// The bytes of the constant, which is an element of the array. They are zeros unless the constant is set.
  std::array<std::byte, largest_element> constant = {};
  /// The type that the constant was set as; null when it was not set.
  const std::type_info* constant_type = nullptr;

  /// No condition on any side.
  BoundaryConditions() = default;
  /// The same condition on all sides.
  BoundaryConditions(Boundary everywhere) {
    for (auto& sides : side) sides = {everywhere, everywhere};
  }
  /// The constant `value` on all sides.
  template <class T>
  static BoundaryConditions of_constant(const T& value) {
    BoundaryConditions conditions(Boundary::constant);
    conditions.set_constant(value);
    return conditions;
  }
  /// Sets the value beyond the sides that are `constant`.
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

/// Throws InternalError when the constant was set as another type than T, such as of_constant(1) for an array
/// of float.
template <class T>
void check_constant(const BoundaryConditions& conditions) {
  if (conditions.constant_type != nullptr && *conditions.constant_type != typeid(T))
    throw InternalError("the constant of a boundary condition is not of the type of the array's elements");
}

/// Says where the value at a coordinate comes from, in one dimension.
struct BoundarySource {
  /// The kinds of sources: a point of the domain, the constant, or nothing, as there is no condition.
  enum class Kind : std::uint8_t { point, constant, nowhere };
  /// The kind of the source.
  Kind kind = Kind::point;
  /// The coordinate in the domain, when `kind` is `point`.
  std::int64_t point = 0;
};

/// Finds where the value at coordinate `p` comes from, in one dimension with the range `domain`, which must
/// not be empty. A mirror image that reaches beyond the other side is followed on from there.
KOKKOS_FUNCTION constexpr BoundarySource boundary_source(std::int64_t p, Range domain, Boundary below,
                                                         Boundary above) {
  using Kind = BoundarySource::Kind;
  const std::int64_t extent = domain.size();
  while (!domain.contains(p)) {
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
        break;
    }
  }
  return {Kind::point, p};
}

/// Returns the box that a rank which needs `box` must hold to fill in all of it: the hull of `box` and of the
/// points of `domain` that its points outside the domain lead to. Points outside in periodic dimensions add
/// nothing, as their values come in messages.
Box with_boundary_sources(const Box& box, const Box& domain, const BoundaryConditions& conditions);

/// A part of a box whose points repeat points of the domain.
struct PeriodicPiece {
  /// The part, in global coordinates. It may lie outside the domain.
  Box box;
  /// The shift from the part to the points of the domain that it repeats; zero for points of the domain.
  Point shift;
};

/// Returns the parts of `box` that lie in `domain` or, in periodic dimensions, repeat points of it. Other
/// points are left out. The order of the parts depends on the arguments alone.
std::vector<PeriodicPiece> periodic_pieces(const Box& box, const Box& domain,
                                           const BoundaryConditions& conditions);

/// Returns true when some point of `box` lies in `target` or, in periodic dimensions, repeats a point of it.
/// `target` must lie in `domain`.
bool periodic_touches(const Box& box, const Box& target, const Box& domain,
                      const BoundaryConditions& conditions);

}  // namespace tessera
