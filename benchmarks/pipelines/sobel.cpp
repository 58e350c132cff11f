// SPDX-License-Identifier: BSD-3-Clause
#include "apps/sobel/stages.hpp"

#include "pipelines/pipeline_case.hpp"

namespace bench {
namespace {

template <class T>
PipelineCase case_of(Size size) {
  return simple_case<T>("sobel", sobel::make_pipeline<T, 2>(box_of(size)), synthetic<T>);
}

}  // namespace

Cases sobel_cases(Size size) {
  return {case_of<std::uint8_t>(size), case_of<std::uint16_t>(size), case_of<float>(size)};
}

}  // namespace bench
