// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <type_traits>

#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace convert {

/// Every point as it is.
struct Copy {
  template <class In, class... Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord... at) const {
    return in(at...);
  }
};

/// Every point times a factor.
struct Scaled {
  double scale;

  template <class In, class... Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord... at) const {
    return tessera::cast<double>(in(at...)) * scale;
  }
};

/// Returns the greatest double that an integer type holds. The greatest number of a type of 64 bits is not a
/// double.
template <class T>
constexpr double greatest_value() {
  constexpr int bits_beyond = std::numeric_limits<T>::digits - std::numeric_limits<double>::digits;
  constexpr T greatest = std::numeric_limits<T>::max();
  if constexpr (bits_beyond > 0) return static_cast<double>((greatest >> bits_beyond) << bits_beyond);
  return static_cast<double>(greatest);
}

/// The nearest number of the type T. If two integers are equally near, it is the one further from 0. Numbers
/// beyond the limits of an integer type become its least or greatest number, and NaN becomes 0.
template <class T>
struct Nearest {
  template <class Values, class... Coord>
  KOKKOS_FUNCTION auto operator()(const Values& values, Coord... at) const {
    const auto value = values(at...);
    if constexpr (std::is_floating_point_v<T>) {
      return tessera::cast<T>(value);
    } else {
      constexpr double least = tessera::LimitsOf<T>::lowest, greatest = greatest_value<T>();
      const auto whole = tessera::round(tessera::select(value == value, value, 0.0));
      const auto held = tessera::cast<T>(tessera::clamp(whole, least, greatest));
      return tessera::cast<T>(tessera::select(whole > greatest, tessera::highest<T>, held));
    }
  }
};

/// Returns the pipeline that multiplies every point of an image by `scale` and converts it from one type to
/// another. Its stage `values` has doubles, which hold integers up to 2^53 exactly.
template <int N>
tessera::Pipeline make_pipeline(const tessera::Box& image, tessera::ElementType from, tessera::ElementType to,
                                double scale) {
  tessera::Pipeline pipeline;
  const tessera::Array<double, N> values =
      with_element_type(from, [&]<class T>(std::type_identity<T>) -> tessera::Array<double, N> {
        return pipeline.stage<double>("values", Scaled{scale}, pipeline.input<T, N>("input", image));
      });
  with_element_type(to, [&]<class T>(std::type_identity<T>) {
    pipeline.output(pipeline.stage<T>("converted", Nearest<T>(), values), image);
  });
  return pipeline;
}

/// Returns the pipeline that copies an image.
template <class T, int N>
tessera::Pipeline make_copy(const tessera::Box& image) {
  tessera::Pipeline pipeline;
  pipeline.output(pipeline.stage<T>("converted", Copy(), pipeline.input<T, N>("input", image)), image);
  return pipeline;
}

}  // namespace convert
