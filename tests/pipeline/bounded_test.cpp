// SPDX-License-Identifier: BSD-3-Clause
// Stages that end at a domain, wherever they are computed, against plain loops.
#include <gtest/gtest.h>

#include <limits>

#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
#include "tessera/view/reductions.hpp"

namespace {

using namespace tessera;
using test::Point;
using Image = test::WholeArray<std::int32_t>;

struct Cross {
  int reach;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x - reach, y) + in(x + 1, y) * 2 - in(x, y + reach) + in(x, y - 1) % 7 + cast<std::int32_t>(x);
  }
};
struct Shifted {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    return a(x + 2, y - 1) - b(x - 1, y + 2);
  }
};

/// Two bounded stages, one after the other, and what reads both.
struct Sample {
  Box box;
  int reach;
  std::array<BoundaryConditions, 3> boundaries;
  Image image;
  Pipeline pipeline;

  explicit Sample(test::Random& random)
      : box(random.box(2, -3, 1, 24)), reach(random.small(1, 3)), image(box) {
    for (BoundaryConditions& boundary : boundaries) {
      boundary = random.one_of<Boundary>(
          {Boundary::clamp, Boundary::mirror, Boundary::mirror_interior, Boundary::periodic});
      if (random.chance(30)) boundary = BoundaryConditions::of_constant<std::int32_t>(random.small(-5, 5));
    }
    for (std::int32_t& value : image.values) value = static_cast<std::int32_t>(random.between(-99, 99));
    const auto in = pipeline.input<std::int32_t, 2>("in", box, boundaries[0]);
    const auto a = pipeline.stage<std::int32_t>("a", Cross{reach}, in);
    pipeline.bound(a, box, boundaries[1]);
    const auto b = pipeline.stage<std::int32_t>("b", Cross{1}, a);
    pipeline.bound(b, box, boundaries[2]);
    pipeline.output(pipeline.stage<std::int32_t>("out", Shifted(), a, b), box);
    pipeline.output(pipeline.reduce("sum", Sum<std::int32_t>(), b, box));
    pipeline.output(pipeline.reduce("most", Maximum<std::int32_t>(), a, part()));
  }

  /// Returns the part of `a` that is reduced.
  Box part() const {
    Box half = box;
    half[1].begin += half[1].size() / 2;
    return half;
  }

  Image cross(const Image& of, const BoundaryConditions& boundary, int far) const {
    Image result(box);
    test::for_each_point(box, [&](const Point& p) {
      const auto at = [&](std::int64_t dx, std::int64_t dy) {
        return of.bounded(boundary, {{p[0] + dx, p[1] + dy, 0, 0}});
      };
      result.at(p) =
          at(-far, 0) + at(1, 0) * 2 - at(0, far) + at(0, -1) % 7 + static_cast<std::int32_t>(p[0]);
    });
    return result;
  }
};

#ifdef TESSERA_TEST_FEWER
constexpr int cases = 50;
#else
constexpr int cases = 200;
#endif

TEST(BoundedStages, MayBeComputedAnywhere) {
  test::Random random(641);
  for (int i = 0; i < cases; ++i) {
    const Sample sample(random);
    const Schedule schedule = test::random_schedule(random, sample.pipeline);
    Target target;
    target.threads = random.small(1, 2);
    target.device = !runs_on_host || random.chance(30);
    const int ranks = random.chance(50) ? random.small(1, 6) : test::random_rank_count(random);
    std::vector<Plan> plans;
    for (int rank = 0; rank < ranks; ++rank)
      plans.push_back(make_plan(sample.pipeline, schedule, target, ranks, rank));
    const std::string text = test::to_string(schedule) + " on " + std::to_string(ranks);
    test::ArraySource<std::int32_t> source(sample.image);
    test::ArraySink<std::int32_t> out(sample.box), most(Box{{0, 1}});
    test::ArraySink<std::int64_t> sum(Box{{0, 1}});
    Rehearsal(sample.pipeline, plans)
        .run({{{"in", &source}}, {{"out", &out}, {"sum", &sum}, {"most", &most}}});
    const Image a = sample.cross(sample.image, sample.boundaries[0], sample.reach);
    const Image b = sample.cross(a, sample.boundaries[1], 1);
    std::int64_t total = 0;
    std::int32_t greatest = std::numeric_limits<std::int32_t>::lowest();
    std::int64_t wrong = 0;
    test::for_each_point(sample.box, [&](const Point& p) {
      total += b.at(p);
      if (contains(sample.part(), p)) greatest = std::max(greatest, a.at(p));
      wrong += out.array.at(p) != a.bounded(sample.boundaries[1], {{p[0] + 2, p[1] - 1, 0, 0}}) -
                                      b.bounded(sample.boundaries[2], {{p[0] - 1, p[1] + 2, 0, 0}});
    });
    EXPECT_EQ(wrong, 0) << text;
    EXPECT_EQ(sum.array.at({}), total) << text;
    EXPECT_EQ(most.array.at({}), greatest) << text;
  }
}

/// Sums so far, along y.
struct SumsDown {
  template <class Line, class In, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& in, Coord x) const {
    auto sum = in.zero();
    for (int y = 0; y < line.extent(); ++y) {
      sum += in(x + 1, y);
      line(y) = sum;
    }
  }
};
struct BeyondLines {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x - 1, y + 2) - in(x + 2, y - 1);
  }
};

TEST(BoundedStages, OfWholeLinesHaveBordersToo) {
  test::Random random(642);
  for (int i = 0; i < 60; ++i) {
    Box box = random.box(2, -3, 1, 16);
    box[1] = {0, box[1].size()};
    const auto boundary = random.one_of<Boundary>({Boundary::clamp, Boundary::mirror});
    Image image(box), sums(box);
    for (std::int32_t& value : image.values) value = static_cast<std::int32_t>(random.between(-99, 99));
    Pipeline pipeline;
    const auto in = pipeline.input<std::int32_t, 2>("in", box, Boundary::clamp);
    const auto lines =
        pipeline.columns<std::int32_t, 2, 1>("lines", SumsDown(), static_cast<int>(box[1].size()), in);
    pipeline.bound(lines, box, boundary);
    pipeline.output(pipeline.stage<std::int32_t>("out", BeyondLines(), lines), box);
    Schedule schedule;
    schedule.grid = {{0, 1}};
    schedule.stages["lines"].placement = static_cast<Placement>(random.small(0, 3));
    schedule.stages["out"].tile = test::random_tile(random, 2);
    test::ArraySource<std::int32_t> source(image);
    test::ArraySink<std::int32_t> out(box);
    Rehearsal(pipeline, make_plans(pipeline, schedule, {}, random.small(1, 5)))
        .run({{{"in", &source}}, {{"out", &out}}});
    test::for_each_point(box, [&](const Point& p) {
      for (std::int64_t y = 0; y <= p[1]; ++y) sums.at(p) += image.clamped({{p[0] + 1, y, 0, 0}});
    });
    std::int64_t wrong = 0;
    test::for_each_point(box, [&](const Point& p) {
      wrong += out.array.at(p) != sums.bounded(boundary, {{p[0] - 1, p[1] + 2, 0, 0}}) -
                                      sums.bounded(boundary, {{p[0] + 2, p[1] - 1, 0, 0}});
    });
    EXPECT_EQ(wrong, 0) << test::to_string(schedule);
  }
}

}  // namespace
