// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "tessera/pipeline/body/pack.hpp"

namespace tessera::detail {

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

}  // namespace tessera::detail
