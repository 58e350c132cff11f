// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline.hpp"

namespace kmeans {

std::int64_t most_clusters(ElementType type, std::int64_t points, std::int64_t dimensions) {
  const int windows = type == ElementType::float64   ? Windows::most_of<double>(points)
                      : type == ElementType::float32 ? Windows::most_of<float>(points)
                                                     : 1;
  return (std::numeric_limits<int>::max() / 8 - ClusterSums::first_count) / (1 + dimensions * windows);
}

Pipeline rows_pipeline(ElementType type, const Box& domain, const Task& task) {
  return type == ElementType::float64 ? PipelineBuilder<double, 2, 1>(domain, task).make()
                                      : PipelineBuilder<float, 2, 1>(domain, task).make();
}

}  // namespace kmeans
