// SPDX-License-Identifier: BSD-3-Clause
#include "apps/bilateral_grid/stages.hpp"

#include "pipelines/pipeline_case.hpp"

namespace bench {

Cases bilateral_grid_cases(Size size) {
  return {{"bilateral_grid", "f32", "bilateral_grid", bilateral_grid::make_pipeline(box_of(size), 0.1f),
           "smoothed", filled<float>(synthetic<float>), 8 * points(size)}};
}

}  // namespace bench
