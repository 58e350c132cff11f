// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stages/bodies.hpp"
#include "stages/images.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace bench {

/// Three boxes of 3x3 floats, one of the other.
inline tessera::Pipeline three_boxes(Size size) {
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<float, 2>("input", box_of(size, 3, 3));
  const auto first = pipeline.stage<float>("first", Box3x3{}, input);
  const auto second = pipeline.stage<float>("second", Box3x3{}, first);
  pipeline.output(pipeline.stage<float>("third", Box3x3{}, second), box_of(size));
  return pipeline;
}

/// The first two stages of three_boxes there.
inline tessera::Schedule boxes_placed(tessera::Placement placement) {
  tessera::Schedule schedule;
  for (const char* stage : {"first", "second"}) schedule.stages[stage].placement = placement;
  return schedule;
}

}  // namespace bench
