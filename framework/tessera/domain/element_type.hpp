// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "tessera/domain/error.hpp"

namespace tessera {

/// The arithmetic types of pixels and grid values that files, buffers and messages may hold.
enum class ElementType : std::uint8_t {
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float32,
  float64
};

/// Bytes of one element.
constexpr std::size_t size_of(ElementType type) {
  constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

/// The name that decks, reports and errors use, e.g. "uint16".
constexpr std::string_view name_of(ElementType type) {
  constexpr std::string_view names[] = {"int8",   "uint8", "int16",  "uint16",  "int32",
                                        "uint32", "int64", "uint64", "float32", "float64"};
  return names[static_cast<std::size_t>(type)];
}

/// The ElementType of a C++ type; does not compile for a type that is not arithmetic.
template <class T>
constexpr ElementType element_type_of() {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>, "Tessera: not an element type");
  if constexpr (std::is_floating_point_v<T>) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "Tessera: only float and double are supported");
    return sizeof(T) == 4 ? ElementType::float32 : ElementType::float64;
  } else {
    constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 2 : sizeof(T) == 4 ? 4 : 6;
    return static_cast<ElementType>(width + (std::is_unsigned_v<T> ? 1 : 0));
  }
}

/// use(std::type_identity<T>()) of the C++ type T that an ElementType stands for.
template <class Use>
constexpr auto with_element_type(ElementType type, const Use& use) {
  switch (type) {
    case ElementType::int8:
      return use(std::type_identity<std::int8_t>());
    case ElementType::uint8:
      return use(std::type_identity<std::uint8_t>());
    case ElementType::int16:
      return use(std::type_identity<std::int16_t>());
    case ElementType::uint16:
      return use(std::type_identity<std::uint16_t>());
    case ElementType::int32:
      return use(std::type_identity<std::int32_t>());
    case ElementType::uint32:
      return use(std::type_identity<std::uint32_t>());
    case ElementType::int64:
      return use(std::type_identity<std::int64_t>());
    case ElementType::uint64:
      return use(std::type_identity<std::uint64_t>());
    case ElementType::float32:
      return use(std::type_identity<float>());
    case ElementType::float64:
      break;
  }
  return use(std::type_identity<double>());
}

}  // namespace tessera
