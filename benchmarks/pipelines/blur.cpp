// SPDX-License-Identifier: BSD-3-Clause
#include "apps/blur/stages.hpp"

#include "pipelines/pipeline_case.hpp"

namespace bench {
namespace {

using Pixel = std::uint16_t;

/// The mean of three as the peers define it: in uint16, whose sum may wrap.
struct PeersMean {
  template <class V>
  KOKKOS_FUNCTION auto operator()(const V& a, const V& b, const V& c) const {
    return tessera::cast<Pixel>(tessera::cast<Pixel>(a + b + c) / 3);
  }
};

}  // namespace

/// Blurs an image that is one point larger on each side and has 12 bits, so that no sum of three wraps.
Cases blur_cases(Size size) {
  const tessera::Box image{{-1, size.width + 1}, {-1, size.height + 1}};
  const auto sample = [](int x, int y, int) {
    return static_cast<Pixel>(synthetic_sample(x + 1, y + 1) >> 4);
  };
  return {simple_case<Pixel>(
      "blur", blur::make_pipeline<Pixel, 2, PeersMean>(image, box_of(size), tessera::Boundary::none),
      sample)};
}

}  // namespace bench
