// SPDX-License-Identifier: BSD-3-Clause
// K-means by the algorithm of Lloyd, as a loop with reductions by key, against a plain program.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "pipeline/world.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"
#include "tessera/view/reductions.hpp"

namespace {

using namespace tessera;
using test::Point;

/// The number of the centre that is nearest to a point, and the first one of several. Centres follow each
/// other in one array, with all coordinates of one together.
struct Nearest {
  int centres, coordinates;
  template <class Points, class Centres, class Coord>
  KOKKOS_FUNCTION auto operator()(const Points& points, const Centres& at, Coord x, Coord y) const {
    auto nearest = cast<int>(points.zero());
    auto least = points.zero() + std::numeric_limits<float>::max();
    for (int k = 0; k < centres; ++k) {
      auto distance = points.zero();
      for (int c = 0; c < coordinates; ++c) {
        const auto difference = points(x, y, c) - at(k * coordinates + c);
        distance = distance + difference * difference;
      }
      nearest = select(distance < least, k, nearest);
      least = min(least, distance);
    }
    return nearest;
  }
};
/// The place of a coordinate of a point among the coordinates of all centres.
struct Place {
  int coordinates;
  template <class Labels, class Coord>
  KOKKOS_FUNCTION auto operator()(const Labels& labels, Coord x, Coord y, Coord c) const {
    return labels(x, y) * coordinates + cast<int>(c);
  }
};
/// The mean of the points of each centre. A centre without points stays where it is.
struct Moved {
  int coordinates;
  template <class Centres, class Sums, class Counts, class Coord>
  KOKKOS_FUNCTION auto operator()(const Centres& at, const Sums& sums, const Counts& counts, Coord i) const {
    const auto count = cast<float>(counts(i / coordinates));
    return select(count > 0.0f, sums(i) / max(count, 1.0f), at(i));
  }
};
struct First {
  int step;
  template <class Coord>
  KOKKOS_FUNCTION float operator()(Coord i) const {
    return static_cast<float>(Coordinate(i).value * step % 97) * 0.5f - 20;
  }
};
struct AreEqual {
  int count;
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord) const {
    auto unequal = a.zero();
    for (int i = 0; i < count; ++i) unequal = unequal + select(a(i) != b(i), 1.0f, 0.0f);
    return select(unequal > 0.0f, 0, 1);
  }
};

struct Sample {
  static constexpr int most_turns = 40;
  Box box, image;
  int centres = 5, coordinates, step;
  Pipeline pipeline;
  test::WholeArray<float> points;
  test::WholeArray<std::int32_t> labels;
  std::vector<float> at;
  std::int64_t turns = 0;

  explicit Sample(test::Random& random)
      : box(random.box(2, -3, 3, 14)), coordinates(random.small(2, 3)), step(random.small(11, 50)) {
    image = box;
    image.dimensions = 3;
    image[2] = {0, coordinates};
    points = decltype(points)(image);
    labels = decltype(labels)(box);
    // Multiples of 1/64, the sums of which are exact.
    for (float& value : points.values) value = static_cast<float>(random.between(-2000, 2000)) / 64;
    declare();
    compute();
  }

  void declare() {
    const auto in = pipeline.input<float, 3>("points", image, Boundary::none);
    const int numbers = centres * coordinates;
    const auto at_first = pipeline.values<float>("centres", First{step}, numbers);
    pipeline.repeat("lloyd", most_turns, [&](const Pipeline::Loop& loop) {
      const auto nearest =
          pipeline.stage<std::int32_t, 2>("labels", Nearest{centres, coordinates}, in, at_first);
      const auto places = pipeline.stage<std::int32_t, 3>("places", Place{coordinates}, nearest);
      const auto sums = pipeline.reduce_by_key("sums", Sum<float>(), numbers, image, places, in);
      const auto counts = pipeline.reduce_by_key("counts", Count<std::int32_t>(), centres, box, nearest);
      const auto moved = pipeline.values<float>("moved", Moved{coordinates}, numbers, at_first, sums, counts);
      loop.until(pipeline.value<std::uint8_t>("done", AreEqual{numbers}, moved, at_first));
      loop.feed(moved, at_first);
      pipeline.output(nearest, box);
    });
    pipeline.output(at_first);
  }

  float coordinate(const Point& p, int c) const { return points.at({{p[0], p[1], c, 0}}); }
  int nearest(const Point& p) const {
    int found = 0;
    float least = std::numeric_limits<float>::max();
    for (int k = 0; k < centres; ++k) {
      float distance = 0;
      for (int c = 0; c < coordinates; ++c) {
        const float difference = coordinate(p, c) - at[static_cast<std::size_t>(k * coordinates + c)];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        found = k;
      }
    }
    return found;
  }

  void compute() {
    const auto numbers = static_cast<std::size_t>(centres * coordinates);
    for (std::size_t i = 0; i < numbers; ++i)
      at.push_back(static_cast<float>(static_cast<int>(i) * step % 97) * 0.5f - 20);
    for (bool done = false; !done && turns < most_turns; ++turns) {
      std::vector<double> sums(numbers, 0);
      std::vector<int> counts(static_cast<std::size_t>(centres), 0);
      test::for_each_point(box, [&](const Point& p) {
        labels.at(p) = nearest(p);
        ++counts[static_cast<std::size_t>(labels.at(p))];
        for (int c = 0; c < coordinates; ++c)
          sums[static_cast<std::size_t>(labels.at(p) * coordinates + c)] += coordinate(p, c);
      });
      std::vector<float> moved = at;
      for (std::size_t i = 0; i < numbers; ++i)
        if (const int count = counts[i / static_cast<std::size_t>(coordinates)]; count > 0)
          moved[i] = static_cast<float>(sums[i]) / static_cast<float>(count);
      done = moved == at;
      at = moved;
    }
  }
};

struct Found {
  test::ArraySource<float> points;
  test::ArraySink<std::int32_t> labels;
  test::ArraySink<float> centres;
  std::int64_t turns = 0;

  explicit Found(const Sample& sample)
      : points(sample.points), labels(sample.box), centres(Box{{0, sample.centres * sample.coordinates}}) {}
  Bindings bindings() {
    Bindings bindings{{{"points", &points}}, {{"labels", &labels}, {"centres", &centres}}};
    bindings.after_loop = [this](const LoopProgress& progress) { turns = progress.turns; };
    return bindings;
  }
};

TEST(KMeans, AnyScheduleFindsTheSameClusters) {
  test::Random random(2941);
  std::int64_t most_turns = 0;
  for (int i = 0; i < 60; ++i) {
    const Sample sample(random);
    most_turns = std::max(most_turns, sample.turns);
    Schedule schedule = test::random_schedule(random, sample.pipeline);
    if (random.chance(70)) schedule.loops["lloyd"].turns_per_test = random.small(2, 5);
    Target target;
    target.threads = random.small(1, 3);
    target.device = !runs_on_host || random.chance(20);
    const int ranks = random.small(1, 6);
    const std::string text = test::to_string(schedule) + " on " + std::to_string(ranks);
    const Rounds rounds = in_rounds(sample.pipeline, schedule);
    Found found(sample);
    Rehearsal(rounds.pipeline, make_plans(rounds.pipeline, rounds.schedule, target, ranks))
        .run(found.bindings());
    EXPECT_EQ(found.labels.array.values, sample.labels.values) << text;
    EXPECT_EQ(found.centres.array.values, sample.at) << text;
    EXPECT_EQ(found.turns, sample.turns) << text;
  }
  EXPECT_GT(most_turns, 5);
}

TEST(KMeans, RanksAgreeOnTheCentres) {
  test::Random random(2942);
  for (int i = 0; i < 10; ++i) {
    const Sample sample(random);
    Schedule schedule = test::random_schedule(random, sample.pipeline);
    if (i % 2 == 1) schedule.loops["lloyd"].turns_per_test = 3;
    const Rounds rounds = in_rounds(sample.pipeline, schedule);
    PlanInstance instance(
        rounds.pipeline,
        make_plan(rounds.pipeline, rounds.schedule, {}, test::world_size(), test::world_rank()),
        MPI_COMM_WORLD);
    Found found(sample);
    instance.run(found.bindings());
    std::int64_t wrong = 0;
    const ArrayId labels = rounds.pipeline.find("labels");
    test::for_each_point(instance.plan().stages[labels].owned,
                         [&](const Point& p) { wrong += found.labels.array.at(p) != sample.labels.at(p); });
    EXPECT_EQ(wrong, 0) << test::to_string(schedule);
    EXPECT_EQ(found.turns, sample.turns) << test::to_string(schedule);
    if (test::world_rank() == 0) {
      EXPECT_EQ(found.centres.array.values, sample.at);
    }
  }
}

}  // namespace
