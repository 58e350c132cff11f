// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernel.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace spectrum {

/// The methods by which a convolution is computed.
enum class Method : std::uint8_t {
  automatic,  ///< the one that is estimated to be cheaper
  direct,     ///< sums of weighted neighbours
  transform   ///< the product of spectra
};

/// The points around an image that its transform has, too. The transform takes an image as periodic, and
/// with them no point of the image has neighbours from the opposite border.
struct Padding {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;

  /// Returns the padding that a convolution needs: none if the image is periodic, and otherwise at least as
  /// much as the kernel reaches beyond the borders, so that the extents are good for transforms.
  static Padding of(const tessera::Box& image, const Kernel& kernel, tessera::Boundary border);
  /// Returns the points of a padded image. All begin at 0.
  tessera::Box around(tessera::Box image) const;
};

/// The estimated costs of a convolution by both methods, in units of a multiplication and addition of floats
/// in vectors.
class Costs {
 public:
  /// Estimates the costs for an image whose elements have `element_bytes` bytes.
  Costs(const tessera::Box& image, const Kernel& kernel, const Padding& padding, std::size_t element_bytes);

  /// Returns the cheaper method if `asked` is automatic, and otherwise `asked`.
  Method chosen(Method asked) const;
  /// Returns a line about the choice and both costs.
  std::string remark(Method asked) const;

 private:
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

/// The half spectrum of an image that was convolved with a kernel, by Wiener's filter: the product with
/// conj(H) / (|H|^2 + noise), H being the half spectrum of the kernel.
template <class T>
struct Quotient {
  T noise;

  template <class In, class Weights, class X, class Y, class... Channel>
  KOKKOS_FUNCTION auto operator()(const In& in, const Weights& kernel, X x, Y y, Channel... channel) const {
    const auto factor = kernel(x, y);
    return in(x, y, channel...) * tessera::conj(factor) / (tessera::norm(factor) + noise);
  }
};

}  // namespace spectrum
