// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tessera/operators/detail/plane.hpp"

namespace tessera::operators::detail {

/// A copy of a plane that has exactly the points of a box. AddressSanitizer reports each access to other
/// points, as there is forbidden memory between rows.
template <class T>
class GuardedPlane {
 public:
  /// Copies the points of `box`, which `plane` has in memory.
  GuardedPlane(const Plane<const T>& plane, const Box& box)
      : x_(box[0]), y_(box[1]), stride_((x_.size() + gap - 1) / gap * gap + gap) {
    memory_.resize(static_cast<std::size_t>(stride_ * y_.size() + gap));
    __asan_poison_memory_region(memory_.data(), memory_.size() * sizeof(T));
    for (std::int64_t y = y_.begin; y < y_.end; ++y) {
      __asan_unpoison_memory_region(row(y), static_cast<std::size_t>(x_.size()) * sizeof(T));
      std::copy_n(plane.row(y) + x_.begin, x_.size(), row(y));
    }
  }
  ~GuardedPlane() { __asan_unpoison_memory_region(memory_.data(), memory_.size() * sizeof(T)); }
  GuardedPlane(const GuardedPlane&) = delete;
  GuardedPlane& operator=(const GuardedPlane&) = delete;

  /// Returns the copy.
  Plane<T> plane() { return {memory_.data() + gap - x_.begin - y_.begin * stride_, stride_}; }
  /// Copies the points to another plane.
  void copy_to(const Plane<T>& other) {
    for (std::int64_t y = y_.begin; y < y_.end; ++y) std::copy_n(row(y), x_.size(), other.row(y) + x_.begin);
  }

 private:
  /// The least number of forbidden elements on each side of a row.
  static constexpr std::int64_t gap = 128 / sizeof(T);

  T* row(std::int64_t y) { return plane().row(y) + x_.begin; }

  Range x_;
  Range y_;
  std::int64_t stride_;
  std::vector<T> memory_;
};

}  // namespace tessera::operators::detail
