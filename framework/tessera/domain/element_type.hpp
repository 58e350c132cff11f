// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "tessera/domain/error.hpp"

namespace tessera {

/// The types that the elements of files, buffers and messages may have. The number in each name is the size
/// of an element in bits.
enum class ElementType : std::uint8_t {
  int8,       ///< signed integer of 8 bits
  uint8,      ///< unsigned integer of 8 bits
  int16,      ///< signed integer of 16 bits
  uint16,     ///< unsigned integer of 16 bits
  int32,      ///< signed integer of 32 bits
  uint32,     ///< unsigned integer of 32 bits
  int64,      ///< signed integer of 64 bits
  uint64,     ///< unsigned integer of 64 bits
  float32,    ///< single precision, IEEE 754
  float64,    ///< double precision, IEEE 754
  complex64,  ///< complex number of two float32, the real part first
  complex128  ///< complex number of two float64, the real part first
};

/// The number of element types.
inline constexpr int element_type_count = 12;

/// A C++ type of complex numbers, such as Kokkos::complex<float> or std::complex<double>: two floating-point
/// numbers, the real part first.
template <class T>
concept ComplexNumber = requires(const T& number) {
  typename T::value_type;
  number.real();
  number.imag();
  requires std::is_floating_point_v<typename T::value_type>;
  requires sizeof(T) == 2 * sizeof(typename T::value_type);
};

/// Returns the size of one element of this type in bytes.
constexpr std::size_t size_of(ElementType type) {
  constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 16};
  return sizes[static_cast<std::size_t>(type)];
}

/// Returns the name of the type, such as "uint16". Decks, reports and error messages use this name.
constexpr std::string_view name_of(ElementType type) {
  constexpr std::string_view names[] = {"int8",  "uint8",  "int16",   "uint16",  "int32",     "uint32",
                                        "int64", "uint64", "float32", "float64", "complex64", "complex128"};
  return names[static_cast<std::size_t>(type)];
}

/// Returns true if the elements are complex numbers.
constexpr bool is_complex(ElementType type) {
  return type == ElementType::complex64 || type == ElementType::complex128;
}

/// Returns the type of the real and the imaginary part of complex numbers, and other types unchanged.
constexpr ElementType part_type(ElementType type) {
  if (!is_complex(type)) return type;
  return type == ElementType::complex64 ? ElementType::float32 : ElementType::float64;
}

/// Returns the ElementType of the C++ type T. T must be float, double, a complex number of these, or an
/// integer type other than bool; otherwise the call does not compile.
template <class T>
constexpr ElementType element_type_of() {
  static_assert(ComplexNumber<T> || (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>),
                "Tessera: not an element type");
  if constexpr (ComplexNumber<T>) {
    return element_type_of<typename T::value_type>() == ElementType::float32 ? ElementType::complex64
                                                                             : ElementType::complex128;
  } else if constexpr (std::is_floating_point_v<T>) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "Tessera: only float and double are supported");
    return sizeof(T) == 4 ? ElementType::float32 : ElementType::float64;
  } else {
    constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 2 : sizeof(T) == 4 ? 4 : 6;
    return static_cast<ElementType>(width + (std::is_unsigned_v<T> ? 1 : 0));
  }
}

/// Calls use(std::type_identity<T>()), where T is the C++ type that corresponds to `type`, and returns the
/// result of this call. Throws InternalError if `type` is complex, because most uses compare or round
/// numbers.
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
    case ElementType::complex64:
    case ElementType::complex128:
      throw InternalError("real numbers are expected, not " + std::string(name_of(type)));
    case ElementType::float64:
      break;
  }
  return use(std::type_identity<double>());
}

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
