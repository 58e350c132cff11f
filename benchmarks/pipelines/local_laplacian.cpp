// SPDX-License-Identifier: BSD-3-Clause
#include "apps/local_laplacian/stages.hpp"

#include "pipelines/pipeline_case.hpp"

namespace bench {
namespace {

Cases with_levels(const char* name, int levels, Size size) {
  return {{name, "u16x3", "local_laplacian",
           local_laplacian::make_pipeline(box_of(size, 3), {.levels = levels}),
           filled<std::uint16_t>(synthetic<std::uint16_t>)}};
}

}  // namespace

Cases local_laplacian_cases(Size size) { return with_levels("local_laplacian", 8, size); }
Cases local_laplacian10_cases(Size size) { return with_levels("local_laplacian10", 10, size); }

}  // namespace bench
