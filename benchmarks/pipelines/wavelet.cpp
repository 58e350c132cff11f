// SPDX-License-Identifier: BSD-3-Clause
#include "apps/wavelet/stages.hpp"

#include "pipelines/pipeline_case.hpp"

namespace bench {

Cases wavelet_cases(Size size) {
  if (size.width < 2)
    throw tessera::InputError("wavelet takes images two points wide or wider, not " + size.text());
  return {{"wavelet", "f32", "wavelet", wavelet::make_pipeline(box_of(size)), "bands",
           filled<float>(synthetic<float>), 4 * points(size) + 8.0 * (size.width / 2) * size.height}};
}

}  // namespace bench
