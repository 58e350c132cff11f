// SPDX-License-Identifier: BSD-3-Clause
#include "apps/interpolate/stages.hpp"

#include "pipelines/pipeline_case.hpp"

namespace bench {

/// A quarter of the points, here and there, is opaque.
Cases interpolate_cases(Size size) {
  const auto sample = [](int x, int y, int c) {
    return c < 3 ? synthetic<float>(x, y, c) : synthetic_hash(x, y, 7) >> 30 == 0 ? 1.0f : 0.0f;
  };
  return {{"interpolate", "f32x4-f32x3", "interpolate", interpolate::make_pipeline<float>(box_of(size, 4)),
           filled<float>(sample)}};
}

}  // namespace bench
