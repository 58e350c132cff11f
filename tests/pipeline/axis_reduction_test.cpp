// SPDX-License-Identifier: BSD-3-Clause
// Reductions along one dimension, whose lines are divided among ranks and tiles, against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pipeline/reduction_runs.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/view/reductions.hpp"

namespace {

using namespace tessera;
using test::Point;

struct Half {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return (in(x - 1, y) + in(x + 1, y)) * 0.5f;
  }
};
struct LowBits {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return cast<std::uint8_t>(cast<int>(in(x, y)) % 5);
  }
};
/// A point less the mean of its column, which the array of sums has.
struct LessMean {
  int first;
  float rows;
  template <class In, class Sums, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Sums& sums, Coord x, Coord y) const {
    return in(x, y) - sums(x - first) / rows;
  }
};

/// A stage is summed along y and looked at along x, over a box that is not the whole image, and its sums are
/// read again.
struct Sample {
  Box box, over;
  Pipeline pipeline;
  test::WholeArray<float> image, less;
  std::vector<float> sums, greatest;
  std::vector<std::uint64_t> counts;

  explicit Sample(test::Random& random) : box(random.box(2, -4, 3, 30)), over(box), image(box), less(box) {
    // The columns are all needed by the stage that reads their sums, and some rows are left out.
    over[1].begin += random.small(0, static_cast<int>(box[1].size()) - 1);
    over[1].end -= random.small(0, static_cast<int>(over[1].size()) - 1);
    for (float& value : image.values) value = static_cast<float>(random.between(0, 99));
    declare();
    compute();
  }

  void declare() {
    const auto in = pipeline.input<float, 2>("in", box, Boundary::clamp);
    const auto half = pipeline.stage<float>("half", Half{}, in);
    const auto columns = pipeline.reduce_along<1>("sums", Sum<float>(), half, over);
    pipeline.output(columns);
    pipeline.output(pipeline.reduce_along<0>("greatest", Maximum<float>(), half, over));
    const auto bits = pipeline.stage<std::uint8_t>("bits", LowBits{}, in);
    pipeline.output(pipeline.reduce_along<0>("counts", Histogram<std::uint8_t, 5>(), bits, over));
    const LessMean body{static_cast<int>(over[0].begin), static_cast<float>(over[1].size())};
    pipeline.output(pipeline.stage<float>("less", body, half, columns), box);
  }

  float half(const Point& p) const {
    const auto at = [&](std::int64_t x) {
      return image.at({{std::clamp(x, box[0].begin, box[0].end - 1), p[1], 0, 0}});
    };
    return (at(p[0] - 1) + at(p[0] + 1)) * 0.5f;
  }

  void compute() {
    const auto width = static_cast<std::size_t>(over[0].size()),
               height = static_cast<std::size_t>(over[1].size());
    sums.assign(width, 0);
    greatest.assign(height, -1);
    counts.assign(5 * height, 0);
    test::for_each_point(over, [&](const Point& p) {
      const auto x = static_cast<std::size_t>(p[0] - over[0].begin),
                 y = static_cast<std::size_t>(p[1] - over[1].begin);
      sums[x] += half(p);  // exact, because the values are multiples of a half
      greatest[y] = std::max(greatest[y], half(p));
      ++counts[5 * y + static_cast<std::size_t>(image.at(p)) % 5];
    });
    test::for_each_point(box, [&](const Point& p) {
      less.at(p) =
          half(p) - sums[static_cast<std::size_t>(p[0] - over[0].begin)] / static_cast<float>(over[1].size());
    });
  }
};

/// The sinks of a sample.
struct Found {
  test::ArraySource<float> source;
  test::ArraySink<float> sums, greatest, less;
  test::ArraySink<std::uint64_t> counts;

  explicit Found(const Sample& sample)
      : source(sample.image),
        sums(Box{{0, sample.over[0].size()}}),
        greatest(Box{{0, sample.over[1].size()}}),
        less(sample.box),
        counts(Box{{0, 5 * sample.over[1].size()}}) {}
  Bindings bindings() {
    return {{{"in", &source}},
            {{"sums", &sums}, {"greatest", &greatest}, {"counts", &counts}, {"less", &less}}};
  }
  void expect_results(const Sample& sample, const std::string& text) const {
    EXPECT_EQ(sums.array.values, sample.sums) << text;
    EXPECT_EQ(greatest.array.values, sample.greatest) << text;
    EXPECT_EQ(counts.array.values, sample.counts) << text;
  }
};

TEST(AxisReduction, AnyScheduleGivesTheSameBits) {
  test::expect_results_by_any_schedule<Sample, Found>(test::Random(2921));
}

TEST(AxisReduction, RanksJoinTheirLines) { test::expect_results_on_ranks<Sample, Found>(test::Random(2922)); }

TEST(AxisReduction, PlanesOfAVolume) {
  const Box box{{0, 4}, {-1, 2}, {3, 8}};
  Pipeline pipeline;
  const auto in = pipeline.input<std::int32_t, 3>("in", box, Boundary::clamp);
  pipeline.output(pipeline.reduce_along<2>("sums", Sum<std::int32_t>(), in, box));
  test::WholeArray<std::int32_t> image(box);
  std::vector<std::int64_t> expected(12, 0);
  test::for_each_point(box, [&](const Point& p) {
    image.at(p) = static_cast<std::int32_t>(p[0] + 10 * p[1] + 100 * p[2]);
    expected[static_cast<std::size_t>(p[0] + 4 * (p[1] + 1))] += image.at(p);
  });
  for (int ranks = 1; ranks < 5; ++ranks) {
    Schedule schedule;
    schedule.grid = {{1, 1, 0}};
    test::ArraySource<std::int32_t> source(image);
    test::ArraySink<std::int64_t> sums(Box{{0, 12}});
    Rehearsal(pipeline, make_plans(pipeline, schedule, {}, ranks))
        .run({{{"in", &source}}, {{"sums", &sums}}});
    EXPECT_EQ(sums.array.values, expected) << ranks;
  }
}

TEST(AxisReduction, NeedsABoxOfItsInput) {
  Pipeline pipeline;
  const auto in = pipeline.input<float, 2>("in", Box{{0, 4}, {0, 4}}, Boundary::clamp);
  EXPECT_THROW(pipeline.reduce_along<0>("a", Sum<float>(), in, Box{}), InternalError);
  EXPECT_THROW(pipeline.reduce_along<0>("b", Sum<float>(), in, Box{{0, 4}}), InternalError);
  const auto stack = pipeline.input<float, 3>("stack", Box{{0, 5000}, {0, 5000}, {0, 9}}, Boundary::clamp);
  EXPECT_THROW(pipeline.reduce_along<2>("c", Sum<float>(), stack, Box{{0, 5000}, {0, 5000}, {0, 9}}),
               InternalError);
}

}  // namespace
