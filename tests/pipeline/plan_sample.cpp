// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/plan_sample.hpp"

#include "apps/blur/stages.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/body/functions.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/view/reductions.hpp"

namespace tessera::test {
namespace {

struct Halve {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return (in(x - 1, y) + in(x, y + 1)) / 2;
  }
};
struct Scale {
  template <class In, class Sum, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Sum& sum, Coord x, Coord y) const {
    return in(x, y) * sum(0);
  }
};

}  // namespace

Pipeline sample_pipeline(int width, int height) {
  Pipeline pipeline;
  const Box box{{0, width}, {0, height}};
  const auto input = pipeline.input<float, 2>("input", box, Boundary::clamp);
  const auto most = pipeline.reduce("most", Maximum<float>(), input);
  const auto a = pipeline.stage<float>("a", Halve{}, input);
  const auto b = pipeline.stage<float>("b", Halve{}, a);
  pipeline.output(pipeline.stage<float>("out", Scale{}, b, most));
  return pipeline;
}

template <class T>
Pipeline blur_pipeline(const Box& image, const Box& result) {
  return blur::make_pipeline<T, 2>(image, result, Boundary::clamp);
}
template Pipeline blur_pipeline<float>(const Box&, const Box&);
template Pipeline blur_pipeline<std::uint16_t>(const Box&, const Box&);

Pipeline looping_pipeline() {
  Pipeline pipeline;
  const Box box{{0, 16}, {0, 12}};
  const auto u = pipeline.input<float, 2>("u", box, Boundary::clamp);
  pipeline.repeat("smooth", 4, [&](const Pipeline::Loop& loop) {
    loop.until(pipeline.reduce("most", Maximum<float>(), u, box));
    loop.feed(pipeline.stage<float>("next", Halve{}, u), u);
  });
  pipeline.output(u);
  return pipeline;
}

}  // namespace tessera::test
