// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "apps/stereo/pipeline.hpp"
#include "pipelines/pipeline_case.hpp"

namespace bench {
namespace {

using Byte = std::uint8_t;

/// Returns the disparity of the square in which a pixel lies.
int true_disparity(int x, int y) { return static_cast<int>(synthetic_hash(x >> 7, y >> 7, 41) & 15); }

/// Returns a point of match image number `i`, counted from 1: the reference shifted by the disparity that its
/// own point has, with less contrast and with noise.
Byte match(int i, int x, int y) {
  const int source = std::max(0, x - i * true_disparity(x, y));
  return static_cast<Byte>(synthetic<Byte>(source, y) * 15 / 16 +
                           static_cast<int>(synthetic_hash(x, y, 41 + i) >> 28));
}

Cases cases_of(const char* benchmark, Size size, int matches) {
  stereo::Settings settings{.baselines = {},
                            .direction = tessera::operators::ShiftDirection::right,
                            .disparities = std::min<int>(16, static_cast<int>(size.width))};
  for (int i = 1; i <= matches; ++i) settings.baselines.push_back(i);
  PipelineCase the_case = simple_case<Byte>(
      benchmark, stereo::make_pipeline(box_of(size), tessera::ElementType::uint8, settings), synthetic<Byte>);
  the_case.application = "stereo";
  for (int i = 1; i <= matches; ++i)
    the_case.fill_further.emplace("match_" + std::to_string(i),
                                  filled<Byte>([i](int x, int y, int) { return match(i, x, y); }));
  return {the_case};
}

}  // namespace

Cases stereo_cases(Size size) { return cases_of("stereo", size, 2); }
Cases stereo4_cases(Size size) { return cases_of("stereo4", size, 4); }

}  // namespace bench
