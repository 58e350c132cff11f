// SPDX-License-Identifier: BSD-3-Clause
#include "apps/kmeans/pipeline.hpp"
#include "pipelines/pipeline_case.hpp"

namespace bench {
namespace {

constexpr int clusters = 64;
constexpr int turns = 20;

/// The points lie around as many places as there are clusters. All numbers are exact in float.
float place(std::uint32_t of_place, std::uint32_t of_noise) {
  return static_cast<float>((of_place >> 16) + (of_noise >> 16) * 5 / 4) / 65536.0f;
}
float point(int i, int j) {
  const auto group = static_cast<int>(synthetic_hash(i, 0, 51) % clusters);
  return place(synthetic_hash(group, j, 52), synthetic_hash(i, j, 53));
}
float centre(int k, int j) { return place(synthetic_hash(k, j, 52), std::uint32_t{32768} << 16); }

}  // namespace

Cases kmeans_cases(Size size) {
  if (size.width < clusters)
    throw tessera::InputError("kmeans: the size is the number of points, at least 64, x their coordinates");
  PipelineCase the_case{
      "kmeans", "f32", "kmeans",
      kmeans::rows_pipeline(tessera::ElementType::float32, {{0, size.height}, {0, size.width}},
                            {.clusters = clusters,
                             .turns = turns,
                             .tolerance = -1,
                             .given = tessera::ElementType::float32,
                             .has_labels_only = true}),
      filled<float>([](int x, int y, int) { return point(y, x); })};
  the_case.fill_further.emplace("start", filled<float>([](int x, int y, int) { return centre(y, x); }));
  the_case.turns = turns;
  return {the_case};
}

}  // namespace bench
