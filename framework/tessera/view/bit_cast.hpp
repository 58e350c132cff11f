// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>

namespace tessera {

/// std::bit_cast in kernels: devices have neither that nor, with HIP 5, std::memcpy.
template <class To, class From>
KOKKOS_FORCEINLINE_FUNCTION constexpr To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

}  // namespace tessera
