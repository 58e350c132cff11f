// SPDX-License-Identifier: BSD-3-Clause
#include "convolution.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tessera/spectral/dft.hpp"

namespace spectrum {
namespace {

/// A transform costs so much for each point, which is read, written and moved, and for each of its
/// log2(points) steps.
constexpr double cost_of_point = 90;
constexpr double cost_of_step = 6;

}  // namespace

Padding Padding::of(const tessera::Box& image, const Kernel& kernel, tessera::Boundary border) {
  const int width = static_cast<int>(image[0].size()), height = static_cast<int>(image[1].size());
  if (border == tessera::Boundary::periodic) return {.width = width, .height = height};
  return {.left = kernel.left(),
          .top = kernel.above(),
          .width = tessera::spectral::good_points(width + kernel.width - 1),
          .height = tessera::spectral::good_points(height + kernel.height - 1)};
}

tessera::Box Padding::around(tessera::Box image) const {
  image[0] = {0, width};
  image[1] = {0, height};
  return image;
}

Costs::Costs(const tessera::Box& image, const Kernel& kernel, const Padding& padding,
             std::size_t element_bytes) {
  const double bytes_per_float = static_cast<double>(element_bytes) / sizeof(float);
  const double channels = image.dimensions > 2 ? static_cast<double>(image[2].size()) : 1;
  const double padded = static_cast<double>(padding.width) * padding.height;
  direct_ = static_cast<double>(image.size()) * kernel.width * kernel.height * bytes_per_float;
  // Each channel is transformed forward and back, and the kernel forward.
  transform_ =
      (2 * channels + 1) * padded * (cost_of_point + cost_of_step * std::log2(padded)) * bytes_per_float;
}

Method Costs::chosen(Method asked) const {
  if (asked != Method::automatic) return asked;
  return direct_ <= transform_ ? Method::direct : Method::transform;
}

std::string Costs::remark(Method asked) const {
  return fmt::format("convolution by {}, {}: estimated cost {:.3g} direct, {:.3g} by transform",
                     chosen(asked) == Method::direct ? "sums (direct)" : "the product of spectra (transform)",
                     asked == Method::automatic ? "which is cheaper" : "as 'method' asks", direct_,
                     transform_);
}

}  // namespace spectrum
