// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline.hpp"

namespace kmeans {
namespace {

template <class In>
Pipeline pipeline_of(const Box& domain, const Task& task) {
  return domain.dimensions == 2 ? make_pipeline<In, 2, 2>(domain, task)
                                : make_pipeline<In, 3, 2>(domain, task);
}

}  // namespace

Pipeline pixels_pipeline(ElementType type, const Box& domain, const Task& task) {
  return type == ElementType::uint16 ? pipeline_of<std::uint16_t>(domain, task)
                                     : pipeline_of<std::uint8_t>(domain, task);
}

}  // namespace kmeans
