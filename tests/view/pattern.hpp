// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <type_traits>

#include "domain/random.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera::test {

/// The bits that the point of an array holds in tests: a function of its global coordinates alone, different
/// for points that are near each other.
inline std::uint64_t pattern(const Point& point) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (std::int64_t coordinate : point.at) {
    hash = (hash ^ static_cast<std::uint64_t>(coordinate)) * 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 29;
  }
  return hash;
}

/// The element of an array at `point`.
template <class T>
T& element(const ArrayReference& array, const Point& point) {
  std::int64_t offset = 0;
  for (int d = 0; d < max_dimensions; ++d) offset += array.strides[d] * point[d];
  return reinterpret_cast<T*>(array.origin)[offset];
}

/// Calls test(T()) with an unsigned integer T of every size that arrays may have.
template <class Test>
void for_each_element_size(const Test& test) {
  test(std::uint8_t());
  test(std::uint16_t());
  test(std::uint32_t());
  test(std::uint64_t());
}

}  // namespace tessera::test
