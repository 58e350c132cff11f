// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "kernel.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/spectral/dft.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace spectrum {

/// The methods to compute a convolution.
enum class Method : std::uint8_t {
  automatic,  ///< the one that is estimated to be cheaper
  direct,     ///< sums of weighted neighbours
  transform   ///< the product of spectra
};

/// The points around an image that its transform has, too. The transform takes an image as periodic. With the
/// padding, no point of the image has neighbours from the opposite border.
struct Padding {
  /// The number of points left of the image, and above it.
  int left = 0;
  int top = 0;
  /// The extents of the padded image.
  int width = 0;
  int height = 0;

  /// Returns the padding that a convolution needs: none if the image is periodic. Otherwise it is at least as
  /// much as the kernel reaches beyond the borders, and makes the extents good for transforms.
  static Padding of(const tessera::Box& image, const Kernel& kernel, tessera::Boundary border) {
    const int width = static_cast<int>(image[0].size()), height = static_cast<int>(image[1].size());
    if (border == tessera::Boundary::periodic) return {.width = width, .height = height};
    return {.left = kernel.left(),
            .top = kernel.above(),
            .width = tessera::spectral::good_points(width + kernel.width - 1),
            .height = tessera::spectral::good_points(height + kernel.height - 1)};
  }
  /// Returns the points of the padded image, which begin at 0.
  tessera::Box around(tessera::Box image) const {
    image[0] = {0, width};
    image[1] = {0, height};
    return image;
  }
};

/// The estimated costs of a convolution by both methods, in units of a multiplication and addition of floats
/// in vectors.
class Costs {
 public:
  /// Estimates the costs for an image whose elements have `element_bytes` bytes.
  Costs(const tessera::Box& image, const Kernel& kernel, const Padding& padding, std::size_t element_bytes) {
    const double bytes_per_float = static_cast<double>(element_bytes) / sizeof(float);
    const double channels = image.dimensions > 2 ? static_cast<double>(image[2].size()) : 1;
    const double padded = static_cast<double>(padding.width) * padding.height;
    direct_ = static_cast<double>(image.size()) * kernel.width * kernel.height * bytes_per_float;
    // Each channel is transformed forward and back, and the kernel forward.
    transform_ =
        (2 * channels + 1) * padded * (cost_of_point + cost_of_step * std::log2(padded)) * bytes_per_float;
  }

  /// Returns the cheaper method if `asked` is automatic, and otherwise `asked`.
  Method chosen(Method asked) const {
    if (asked != Method::automatic) return asked;
    return direct_ <= transform_ ? Method::direct : Method::transform;
  }
  /// Returns a line about the choice and both costs.
  std::string remark(Method asked) const {
    return fmt::format(
        "convolution by {}, {}: estimated cost {:.3g} direct, {:.3g} by transform",
        chosen(asked) == Method::direct ? "sums (direct)" : "the product of spectra (transform)",
        asked == Method::automatic ? "which is cheaper" : "as 'method' asks", direct_, transform_);
  }

 private:
  /// The costs of a transform for each of its points, which is read, written and moved, and for each of the
  /// log2(points) steps of a point.
  static constexpr double cost_of_point = 90;
  static constexpr double cost_of_step = 6;

  double direct_;
  double transform_;
};

/// The product of the half spectra of an image and a kernel.
struct Product {
  template <class In, class Weights, class X, class Y, class... Channel>
  KOKKOS_FUNCTION auto operator()(const In& in, const Weights& kernel, X x, Y y, Channel... channel) const {
    return in(x, y, channel...) * kernel(x, y);
  }
};

/// Wiener's filter: the half spectrum of a convolved image is multiplied by conj(H) / (|H|^2 + noise), where
/// H is the half spectrum of the kernel. The result is the half spectrum of the image before the convolution.
template <class T>
struct Quotient {
  T noise;

  template <class In, class Weights, class X, class Y, class... Channel>
  KOKKOS_FUNCTION auto operator()(const In& in, const Weights& kernel, X x, Y y, Channel... channel) const {
    const auto factor = kernel(x, y);
    return in(x, y, channel...) * tessera::conj(factor) / (tessera::norm(factor) + noise);
  }
};

/// The call of a library stage that convolves an image with weights by sums: the value of a point is the sum
/// over i and j of weights(i, j) image(x + width / 2 - i, y + height / 2 - j), in the order of the weights.
template <class T>
struct DirectConvolution {
  Kernel kernel;

  tessera::Box footprint(int input, tessera::Box box) const {
    if (input == 1) return kernel.box();
    box[0] = {box[0].begin - kernel.left(), box[0].end + kernel.width / 2};
    box[1] = {box[1].begin - kernel.above(), box[1].end + kernel.height / 2};
    return box;
  }

  void operator()(const tessera::LibraryBlock<const T>& image, const tessera::LibraryBlock<const T>& weights,
                  const tessera::LibraryBlock<T>& result) const {
    const bool has_channels = result.box.dimensions > 2;
    const std::int64_t channels = has_channels ? result.box[2].size() : 1;
    tessera::detail::call_flat_for_processor([&] {
      for (std::int64_t c = 0; c < channels; ++c)
        for (std::int64_t y = 0; y < result.box[1].size(); ++y)
          row(image.data + y * image.strides[1] + c * image.strides[2], image.strides[1], weights,
              result.data + y * result.strides[1] + c * result.strides[2], result.box[0].size());
    });
  }

 private:
  static constexpr std::int64_t lanes = 64 / sizeof(T);
  /// The number of points whose sums are computed together, in registers.
  static constexpr std::int64_t block = 4 * lanes;
  typedef T Vector __attribute__((vector_size(lanes * sizeof(T))));

  /// Computes a row. The window of its first point begins at `in`.
  void row(const T* in, std::int64_t stride, const tessera::LibraryBlock<const T>& weights, T* out,
           std::int64_t width) const {
    std::int64_t x = 0;
    for (; x + block <= width; x += block) points<block / lanes>(in + x, stride, weights, out + x);
    for (; x + lanes <= width; x += lanes) points<1>(in + x, stride, weights, out + x);
    // The last vector overlaps points that are already computed.
    if (x < width && width >= lanes)
      return points<1>(in + width - lanes, stride, weights, out + width - lanes);
    for (; x < width; ++x) point(in + x, stride, weights, out + x);
  }

  /// Calls add(weight, place) for all weights in their order. `place` points to the element that the weight
  /// is multiplied by, in the window that begins at `in`.
  template <class Add>
  void for_each_weight(const T* in, std::int64_t stride, const tessera::LibraryBlock<const T>& weights,
                       const Add& add) const {
    for (int j = 0; j < kernel.height; ++j) {
      const T* const last = in + (kernel.height - 1 - j) * stride + kernel.width - 1;
      for (int i = 0; i < kernel.width; ++i) add(weights.data[j * weights.strides[1] + i], last - i);
    }
  }

  /// Computes as many points as `Vectors` vectors hold.
  template <int Vectors>
  void points(const T* in, std::int64_t stride, const tessera::LibraryBlock<const T>& weights, T* out) const {
    Vector sums[Vectors] = {};
    for_each_weight(in, stride, weights, [&](T weight, const T* place) {
      for (int v = 0; v < Vectors; ++v) {
        Vector elements;
        __builtin_memcpy(&elements, place + v * lanes, sizeof elements);
        sums[v] = sums[v] + (weight - Vector{}) * elements;
      }
    });
    __builtin_memcpy(out, sums, sizeof sums);
  }

  /// Computes one point by the same operations, in the same order, as a vector of points.
  void point(const T* in, std::int64_t stride, const tessera::LibraryBlock<const T>& weights, T* out) const {
    T sum = 0;
    for_each_weight(in, stride, weights, [&](T weight, const T* place) { sum = sum + weight * *place; });
    *out = sum;
  }
};

}  // namespace spectrum
