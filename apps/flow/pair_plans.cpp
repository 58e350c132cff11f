// SPDX-License-Identifier: BSD-3-Clause
#include "pair_plans.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "level.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"

namespace flow {
namespace {

using namespace tessera;

/// Plans a pipeline for one thread, which has this share of the cache.
Planned planned(Pipeline pipeline, std::int64_t cache_bytes) {
  auto result = std::make_shared<graph::PlannedPipeline>();
  const Target target{.threads = 1, .device = !runs_on_host, .cache_bytes = runs_on_host ? cache_bytes : 0};
  result->plan = make_plan(pipeline, {}, target, 1, 0);
  result->algorithm = std::move(pipeline);
  return result;
}

/// Declares the pyramids of both frames, and the derivatives of the second one.
Pipeline pyramids_of(const Box& frame, ElementType type, const std::vector<Box>& boxes,
                     const Settings& settings) {
  Pipeline pipeline;
  const Pyramids pyramids = add_pyramids(pipeline, frame, type, settings);
  for (std::size_t level = 0; level < boxes.size(); ++level) {
    for (const Plane plane : {pyramids.first[level], pyramids.second[level]})
      pipeline.output(plane, boxes[level]);
    add_derivatives(pipeline, static_cast<int>(level), boxes, settings, pyramids.second[level]);
  }
  return pipeline;
}

Pipeline results_of(const Box& frame, ElementType type, const Box& box, const Extras& extras) {
  Pipeline pipeline;
  const Plane u = pipeline.input<float, 2>("u_0", box), v = pipeline.input<float, 2>("v_0", box);
  std::optional<Backdrop> backdrop;
  if (extras.blend) backdrop = add_backdrop(pipeline, frame, type);
  add_results(pipeline, {u, v}, box, extras, backdrop);
  return pipeline;
}

}  // namespace

PairPlans::PairPlans(const Box& frame, ElementType type, const Settings& settings, const Extras& extras,
                     std::int64_t cache_bytes)
    : extras_(extras), has_diffusivity_(settings.penalty == Penalty::charbonnier) {
  const std::vector<Box> boxes = level_boxes(frame, settings);
  const auto plan = [&](Pipeline pipeline) { return planned(std::move(pipeline), cache_bytes); };
  pyramids_ = plan(pyramids_of(frame, type, boxes, settings));
  for (int level = 0; level < static_cast<int>(boxes.size()); ++level) {
    levels_.push_back({plan(make_begin(level, boxes, settings)), plan(make_equations(level, boxes, settings)),
                       plan(make_turn(level, boxes, settings)), nullptr});
    if (settings.warp_tolerance > 0) levels_.back().compare = plan(make_comparison(level, boxes, settings));
  }
  results_ = plan(results_of(frame, type, boxes[0], extras));
  note_points();
}

void PairPlans::note_points() {
  std::vector<Planned> plans{pyramids_, results_};
  for (const LevelPlans& level : levels_)
    plans.insert(plans.end(), {level.begin, level.linearise, level.turn, level.compare});
  for (const Planned& planned : plans) {
    if (planned == nullptr) continue;
    for (const ArrayDeclaration& array : planned->algorithm.arrays()) {
      Box& points = points_[array.name];
      points = hull(points, points_in_memory(planned->algorithm, planned->plan, array.name));
    }
  }
}

Box PairPlans::points_of(const std::vector<std::string>& names) const {
  Box points;
  for (const std::string& name : names)
    if (const auto found = points_.find(name); found != points_.end()) points = hull(points, found->second);
  return points;
}

}  // namespace flow
