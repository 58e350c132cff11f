// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "tessera/domain/element_type.hpp"

namespace tessera {

/// Returns the number of the given type at an address, which may have any alignment. Integers of 64 bits that
/// no double represents are rounded. Throws InternalError if `type` is complex.
inline double number_at(ElementType type, const std::byte* address) {
  return with_element_type(type, [address]<class T>(std::type_identity<T>) {
    T value;
    std::memcpy(&value, address, sizeof value);
    return static_cast<double>(value);
  });
}

}  // namespace tessera
