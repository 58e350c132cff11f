// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Macros.hpp>

namespace tessera {

/// Returns the value of type To that has the bytes of `from`, like std::bit_cast, which cannot be called on
/// devices. With HIP 5, std::memcpy cannot be called there either.
template <class To, class From>
KOKKOS_FORCEINLINE_FUNCTION constexpr To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

}  // namespace tessera
