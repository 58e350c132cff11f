// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <type_traits>

#include "tessera/domain/coordinate.hpp"
#include "tessera/view/array_reference.hpp"

namespace tessera {

/// The object through which a stage body reads an N-dimensional array of T, in global coordinates, when the
/// stage is computed. An accessor is plain data, and kernels hold it by value. The memory of the array must
/// outlive the accessor.
template <class T, int N>
class Accessor {
 public:
  /// The type of an element.
  using Value = T;

  /// Makes an accessor without an array. The call operator of such an accessor must not be used.
  Accessor() = default;
  /// Makes the accessor of `array`, whose elements must be of type T.
  KOKKOS_FORCEINLINE_FUNCTION explicit Accessor(const ArrayReference& array)
      : origin_(reinterpret_cast<T*>(array.origin)) {
    for (int d = 1; d < N; ++d) strides_[d - 1] = array.strides[d];
  }

  /// Returns the element at the given global coordinates, x first. The coordinates are not checked.
  template <class... Rest>
  requires(sizeof...(Rest) == N - 1) KOKKOS_FORCEINLINE_FUNCTION T& operator()(Coordinate x,
                                                                               Rest... rest) const {
    const std::ptrdiff_t* stride = strides_;
    std::ptrdiff_t offset = x.value;
    ((offset += Coordinate(rest).value * *stride++), ...);
    return origin_[offset];
  }

  /// Returns the zero of the element type, with which a body can begin a sum of elements.
  KOKKOS_FORCEINLINE_FUNCTION std::remove_const_t<T> zero() const { return {}; }

 private:
  T* origin_ = nullptr;
  std::ptrdiff_t strides_[N > 1 ? N - 1 : 1] = {};
};

}  // namespace tessera
