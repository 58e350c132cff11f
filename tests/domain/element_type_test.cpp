// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/element_type.hpp"

#include <gtest/gtest.h>

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
}

TEST(ElementType, TypesOfEqualWidthAndSignAreTheSame) {
  EXPECT_EQ(element_type_of<long>(), element_type_of<long long>());
  EXPECT_EQ(element_type_of<unsigned long>(), element_type_of<unsigned long long>());
}

}  // namespace
