// SPDX-License-Identifier: BSD-3-Clause
#include "apps/equalize/stages.hpp"

#include "pipelines/pipeline_case.hpp"

namespace bench {

Cases equalize_cases(Size size) {
  using Pixel = std::uint8_t;
  return {simple_case<Pixel>("equalize", equalize::make_pipeline<Pixel, 2>(box_of(size)), synthetic<Pixel>)};
}

}  // namespace bench
