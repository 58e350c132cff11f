// SPDX-License-Identifier: BSD-3-Clause
#include "pipelines/pipeline_case.hpp"

#include <algorithm>

namespace bench {

const std::vector<Benchmark>& all_benchmarks() {
  static const std::vector<Benchmark> benchmarks{{"bilateral_grid", bilateral_grid_cases},
                                                 {"blur", blur_cases},
                                                 {"box3", box3_cases},
                                                 {"camera_pipe", camera_pipe_cases},
                                                 {"equalize", equalize_cases},
                                                 {"interpolate", interpolate_cases},
                                                 {"local_laplacian", local_laplacian_cases},
                                                 {"local_laplacian10", local_laplacian10_cases},
                                                 {"resize", resize_cases},
                                                 {"sobel", sobel_cases},
#ifdef TESSERA_HAS_STEREO
                                                 {"stereo", stereo_cases},
                                                 {"stereo4", stereo4_cases},
#endif
                                                 {"transpose", transpose_cases},
                                                 {"wavelet", wavelet_cases}};
  return benchmarks;
}

const tessera::ArrayDeclaration& PipelineCase::output() const {
  return *std::ranges::find_if(pipeline.arrays(), &tessera::ArrayDeclaration::is_output);
}

double PipelineCase::bytes() const {
  double sum = 0;
  for (const tessera::ArrayDeclaration& array : pipeline.arrays())
    if (array.is_input() || array.is_output)
      sum += static_cast<double>(array.domain.size()) * static_cast<double>(size_of(array.type));
  return sum;
}

}  // namespace bench
