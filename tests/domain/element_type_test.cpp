// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/element_type.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>
#include <string>

namespace {

using namespace tessera;

template <class T>
void expect_type(ElementType type, std::string_view name) {
  EXPECT_EQ(element_type_of<T>(), type);
  EXPECT_EQ(size_of(type), sizeof(T));
  EXPECT_EQ(name_of(type), name);
}

TEST(ElementType, EveryTypeHasItsSizeAndName) {
  expect_type<std::int8_t>(ElementType::int8, "int8");
  expect_type<std::uint8_t>(ElementType::uint8, "uint8");
  expect_type<std::int16_t>(ElementType::int16, "int16");
  expect_type<std::uint16_t>(ElementType::uint16, "uint16");
  expect_type<std::int32_t>(ElementType::int32, "int32");
  expect_type<std::uint32_t>(ElementType::uint32, "uint32");
  expect_type<std::int64_t>(ElementType::int64, "int64");
  expect_type<std::uint64_t>(ElementType::uint64, "uint64");
  expect_type<float>(ElementType::float32, "float32");
  expect_type<double>(ElementType::float64, "float64");
  expect_type<std::complex<float>>(ElementType::complex64, "complex64");
  expect_type<std::complex<double>>(ElementType::complex128, "complex128");
}

TEST(ElementType, ComplexNumbersHaveTwoParts) {
  EXPECT_TRUE(is_complex(ElementType::complex64));
  EXPECT_TRUE(is_complex(ElementType::complex128));
  EXPECT_FALSE(is_complex(ElementType::float64));
  EXPECT_EQ(part_type(ElementType::complex64), ElementType::float32);
  EXPECT_EQ(part_type(ElementType::complex128), ElementType::float64);
  EXPECT_EQ(part_type(ElementType::int16), ElementType::int16);
}

TEST(ElementType, EveryRealTypeIsPassedOnAndComplexOnesAreRefused) {
  for (int i = 0; i < element_type_count; ++i) {
    const auto type = static_cast<ElementType>(i);
    const auto size = [&] {
      return with_element_type(type, []<class T>(std::type_identity<T>) { return sizeof(T); });
    };
    if (!is_complex(type)) {
      EXPECT_EQ(size(), size_of(type));
      continue;
    }
    try {
      size();
      FAIL() << name_of(type);
    } catch (const InternalError& error) {
      EXPECT_EQ(std::string(error.what()), "real numbers are expected, not " + std::string(name_of(type)));
    }
  }
}

TEST(ElementType, NumbersOfEveryRealTypeAreRead) {
  for (int i = 0; i < element_type_count; ++i) {
    const auto type = static_cast<ElementType>(i);
    std::byte bytes[17];
    if (is_complex(type)) {
      EXPECT_THROW(number_at(type, bytes), InternalError);
      continue;
    }
    with_element_type(type, [&]<class T>(std::type_identity<T>) {
      for (const T number : {std::numeric_limits<T>::lowest(), T(0), T(97)}) {
        std::memcpy(bytes + 1, &number, sizeof number);  // The number need not be aligned.
        EXPECT_EQ(number_at(type, bytes + 1), static_cast<double>(number)) << name_of(type);
      }
    });
  }
}

TEST(ElementType, TypesOfEqualWidthAndSignAreTheSame) {
  EXPECT_EQ(element_type_of<long>(), element_type_of<long long>());
  EXPECT_EQ(element_type_of<unsigned long>(), element_type_of<unsigned long long>());
}

}  // namespace
