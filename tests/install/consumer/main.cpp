// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

/// A user's stages: the difference to the right neighbour, and its square.
struct Difference {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x + 1, y) - in(x, y);
  }
};
struct Square {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y) * in(x, y);
  }
};

/// Calls `use` with every element of a block of floats.
template <class Use>
void for_each(const tessera::HostBlock& block, const Use& use) {
  const tessera::Box& box = block.box;
  for (auto y = box[1].begin; y < box[1].end; ++y)
    for (auto x = box[0].begin; x < box[0].end; ++x)
      use(x, reinterpret_cast<float*>(
                 block.data)[(y - box[1].begin) * block.strides[1] + (x - box[0].begin) * block.strides[0]]);
}

/// The image in(x, y) = x * x.
struct Source final : tessera::BlockSource {
  void read(const tessera::HostBlock& block) override {
    for_each(block, [](auto x, float& value) { value = static_cast<float>(x * x); });
  }
};

/// Expects (2x + 1)^2, and 0 at the right border, and counts the points.
struct Sink final : tessera::BlockSink {
  void write(const tessera::HostBlock& block) override {
    for_each(block, [this](auto x, float value) {
      const auto root = x == 19 ? 0 : static_cast<float>(2 * x + 1);
      wrong += value != root * root;
      ++points;
    });
  }
  int points = 0;
  int wrong = 0;
};

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  tessera::Pipeline pipeline;
  const auto in = pipeline.input<float, 2>("in", {{0, 20}, {0, 10}}, tessera::Boundary::clamp);
  const auto difference = pipeline.stage<float>("difference", Difference{}, in);
  pipeline.output(pipeline.stage<float>("square", Square{}, difference));

  tessera::Schedule schedule;
  schedule.grid = {{2, 0}};
  Source source;
  Sink sink;
  tessera::Rehearsal(pipeline, tessera::make_plans(pipeline, schedule, {}, 6))
      .run({{{"in", &source}}, {{"square", &sink}}});
  std::printf("%d points, %d of them wrong\n", sink.points, sink.wrong);
  return sink.points == 200 && sink.wrong == 0 ? 0 : 1;
}
