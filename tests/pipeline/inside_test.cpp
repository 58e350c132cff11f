// SPDX-License-Identifier: BSD-3-Clause
// Bodies that ask whether a neighbour is outside the domain, against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/body/functions.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::Point;
using Image = test::WholeArray<std::int32_t>;

/// The mean of those of the neighbours above, below, on the left and on the right that lie in the domain,
/// rounded down; -1 if none does.
struct MeanInside {
  Inside<2> inside;
  int reach;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    auto sum = in.zero();
    auto count = in.zero();
    const auto add = [&](auto i, auto j) {
      sum = sum + select(inside(i, j), in(i, j), 0);
      count = count + select(inside(i, j), 1, 0);
    };
    add(x - reach, y);
    add(x + reach, y);
    add(x, y - 1);
    add(x, y + 1);
    return select(count > 0, sum / max(count, 1), -1);
  }
};

/// The point on the left, or 7 where there is none; a branch, not a selection.
struct LeftOrSeven {
  Inside<2> inside;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    auto value = in.zero() + 7;
    if (inside(x - 1, y)) value = in(x - 1, y) + 0;
    return value;
  }
};

std::int32_t mean_inside(const Image& image, const Point& p, int reach) {
  std::int32_t sum = 0, count = 0;
  for (const Point& q : {Point{{p[0] - reach, p[1], 0, 0}}, Point{{p[0] + reach, p[1], 0, 0}},
                         Point{{p[0], p[1] - 1, 0, 0}}, Point{{p[0], p[1] + 1, 0, 0}}})
    if (contains(image.box, q)) {
      sum += image.at(q);
      ++count;
    }
  return count > 0 ? sum / count : -1;
}

TEST(Inside, NeighboursOutsideAreLeftOut) {
  test::Random random(2911);
  for (int i = 0; i < 150; ++i) {
    const Box box = random.box(2, -3, 1, 20);
    const int reach = random.small(1, 4);
    Image image(box), mean(box), expected(box);
    for (std::int32_t& value : image.values) value = static_cast<std::int32_t>(random.between(0, 99));
    Pipeline pipeline;
    const Inside<2> inside(box);
    // The value that the boundary condition gives is not used.
    const auto in =
        pipeline.input<std::int32_t, 2>("in", box, BoundaryConditions::of_constant<std::int32_t>(12345));
    const auto stage = pipeline.stage<std::int32_t>("mean", MeanInside{inside, reach}, in);
    pipeline.bound(stage, box, Boundary::clamp);
    pipeline.output(pipeline.stage<std::int32_t>("left", LeftOrSeven{inside}, stage), box);

    test::for_each_point(box, [&](const Point& p) { mean.at(p) = mean_inside(image, p, reach); });
    test::for_each_point(box, [&](const Point& p) {
      expected.at(p) = p[0] > box[0].begin ? mean.at({{p[0] - 1, p[1], 0, 0}}) : 7;
    });
    const Schedule schedule = test::random_schedule(random, pipeline);
    const int ranks = random.small(1, 6);
    test::ArraySource<std::int32_t> source(image);
    test::ArraySink<std::int32_t> sink(box);
    Rehearsal(pipeline, make_plans(pipeline, schedule, {}, ranks))
        .run({{{"in", &source}}, {{"left", &sink}}});
    EXPECT_EQ(sink.array.values, expected.values) << test::to_string(schedule) << " on " << ranks;
  }
}

}  // namespace
