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

/// What an array holds beyond one side of its domain, here [0, n).
enum class Boundary : std::uint8_t {
  none,             ///< Nothing: nobody may read there.
  clamp,            ///< The nearest point: 0 0 0 | 0 1 2 3.
  mirror,           ///< The mirror image, the edge repeated: 2 1 0 | 0 1 2 3.
  mirror_interior,  ///< The mirror image, the edge not repeated: 3 2 1 | 0 1 2 3.
  constant,         ///< A value.
  periodic          ///< The other end: n-3 n-2 n-1 | 0 1 2 3. Both sides of a dimension, or none.
};

/// Bytes of the largest element that arrays may have.
inline constexpr std::size_t largest_element = 64;

/// What an array holds outside its domain, per dimension and side (0: below, 1: above). A point outside in
/// several dimensions is a constant if one of them says so, and else the point that all of them lead to.
struct BoundaryConditions {
  std::array<std::array<Boundary, 2>, max_dimensions> side = {};
  /// The constant, as an element of the array; zeros unless set.
  std::array<std::byte, largest_element> constant = {};
  /// What the constant was given as; null when it was not.
  const std::type_info* constant_type = nullptr;

  BoundaryConditions() = default;
  /// The same on all sides.
  BoundaryConditions(Boundary everywhere) {
    for (auto& sides : side) sides = {everywhere, everywhere};
  }
  /// `value` on all sides.
  template <class T>
  static BoundaryConditions of_constant(const T& value) {
    BoundaryConditions conditions(Boundary::constant);
    conditions.set_constant(value);
    return conditions;
  }
  /// The value of the sides that are `constant`.
  template <class T>
  void set_constant(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= largest_element);
    std::memcpy(constant.data(), &value, sizeof(T));
    constant_type = &typeid(T);
  }

  bool is_periodic(int d) const { return side[static_cast<std::size_t>(d)][0] == Boundary::periodic; }
  bool operator==(const BoundaryConditions&) const = default;
};

/// Throws InputError unless in each of `dimensions` dimensions both sides are periodic or none is.
void check_boundary(const BoundaryConditions& conditions, int dimensions);

/// Throws InternalError when a constant was set that is not a T: of_constant(1) for an array of float.
template <class T>
void check_constant(const BoundaryConditions& conditions) {
  if (conditions.constant_type != nullptr && *conditions.constant_type != typeid(T))
    throw InternalError("the constant of a boundary condition is not of the type of the array's elements");
}

/// Where the value at coordinate `p` comes from in one dimension.
struct BoundarySource {
  enum class Kind : std::uint8_t { point, constant, nowhere };
  Kind kind = Kind::point;
  std::int64_t point = 0;
};

/// Follows the conditions of one dimension from `p` into `domain`, which is not empty; a mirror image may
/// reach beyond the other side, and is followed on from there. `nowhere` when a side has no condition.
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
        break;
      case Boundary::mirror_interior:
        if (extent == 1) return {Kind::point, domain.begin};
        p = is_below ? 2 * domain.begin - p : 2 * (domain.end - 1) - p;
        break;
      case Boundary::periodic:
        p = domain.begin + ((p - domain.begin) % extent + extent) % extent;
        break;
    }
  }
  return {Kind::point, p};
}

/// The hull of `box` and of the points of `domain` that its points outside lead to, but for periodic
/// dimensions, whose points come by messages: what a rank that needs `box` must hold to fill in all of it.
Box with_boundary_sources(const Box& box, const Box& domain, const BoundaryConditions& conditions);

/// A part of a box, and how far its points lie from those of the domain that they repeat.
struct PeriodicPiece {
  Box box;
  Point shift;
};

/// The parts of `box` whose points are, or in periodic dimensions repeat, points of `domain`; the others are
/// left out. In a fixed order.
std::vector<PeriodicPiece> periodic_pieces(const Box& box, const Box& domain,
                                           const BoundaryConditions& conditions);

/// True when some point of `box` is, or in periodic dimensions repeats, a point of `target`, which lies in
/// `domain`.
bool periodic_touches(const Box& box, const Box& target, const Box& domain,
                      const BoundaryConditions& conditions);

}  // namespace tessera
