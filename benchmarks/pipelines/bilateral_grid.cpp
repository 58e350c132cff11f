// SPDX-License-Identifier: BSD-3-Clause
#include "apps/bilateral_grid/stages.hpp"

#include "pipelines/pipeline_case.hpp"

namespace bench {

Cases bilateral_grid_cases(Size size) {
  return {simple_case<float>("bilateral_grid", bilateral_grid::make_pipeline(box_of(size), 0.1f),
                             synthetic<float>)};
}

}  // namespace bench
