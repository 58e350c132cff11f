// SPDX-License-Identifier: BSD-3-Clause
#include "apps/transpose/stages.hpp"

#include "pipelines/pipeline_case.hpp"

namespace bench {
namespace {

template <class T>
PipelineCase case_of(Size size) {
  return simple_case<T>("transpose", transpose::make_pipeline<T, 2>(box_of(size)), synthetic<T>);
}

}  // namespace

Cases transpose_cases(Size size) { return {case_of<std::uint16_t>(size), case_of<float>(size)}; }

}  // namespace bench
