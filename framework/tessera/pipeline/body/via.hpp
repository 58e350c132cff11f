// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "tessera/pipeline/body/functions.hpp"

namespace tessera {

namespace detail {

/// Holds one accessor of a Via, which derives from this class. `Number` makes the base classes of a Via
/// different if two accessors have the same type.
template <std::size_t Number, class In>
struct ViaInput {
  In in;
};

/// Returns the type of the number that `body` returns at a point, as a std::type_identity. The body takes the
/// accessors and one, two, three or four coordinates.
template <class Coord, class Body, class... In>
auto via_value() {
  if constexpr (std::is_invocable_v<const Body&, const In&..., Coord>)
    return std::type_identity<number_type<std::invoke_result_t<const Body&, const In&..., Coord>>>();
  else if constexpr (std::is_invocable_v<const Body&, const In&..., Coord, Coord>)
    return std::type_identity<number_type<std::invoke_result_t<const Body&, const In&..., Coord, Coord>>>();
  else if constexpr (std::is_invocable_v<const Body&, const In&..., Coord, Coord, Coord>)
    return std::type_identity<
        number_type<std::invoke_result_t<const Body&, const In&..., Coord, Coord, Coord>>>();
  else
    return std::type_identity<
        number_type<std::invoke_result_t<const Body&, const In&..., Coord, Coord, Coord, Coord>>>();
}

template <class T, class Body, class Numbers, class... In>
class Via;

/// The accessor that the function `via` returns.
template <class T, class Body, std::size_t... Number, class... In>
class Via<T, Body, std::index_sequence<Number...>, In...> : private ViaInput<Number, In>... {
  static constexpr bool infers = (is_interval<decltype(std::declval<In>().zero())> || ...);
  using Coord = std::conditional_t<infers, Interval<Coordinate>, Coordinate>;

  template <class>
  struct ValueOf {
    using type = T;
  };
  template <class U>
  requires std::is_void_v<U>
  struct ValueOf<U> {
    using type = typename decltype(via_value<Coord, Body, In...>())::type;
  };

 public:
  /// The type of a point: T, or the type that the body returns if T is void.
  using Value = typename ValueOf<T>::type;

  KOKKOS_FORCEINLINE_FUNCTION Via(const Body& body, const In&... in)
      : ViaInput<Number, In>{in}..., body_(body) {}

  template <class... Indices>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Indices... indices) const {
    return cast<Value>(body_(static_cast<const ViaInput<Number, In>&>(*this).in..., coordinate(indices)...));
  }

  /// The number 0. It is made from the zero of the first accessor, so that during inference it carries the
  /// tape (see Decisions).
  KOKKOS_FORCEINLINE_FUNCTION auto zero() const {
    return cast<Value>(first_zero(static_cast<const ViaInput<Number, In>&>(*this).in...));
  }

 private:
  template <class First, class... Rest>
  KOKKOS_FORCEINLINE_FUNCTION static auto first_zero(const First& first, const Rest&...) {
    return first.zero();
  }
  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION Coord coordinate(const Index& index) const {
    if constexpr (infers) {
      // A plain number gets the tape, too, because the body may compare numbers that are computed from the
      // index.
      Coord result = to_interval<Coordinate>(index);
      result.decisions = zero().decisions;
      return result;
    } else {
      return Coordinate(index);
    }
  }

  Body body_;
};

}  // namespace detail

/// Returns an accessor whose value at a point is what `body` computes there from the accessors `in`. In this
/// way one stage is computed inside another one, as in `BlurY{}(via(BlurX{}, in), x, y)`. The result can be
/// used like any other accessor, both when a stage is computed and during inference. If T is given, the
/// values that the body returns are converted to T, as if a stage of T had stored them.
template <class T = void, class Body, class... In>
requires(sizeof...(In) > 0) KOKKOS_FORCEINLINE_FUNCTION auto via(const Body& body, const In&... in) {
  return detail::Via<T, Body, std::index_sequence_for<In...>, In...>(body, in...);
}

}  // namespace tessera
