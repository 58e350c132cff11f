// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline.hpp"

namespace kmeans {

std::int64_t most_clusters(ElementType type, std::int64_t points, std::int64_t dimensions, Bounds bounds) {
  const int windows = type == ElementType::float64   ? Windows::most_of<double>(points)
                      : type == ElementType::float32 ? Windows::most_of<float>(points)
                                                     : 1;
  const std::int64_t of_none = ClusterSums::bytes(0, dimensions, windows);
  // With bounds there are two sums of changes, and two numbers beside them.
  const std::int64_t most = std::numeric_limits<int>::max();
  return ((bounds == Bounds::none ? most : most / 2 - 8) - of_none) /
         (ClusterSums::bytes(1, dimensions, windows) - of_none);
}

Pipeline rows_pipeline(ElementType type, const Box& domain, const Task& task) {
  return type == ElementType::float64 ? make_pipeline<double, 2, 1>(domain, task)
                                      : make_pipeline<float, 2, 1>(domain, task);
}

}  // namespace kmeans
