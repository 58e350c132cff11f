// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "stages.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace spectrum {

/// The weights that an image is, or was, convolved with. The weight at (width / 2, height / 2), rounded down,
/// is the weight of the point itself.
struct Kernel {
  int width = 1;
  int height = 1;
  /// The standard deviation of a Gaussian in pixels. If it is 0, the weights are the image `kernel`.
  double sigma = 0;
  /// The element type of the image `kernel`.
  tessera::ElementType type = tessera::ElementType::float32;
  /// True if the weights are divided by their sum. A sum that is 0 except for roundings is not divided by.
  bool is_normalised = true;

  /// Returns a Gaussian, which ends after four standard deviations.
  static Kernel gaussian(double sigma) {
    const int extent = 2 * static_cast<int>(4 * sigma + 0.5) + 1;
    return {.width = extent, .height = extent, .sigma = sigma};
  }
  /// Returns all points that have weights.
  tessera::Box box() const { return {{0, width}, {0, height}}; }
  /// Returns how far left of a point the convolution reads.
  int left() const { return width - 1 - width / 2; }
  /// Returns how far above a point the convolution reads.
  int above() const { return height - 1 - height / 2; }
};

/// The weights of a Gaussian, which are 0 outside the kernel.
struct Gaussian {
  Kernel kernel;

  template <class X, class Y>
  KOKKOS_FUNCTION auto operator()(X x, Y y) const {
    const auto dx = tessera::cast<double>(x - kernel.width / 2),
               dy = tessera::cast<double>(y - kernel.height / 2);
    const auto weight = tessera::exp((dx * dx + dy * dy) * (-0.5 / (kernel.sigma * kernel.sigma)));
    return tessera::select(x >= 0 && x < kernel.width && y >= 0 && y < kernel.height, weight, 0.0);
  }
};

/// The reduction of weights to their sum and the sum of their magnitudes.
struct WeightSums {
  /// The sum of the weights and the sum of their magnitudes. Neither is rounded before it is complete.
  struct Value {
    tessera::ExactSum<double> sum;
    tessera::ExactSum<double> magnitudes;
  };
  KOKKOS_FUNCTION void init(Value& value) const { value = {}; }
  KOKKOS_FUNCTION void add(Value& value, double weight, const tessera::Point&) const {
    value.sum.add(weight);
    value.magnitudes.add(weight < 0 ? -weight : weight);
  }
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const {
    value.sum.merge(other.sum);
    value.magnitudes.merge(other.magnitudes);
  }
  std::array<double, 2> result(const Value& value) const {
    return {value.sum.value(), value.magnitudes.value()};
  }
};

/// Weights divided by their sum. A sum that is not greater than `rounding` times the sum of the magnitudes
/// counts as 0, and the weights are then taken as they are.
template <class T>
struct Normalised {
  double rounding;

  template <class In, class Sums, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Sums& sums, Coord x, Coord y) const {
    const auto sum = sums(0), least = sums(1) * rounding;
    const auto is_zero = sum <= least && sum >= -least;
    return tessera::cast<T>(in(x, y) / tessera::select(is_zero, 1.0, sum));
  }
};

/// The weights on an image of this width and height. The weight of the point itself lies at (0, 0). The
/// weights left of it and above it lie at the opposite ends of the image.
struct Wrapped {
  Kernel kernel;
  int width;
  int height;

  template <class In, class X, class Y>
  KOKKOS_FUNCTION auto operator()(const In& in, X x, Y y) const {
    return in(place(x, kernel.width, width), place(y, kernel.height, height));
  }

 private:
  /// Returns the index of the weight for place x of the image, along one dimension with this number of
  /// weights and points. It is -1 or `weights` if there is no weight.
  template <class X>
  KOKKOS_FUNCTION static auto place(X x, int weights, int points) {
    const auto index = x + weights / 2;
    return tessera::clamp(tessera::select(index < points, index, index - points), -1, weights);
  }
};

/// Returns the greatest sum of weights that counts as 0, as a share of the sum of their magnitudes.
/// `computed` is the type of the numbers of the convolution. The weights of a kernel such as the Laplacian of
/// a Gaussian were computed in several steps, each of which rounds: the limit allows for 8.
inline double rounding_of(const Kernel& kernel, tessera::ElementType computed) {
  constexpr double steps = 8;
  const bool is_double = computed == tessera::ElementType::float64 &&
                         (kernel.sigma > 0 || kernel.type != tessera::ElementType::float32);
  return steps * (is_double ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon());
}

/// Adds the values of a kernel before they are divided by their sum: the input `kernel`, if they come from a
/// file, and `kernel_values`. They are 0 outside the kernel.
inline tessera::Array<double, 2> add_kernel_values(tessera::Pipeline& pipeline, const Kernel& kernel) {
  using namespace tessera;
  if (kernel.sigma > 0) return pipeline.stage<double, 2>("kernel_values", Gaussian{kernel});
  Array<double, 2> values{no_array};
  const auto read = [&]<class In>(In) {
    if (kernel.type != element_type_of<In>()) return;
    const auto file = pipeline.input<In, 2>("kernel", kernel.box(), BoundaryConditions::of_constant(In(0)));
    values = pipeline.stage<double>("kernel_values", Values<double>(), file);
  };
  read(std::uint8_t());
  read(std::uint16_t());
  read(float());
  read(double());
  return values;
}

/// Adds the weights of a kernel: its values, `kernel_sum`, if they are divided by their sum, and `weights`.
template <class T>
tessera::Array<T, 2> add_weights(tessera::Pipeline& pipeline, const Kernel& kernel) {
  using namespace tessera;
  const Array<double, 2> values = add_kernel_values(pipeline, kernel);
  if (!kernel.is_normalised) return pipeline.stage<T>("weights", Values<T>(), values);
  const auto sums = pipeline.reduce("kernel_sum", WeightSums(), values, kernel.box());
  return pipeline.stage<T>("weights", Normalised<T>{rounding_of(kernel, element_type_of<T>())}, values, sums);
}

}  // namespace spectrum
