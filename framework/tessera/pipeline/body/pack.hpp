// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstddef>
#include <utility>

namespace tessera {

/// The values of one point of a stage with several outputs, which the body makes by `pack(a, b)`. It is plain
/// data, because devices have no std::tuple.
template <class... Values>
struct Pack {};
/// A Pack of at least one value.
template <class First, class... Rest>
struct Pack<First, Rest...> {
  /// The value of the first output.
  First first;
  /// The values of the other outputs.
  Pack<Rest...> rest;
};

/// Returns a Pack without values.
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<> pack() { return {}; }
/// Returns the values of one point as a Pack, with one value for each output of the stage, in order. The
/// types of the values may differ.
template <class First, class... Rest>
KOKKOS_FORCEINLINE_FUNCTION constexpr Pack<First, Rest...> pack(First first, Rest... rest) {
  return {first, pack(rest...)};
}

/// Returns value number K of a Pack, counted from 0.
template <std::size_t K, class First, class... Rest>
KOKKOS_FORCEINLINE_FUNCTION constexpr const auto& get(const Pack<First, Rest...>& values) {
  static_assert(K <= sizeof...(Rest), "the body packs fewer values than its stage has outputs");
  if constexpr (K == 0)
    return values.first;
  else
    return get<K - 1>(values.rest);
}

namespace detail {

/// Returns value number K of one point of a stage with one output: K is 0, and `value` is what the body
/// returned.
template <std::size_t K, class Value>
KOKKOS_FORCEINLINE_FUNCTION constexpr const Value& value_of(const Value& value) {
  static_assert(K == 0, "a stage with several outputs returns pack(a, b, ...)");
  return value;
}
/// Returns value number K, counted from 0, of one point of a stage with several outputs.
template <std::size_t K, class... Values>
KOKKOS_FORCEINLINE_FUNCTION constexpr const auto& value_of(const Pack<Values...>& values) {
  return get<K>(values);
}

/// The body of a stage that makes arrays outputs of one stage: output k is a copy of input k. There are
/// `Inputs` inputs, which have as many dimensions as the stage.
template <std::size_t Inputs>
struct SamePoint {
  template <class... Arguments>
  KOKKOS_FUNCTION auto operator()(const Arguments&... arguments) const {
    return all(pack(arguments...), std::make_index_sequence<Inputs>{},
               std::make_index_sequence<sizeof...(Arguments) - Inputs>{});
  }

 private:
  template <class Given, std::size_t... Input, class Dimensions>
  KOKKOS_FORCEINLINE_FUNCTION static auto all(const Given& given, std::index_sequence<Input...>,
                                              Dimensions dimensions) {
    return pack(element<Input>(given, dimensions)...);
  }
  template <std::size_t Input, class Given, std::size_t... Dimension>
  KOKKOS_FORCEINLINE_FUNCTION static auto element(const Given& given, std::index_sequence<Dimension...>) {
    return get<Input>(given)(get<Inputs + Dimension>(given)...);
  }
};

}  // namespace detail
}  // namespace tessera
