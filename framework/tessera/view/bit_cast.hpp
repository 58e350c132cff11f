// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>

namespace tessera {

/// Returns the bytes of `from` as a value of type To, as std::bit_cast does. Devices have neither that nor,
/// with HIP 5, std::memcpy.
template <class To, class From>
KOKKOS_FORCEINLINE_FUNCTION constexpr To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

}  // namespace tessera
