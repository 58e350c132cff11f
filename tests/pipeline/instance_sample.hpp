// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pipeline/array_source.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/schedule/schedule.hpp"

namespace tessera::test {

struct Smooth {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return (in(x - 1, y) + in(x, y + 1) + in(x + 1, y - 1)) * 0.25f;
  }
};
struct TwoSlopes {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return pack(in(x + 1, y) - in(x, y), cast<double>(in(x, y + 1) - in(x, y)));
  }
};
struct Join {
  template <class A, class B, class Mean, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, const Mean& mean, Coord x, Coord y) const {
    return a(x, y - 1) + cast<float>(b(x - 2, y)) - cast<float>(mean(0));
  }
};

/// Exchanges, fused stages, several outputs and a reduction that is read: "out" of "in", and its "greatest".
struct InstanceSample {
  Box box;
  Pipeline pipeline;
  Schedule schedule;

  explicit InstanceSample(const Box& image, std::size_t periodic_dimension = 0) : box(image) {
    BoundaryConditions conditions(Boundary::clamp);
    conditions.side[periodic_dimension] = {Boundary::periodic, Boundary::periodic};
    const auto in = pipeline.input<float, 2>("in", box, conditions);
    const auto smooth = pipeline.stage<float>("smooth", Smooth(), in);
    const auto [dx, dy] = pipeline.stages<TypeList<float, double>>({"dx", "dy"}, TwoSlopes(), smooth);
    const auto mean = pipeline.reduce("mean", Mean<float>(), dx, box);
    const auto out = pipeline.stage<float>("out", Join(), dx, dy, mean);
    pipeline.fusable(smooth, dx);
    pipeline.output(out, box);
    pipeline.output(pipeline.reduce("greatest", Maximum<float>(), out, box));
    schedule.stages["smooth"].placement = Placement::tile;
    schedule.overlap = Overlap::on;
  }
};

}  // namespace tessera::test
