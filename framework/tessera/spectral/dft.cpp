// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/spectral/dft.hpp"

#include <fmt/format.h>

#include <limits>

#include "tessera/domain/error.hpp"

namespace tessera::spectral {
namespace detail {

int transformed_points(std::string_view name, const Box& domain, int dimension) {
  const Range& points = domain[dimension];
  if (points.begin != 0 || points.empty() || points.end > std::numeric_limits<int>::max())
    throw InternalError(
        fmt::format("the Fourier transform '{}' takes points from 0 on, not {}", name, to_string(domain)));
  return static_cast<int>(points.end);
}

void check_transformed(std::string_view name, const Box& domain, int dimensions, int transformed) {
  if (domain.dimensions != dimensions || transformed < 1 || transformed > dimensions)
    throw InternalError(
        fmt::format("the Fourier transform '{}' of {} dimensions does not fit {} in {} dimensions", name,
                    transformed, to_string(domain), dimensions));
}

std::string stage_name(std::string_view name, int dimension, int last) {
  constexpr std::string_view axes[] = {"x", "y", "z", "w"};
  return dimension == last ? std::string(name) : fmt::format("{}_{}", name, axes[dimension]);
}

}  // namespace detail

Box half_spectrum(Box domain) {
  domain[0].end = domain[0].begin + domain[0].size() / 2 + 1;
  return domain;
}

}  // namespace tessera::spectral
