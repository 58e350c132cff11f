// SPDX-License-Identifier: BSD-3-Clause
#include "apps/sobel/stages.hpp"

#include "pipelines/pipeline_case.hpp"

namespace bench {
namespace {

template <class T>
PipelineCase case_of(Size size) {
  return {"sobel",
          short_name<T>(),
          "sobel",
          sobel::make_pipeline<T, 2>(box_of(size)),
          "sobel",
          filled<T>(synthetic<T>),
          2 * points(size) * sizeof(T)};
}

}  // namespace

Cases sobel_cases(Size size) {
  return {case_of<std::uint8_t>(size), case_of<std::uint16_t>(size), case_of<float>(size)};
}

}  // namespace bench
