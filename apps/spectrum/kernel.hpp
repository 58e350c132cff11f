// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace spectrum {

/// The weights with which an image is, or was, convolved. The weight (width / 2, height / 2), rounded down,
/// is that of the point itself.
struct Kernel {
  int width = 1;
  int height = 1;
  /// The standard deviation of a Gaussian in pixels. 0 stands for the image `kernel`.
  double sigma = 0;
  /// The element type of the image `kernel`.
  tessera::ElementType type = tessera::ElementType::float32;
  /// Whether the weights are divided by their sum, unless that is 0.
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
template <class T>
struct Gaussian {
  Kernel kernel;

  template <class X, class Y>
  KOKKOS_FUNCTION auto operator()(X x, Y y) const {
    const auto dx = tessera::cast<double>(x - kernel.width / 2),
               dy = tessera::cast<double>(y - kernel.height / 2);
    const auto weight = tessera::exp((dx * dx + dy * dy) * (-0.5 / (kernel.sigma * kernel.sigma)));
    return tessera::cast<T>(
        tessera::select(x >= 0 && x < kernel.width && y >= 0 && y < kernel.height, weight, 0.0));
  }
};

/// The elements of a file as weights.
template <class T>
struct FileWeights {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return tessera::cast<T>(in(x, y));
  }
};

/// Weights divided by their sum, unless that is 0.
template <class T>
struct Normalised {
  template <class In, class Sum, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Sum& sum, Coord x, Coord y) const {
    const auto divisor = tessera::cast<double>(sum(0));
    return tessera::cast<T>(tessera::cast<double>(in(x, y)) / tessera::select(divisor == 0.0, 1.0, divisor));
  }
};

/// The weights on an image of this width and height, with that of the point itself at (0, 0): those left of
/// it and above it lie at the other end.
struct Wrapped {
  Kernel kernel;
  int width;
  int height;

  template <class In, class X, class Y>
  KOKKOS_FUNCTION auto operator()(const In& in, X x, Y y) const {
    return in(place(x, kernel.width, width), place(y, kernel.height, height));
  }

 private:
  /// The index of a weight along one dimension: -1 or `weights` where there is none.
  template <class X>
  KOKKOS_FUNCTION static auto place(X x, int weights, int points) {
    const auto index = x + weights / 2;
    return tessera::clamp(tessera::select(index < points, index, index - points), -1, weights);
  }
};

/// Adds the weights of a kernel: the input `kernel`, if they come from a file, `kernel_values`, and
/// `kernel_sum` and `weights`, if they are divided by their sum. They are 0 outside the kernel.
template <class T>
tessera::Array<T, 2> add_weights(tessera::Pipeline& pipeline, const Kernel& kernel) {
  using namespace tessera;
  Array<T, 2> values{-1};
  const auto read = [&]<class In>(In) {
    if (kernel.sigma > 0 || kernel.type != element_type_of<In>()) return;
    const auto file = pipeline.input<In, 2>("kernel", kernel.box(), BoundaryConditions::of_constant(In(0)));
    values = pipeline.stage<T>("kernel_values", FileWeights<T>(), file);
  };
  read(std::uint8_t());
  read(std::uint16_t());
  read(float());
  read(double());
  if (kernel.sigma > 0) values = pipeline.stage<T, 2>("kernel_values", Gaussian<T>{kernel});
  if (!kernel.is_normalised) return values;
  const auto sum = pipeline.reduce("kernel_sum", Sum<T>(), values, kernel.box());
  return pipeline.stage<T>("weights", Normalised<T>(), values, sum);
}

}  // namespace spectrum
