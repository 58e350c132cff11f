// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <type_traits>

#include "tessera/domain/box.hpp"
#include "tessera/domain/coordinate.hpp"
#include "tessera/view/block_layout.hpp"
#include "tessera/view/compat.hpp"

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
  requires(sizeof...(Rest) == N - 1)
  KOKKOS_FORCEINLINE_FUNCTION T& operator()(Coordinate x, Rest... rest) const {
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

/// An accessor that checks the coordinates of every point. If a point lies outside the box of the accessor in
/// some dimension, the call operator returns report.outside<T>(box, point, dimension) instead of an element
/// of the array.
template <class T, int N, class Report>
class CheckedAccessor {
 public:
  /// The type of an element.
  using Value = T;

  /// Makes an accessor without an array.
  CheckedAccessor() = default;
  /// Makes a checked accessor from `accessor`, whose array has the points of `box`.
  KOKKOS_FUNCTION CheckedAccessor(const Accessor<T, N>& accessor, const Box& box, const Report& report)
      : accessor_(accessor), box_(box), report_(report) {}

  /// Returns the element at the given global coordinates, x first. If the point lies outside the box, returns
  /// the result of the report.
  template <class... Indices>
  requires(sizeof...(Indices) == N)
  KOKKOS_FUNCTION T& operator()(Indices... indices) const {
    const int point[] = {Coordinate(indices).value...};
    for (int d = 0; d < N; ++d)
      if (!box_[d].contains(point[d])) return report_.template outside<T>(box_, point, d);
    return accessor_(indices...);
  }

  /// Returns the zero of the element type, with which a body can begin a sum of elements.
  KOKKOS_FUNCTION std::remove_const_t<T> zero() const { return {}; }

 private:
  Accessor<T, N> accessor_;
  Box box_;
  Report report_;
};

/// A report for CheckedAccessor that prints one line and ends the program. The line has the name of the view,
/// the index and the box. In kernels on a device, the line has none of these.
class AbortOutside {
 public:
  /// Makes a report for a view without a name.
  AbortOutside() = default;
  /// Makes a report for the view `name`. Only the first 47 characters of the name are printed.
  explicit AbortOutside(const std::string& name) { name.copy(name_, sizeof name_ - 1); }

  /// Ends the program, because `point` lies outside `box` in the dimension `dimension`. Never returns.
  template <class T>
  KOKKOS_FUNCTION T& outside([[maybe_unused]] const Box& box, [[maybe_unused]] const int* point,
                             [[maybe_unused]] int dimension) const {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    Kokkos::abort("tessera: a kernel left the box of a view: a build for hosts says which");
#else
    std::string index;
    for (int d = 0; d < box.dimensions; ++d) index += fmt::format("{}{}", d == 0 ? "" : ", ", point[d]);
    const std::string message = fmt::format(
        "tessera: index ({}) of the view '{}' lies outside its box {} in "
        "dimension {}\n",
        index, name_, to_string(box), dimension);
    std::fputs(message.c_str(), stderr);
    Kokkos::abort("tessera: index outside a view");
#endif
    return *static_cast<T*>(nullptr);  // not reached
  }

 private:
  char name_[48] = {};
};

/// Returns an accessor of `array`, which has the points of `box`. In builds with TESSERA_CHECKS, the accessor
/// ends the program if a point outside `box` is accessed. The message then has the name of the view, `name`.
template <class T, int N>
auto bounded_accessor(const ArrayReference& array, [[maybe_unused]] const Box& box,
                      [[maybe_unused]] const std::string& name) {
#ifdef TESSERA_CHECKS
  return CheckedAccessor<T, N, AbortOutside>(Accessor<T, N>(array), box, AbortOutside(name));
#else
  return Accessor<T, N>(array);
#endif
}

}  // namespace tessera
