// SPDX-License-Identifier: BSD-3-Clause
#include "apps/wavelet/stages.hpp"

#include "pipelines/pipeline_case.hpp"

namespace bench {

Cases wavelet_cases(Size size) {
  if (size.width < 2)
    throw tessera::InputError("wavelet takes images two points wide or wider, not " + size.text());
  return {simple_case<float>("wavelet", wavelet::make_pipeline(box_of(size)), synthetic<float>)};
}

}  // namespace bench
