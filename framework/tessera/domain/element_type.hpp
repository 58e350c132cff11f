// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "tessera/domain/error.hpp"

namespace tessera {

/// The arithmetic types of elements that files, buffers and messages may hold. The number in each name is the
/// size in bits.
enum class ElementType : std::uint8_t {
  int8,     ///< signed integer of 8 bits
  uint8,    ///< unsigned integer of 8 bits
  int16,    ///< signed integer of 16 bits
  uint16,   ///< unsigned integer of 16 bits
  int32,    ///< signed integer of 32 bits
  uint32,   ///< unsigned integer of 32 bits
  int64,    ///< signed integer of 64 bits
  uint64,   ///< unsigned integer of 64 bits
  float32,  ///< single precision, IEEE 754
  float64   ///< double precision, IEEE 754
};

/// Returns the size of one element in bytes.
constexpr std::size_t size_of(ElementType type) {
  constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

/// Returns the name that decks, reports and errors use, such as "uint16".
constexpr std::string_view name_of(ElementType type) {
  constexpr std::string_view names[] = {"int8",   "uint8", "int16",  "uint16",  "int32",
                                        "uint32", "int64", "uint64", "float32", "float64"};
  return names[static_cast<std::size_t>(type)];
}

/// Returns the ElementType of a C++ type. It does not compile for bool or a type that is not arithmetic.
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

/// Calls use(std::type_identity<T>()) for the C++ type T that `type` stands for, and returns its result.
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
