// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/plan/cache_traffic.hpp"

#include <vector>

#include "tessera/domain/corners.hpp"

namespace tessera {
namespace {

/// The largest footprint of an input all of whose points count as read for one point. Where an index depends
/// on data, the footprint contains all points that may be read. It is larger then, and counts as
/// `reads_by_data` points.
constexpr std::int64_t largest_stencil = 512, reads_by_data = 16;

}  // namespace

double cache_bytes_per_point(const Algorithm& pipeline, int stage, const Box& points) {
  std::int64_t bytes = 0;
  for (int part : pipeline.parts(stage)) bytes += pipeline[part].element_bytes();
  const std::vector<int>& inputs = pipeline[stage].inputs;
  if (points.empty() || inputs.empty()) return static_cast<double>(bytes);
  std::vector<Box> needs(inputs.size());
  pipeline[stage].kernel->required(centre(points, false), needs.data());
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const std::int64_t reads = needs[i].size() <= largest_stencil ? needs[i].size() : reads_by_data;
    bytes += reads * pipeline[inputs[i]].element_bytes();
  }
  return static_cast<double>(bytes);
}

}  // namespace tessera
