// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline.hpp"

namespace kmeans {

Pipeline rows_pipeline(ElementType type, const Box& domain, const Task& task) {
  return type == ElementType::float64 ? make_pipeline<double, 2, 1>(domain, task)
                                      : make_pipeline<float, 2, 1>(domain, task);
}

}  // namespace kmeans
