// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/planner/required_boxes.hpp"

#include <fmt/format.h>

#include <limits>

#include "tessera/domain/corners.hpp"
#include "tessera/domain/error.hpp"

namespace tessera {
namespace {

bool is_bounded(const Box& box) {
  for (int d = 0; d < box.dimensions; ++d)
    if (box[d].begin <= std::numeric_limits<int>::lowest() || box[d].end > std::numeric_limits<int>::max())
      return false;
  return true;
}

}  // namespace

void required_boxes(const Algorithm& pipeline, int stage, const Box& box, Box* needs) {
  const ArrayDeclaration& declaration = pipeline[stage];
  if (box.empty()) {
    for (std::size_t i = 0; i < declaration.inputs.size(); ++i)
      needs[i] = no_points(pipeline[declaration.inputs[i]].dimensions);
    return;
  }
  try {
    declaration.kernel->required(box, needs);
  } catch (const InternalError& error) {
    throw InternalError(fmt::format("stage '{}': {}", declaration.name, error.what()));
  }
  for (std::size_t i = 0; i < declaration.inputs.size(); ++i)
    if (!needs[i].empty() && !is_bounded(needs[i]))
      throw InternalError(
          fmt::format("stage '{}' reads '{}' at an index without bounds, {}: limit it with clamp, min or max",
                      declaration.name, pipeline[declaration.inputs[i]].name, to_string(needs[i])));
}

std::vector<Box> required_boxes(const Algorithm& pipeline, int stage, const Box& box) {
  std::vector<Box> needs(pipeline[stage].inputs.size());
  required_boxes(pipeline, stage, box, needs.data());
  return needs;
}

}  // namespace tessera
