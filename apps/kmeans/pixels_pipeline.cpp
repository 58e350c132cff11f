// SPDX-License-Identifier: BSD-3-Clause
// This file is separate from rows_pipeline.cpp, as each of them takes half a minute to compile.
#include "pipeline.hpp"

namespace kmeans {
namespace {

template <class In>
Pipeline pipeline_of(const Box& domain, const Task& task) {
  return domain.dimensions == 2 ? PipelineBuilder<In, 2, 2>(domain, task).make()
                                : PipelineBuilder<In, 3, 2>(domain, task).make();
}

}  // namespace

Pipeline pixels_pipeline(ElementType type, const Box& domain, const Task& task) {
  return type == ElementType::uint16 ? pipeline_of<std::uint16_t>(domain, task)
                                     : pipeline_of<std::uint8_t>(domain, task);
}

}  // namespace kmeans
