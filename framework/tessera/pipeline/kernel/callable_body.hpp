// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>
#include <utility>

#include "tessera/pipeline/inference/footprint.hpp"
#include "tessera/pipeline/kernel/point_stage.hpp"

namespace tessera::detail {

/// `Type`. The index only makes a list of such types.
template <class Type, std::size_t>
using Repeated = Type;

/// Whether a body of the type `Body`, which may be const, can be called with the arguments `First`, then an
/// accessor for each input, and then a coordinate for each dimension. The accessors and coordinates are those
/// with which inference calls bodies. It does not call the bodies of stages without inputs, the coordinates
/// of which are plain numbers.
template <class Body, class... First, class... Inputs, std::size_t... Dimension>
constexpr bool is_called_with(TypeList<First...>, TypeList<Inputs...>, std::index_sequence<Dimension...>) {
  using Number = std::conditional_t<sizeof...(Inputs) == 0, Coordinate, Interval<Coordinate>>;
  return std::is_invocable_v<Body&, First...,
                             RecordingAccessor<typename Inputs::Value, Inputs::dimensions>...,
                             Repeated<Number, Dimension>...>;
}

/// Returns true if a body can be called with the arguments `First`, then an accessor for each input, and then
/// N coordinates. Otherwise the program does not compile, and one sentence says why. Bodies that declare
/// their footprint are not called by inference, and not checked here.
template <class Body, int N, class First, class... Inputs>
constexpr bool is_callable_body() {
  if constexpr (DeclaresFootprint<Body>) {
    return true;
  } else {
    constexpr bool is_callable =
        is_called_with<const Body>(First(), TypeList<Inputs...>(), std::make_index_sequence<N>());
    if constexpr (!is_callable) {
      constexpr bool is_callable_if_not_const =
          is_called_with<Body>(First(), TypeList<Inputs...>(), std::make_index_sequence<N>());
      static_assert(!is_callable_if_not_const,
                    "the operator() of a stage body must be const, because all threads share the body");
      static_assert(
          is_callable_if_not_const,
          "the operator() of a stage body takes one accessor for each input of the stage, and then "
          "one coordinate for each dimension, the types of which are template parameters; the body of "
          "a column stage takes the line first, and no coordinate along it");
    }
    return is_callable;
  }
}

}  // namespace tessera::detail
