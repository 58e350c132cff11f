// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/operators/detail/plane.hpp"

namespace tessera::operators::detail {

/// Returns memory for `count` elements, which the calling thread keeps for its next call. Each `Owner` has
/// memory of its own. The elements have any values.
template <class Owner, class T>
T* scratch(std::size_t count) {
  static thread_local std::vector<T> memory;
#ifdef TESSERA_GUARDS_PLANES
  memory = std::vector<T>(count);  // no more than `count`, so that accesses beyond are seen
#endif
  if (memory.size() < count) memory.resize(count);
  return memory.data();
}
/// Returns scratch memory for a number of elements that has a sign.
template <class Owner, class T>
T* scratch(std::int64_t count) {
  return scratch<Owner, T>(static_cast<std::size_t>(count));
}

}  // namespace tessera::operators::detail
