// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/operators/image_metrics.hpp"

namespace compare {

/// A difference as a float.
struct Narrowed {
  template <class In, class... Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord... at) const {
    return tessera::cast<float>(in(at...));
  }
};

/// Returns the pipeline that computes the numbers `maximum`, `mean`, `psnr` and `differing` of two images,
/// and the image `difference` if `wants_image`.
template <class T, int N>
tessera::Pipeline make_pipeline(const tessera::Box& image, double peak, bool wants_image) {
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<T, N>("input", image);
  const auto other = pipeline.input<T, N>("other", image);
  const auto numbers = tessera::add_differences(pipeline, input, other, image, peak);
  pipeline.output(numbers.maximum);
  pipeline.output(numbers.mean);
  pipeline.output(numbers.psnr);
  pipeline.output(numbers.differing);
  if (wants_image)
    pipeline.output(pipeline.stage<float>("difference", Narrowed(), numbers.differences), image);
  return pipeline;
}

}  // namespace compare
