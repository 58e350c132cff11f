// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "tessera/pipeline/body/functions.hpp"
#include "tessera/pipeline/body/pack.hpp"

namespace tessera {

namespace detail {

/// Returns the type of the values of a Via, as a std::type_identity: T, or if T is void the type of the
/// number that `Body` returns for `Arguments`, which are the accessors and one coordinate. If it takes more,
/// up to `Most` coordinates are added.
template <class T, class Coord, int Most, class Body, class... Arguments>
auto via_value() {
  if constexpr (!std::is_void_v<T>)
    return std::type_identity<T>();
  else if constexpr (Most == 0 || std::is_invocable_v<const Body&, Arguments...>)
    return std::type_identity<number_type<std::invoke_result_t<const Body&, Arguments...>>>();
  else
    return via_value<T, Coord, Most - 1, Body, Arguments..., Coord>();
}

/// The accessor that the function `via` returns.
template <class T, class Body, class... In>
class Via {
  static constexpr bool infers = (is_interval<decltype(std::declval<In>().zero())> || ...);
  using Coord = std::conditional_t<infers, Interval<Coordinate>, Coordinate>;

 public:
  /// The type of a point: T, or the type that the body returns if T is void.
  using Value = typename decltype(via_value<T, Coord, max_dimensions - 1, Body, const In&..., Coord>())::type;

  KOKKOS_FORCEINLINE_FUNCTION Via(const Body& body, const In&... in) : body_(body), in_(pack(in...)) {}

  template <class... Indices>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(Indices... indices) const {
    return call(std::index_sequence_for<In...>{}, coordinate(indices)...);
  }

  /// The number 0. It is made from the zero of the first accessor, so that during inference it carries the
  /// tape (see Decisions).
  KOKKOS_FORCEINLINE_FUNCTION auto zero() const { return cast<Value>(in_.first.zero()); }

 private:
  template <std::size_t... Input, class... Coordinates>
  KOKKOS_FORCEINLINE_FUNCTION auto call(std::index_sequence<Input...>, Coordinates... at) const {
    return cast<Value>(body_(get<Input>(in_)..., at...));
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
  Pack<In...> in_;
};

}  // namespace detail

/// Returns an accessor whose value at a point is what `body` computes there from the accessors `in`. In this
/// way one stage is computed inside another one, as in `BlurY{}(via(BlurX{}, in), x, y)`. The result can be
/// used like any other accessor, both when a stage is computed and during inference. If T is given, the
/// values that the body returns are converted to T, as if a stage of T had stored them.
template <class T = void, class Body, class... In>
requires(sizeof...(In) > 0)
KOKKOS_FORCEINLINE_FUNCTION auto via(const Body& body, const In&... in) {
  return detail::Via<T, Body, In...>(body, in...);
}

}  // namespace tessera
