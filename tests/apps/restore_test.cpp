// SPDX-License-Identifier: BSD-3-Clause
// The restoration against exhaustive search, pixel by pixel.
#include <gtest/gtest.h>

#include "apps/plain_restore.hpp"
#include "apps/restore/stages.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"

namespace {

using namespace tessera;
using test::Bytes;
using test::Random;

/// 1 where there is noise, as the application has it.
Bytes detected(const Bytes& image, int ranks) {
  Pipeline pipeline;
  const auto input = pipeline.input<std::uint8_t, 2>("input", image.box, Boundary::clamp);
  pipeline.output(restore::add_detection(pipeline, input), image.box);
  test::ArraySource<std::uint8_t> source(image);
  test::ArraySink<std::uint8_t> sink(image.box);
  Rehearsal(pipeline, make_plans(pipeline, {}, {}, ranks)).run({{{"input", &source}}, {{"weight", &sink}}});
  EXPECT_TRUE(sink.every_point_written_once());
  for (auto& weight : sink.array.values) weight = static_cast<std::uint8_t>(2 - weight);
  return sink.array;
}

TEST(RestoreDetection, MarksExactlyTheNoise) {
  for (const auto& [width, height] : {std::pair{57, 43}, {1, 90}, {101, 2}, {7, 5}}) {
    const Bytes image = test::noisy_ramps({{0, width}, {0, height}}, 70, 11);
    const Bytes noise = detected(image, 3);
    EXPECT_TRUE(noise.same_bits(test::plain_noise(image)));
    for (std::size_t i = 0; i < image.values.size(); ++i)
      EXPECT_EQ(noise.values[i] == 1, image.values[i] == 0 || image.values[i] == 255);
  }
}

TEST(RestoreDetection, LooksAsFarAsItsWindows) {
  for (const int value : {0, 255}) {
    Bytes image(Box{{0, 130}, {0, 9}});
    for (auto& pixel : image.values) pixel = static_cast<std::uint8_t>(value);
    EXPECT_TRUE(detected(image, 1).same_bits(Bytes(image.box))) << "a homogeneous image";
    image.at({{60, 4, 0, 0}}) = 100;
    const Bytes noise = detected(image, 4);
    EXPECT_TRUE(noise.same_bits(test::plain_noise(image)));
    test::for_each_point(image.box, [&](const Point& p) {
      const bool is_seen = std::abs(p[0] - 60) <= 39 && !(p[0] == 60 && p[1] == 4);
      EXPECT_EQ(noise.at(p), is_seen ? 1 : 0) << p[0] << ", " << p[1];
    });
  }
}

TEST(RestoreDetection, OfBlackAndWhiteAreas) {
  Random random(5);
  for (int i = 0; i < 3; ++i) {
    Bytes image(Box{{0, random.small(50, 90)}, {0, random.small(50, 60)}});
    const auto split = random.small(0, 49), inner = random.small(30, 49);
    test::for_each_point(image.box, [&](const Point& p) {
      image.at(p) = p[0] < split ? 255 : p[1] > inner && p[0] > inner ? 17 : 0;
    });
    EXPECT_TRUE(detected(image, 1 + i).same_bits(test::plain_noise(image)));
  }
}

int minimum_of(const restore::Minimiser& minimiser, int current,
               const std::vector<test::PlainNeighbour>& neighbours) {
  const auto term = [&](int weight, int value) {
    return minimiser.term(restore::Minimiser::row(weight) - value);
  };
  restore::Terms terms{term(restore::Minimiser::own_row, current), {}};
  std::array<int, 4> values;
  for (std::size_t i = 0; i < 4; ++i) {
    values[i] = neighbours[i].value;
    terms.neighbours[i] = term(neighbours[i].weight, neighbours[i].value);
  }
  const int bisected = minimiser.bisect(terms);
  const int first = restore::Minimiser::window(values);
  const int negative = minimiser.negative_slopes(terms, first);
  if (minimiser.is_found(negative)) {
    EXPECT_EQ(first + negative, bisected);
  }
  return bisected;
}

TEST(RestoreMinimum, IsThatOfAnExhaustiveSearch) {
  Random random(7);
  const std::vector<std::pair<double, double>> settings = {{1.3, 5}, {1, 5},   {1, 0.3},   {1.0001, 2},
                                                           {2, 60},  {1.7, 0}, {1.3, 0.01}};
  for (const auto& [alpha, beta] : settings) {
    const restore::Minimiser minimiser(alpha, beta);
    const auto powers = test::plain_powers(alpha, beta);
    for (int i = 0; i < 4000; ++i) {
      const int centre = random.small(0, 255), spread = random.one_of<int>({2, 10, 60, 255});
      const auto value = [&] { return std::clamp(centre + random.small(-spread, spread), 0, 255); };
      std::vector<test::PlainNeighbour> neighbours(4);
      for (auto& each : neighbours) each = {value(), random.small(0, 2)};
      const int current = random.chance(30) ? 255 * random.small(0, 1) : value();
      ASSERT_EQ(minimum_of(minimiser, current, neighbours), test::plain_minimum(powers, current, neighbours))
          << alpha << ", " << beta << ", number " << i;
    }
  }
}

TEST(RestoreMinimum, OfAllValuesOfTwoNeighbours) {
  const restore::Minimiser minimiser(1.3, 5);
  const auto powers = test::plain_powers(1.3, 5);
  for (int a = 0; a < 256; a += 3)
    for (int b = 0; b < 256; b += 1)
      for (const int current : {0, 255, (a + b) / 2}) {
        const std::vector<test::PlainNeighbour> neighbours = {{a, 1}, {b, 2}, {0, 0}, {255, 0}};
        ASSERT_EQ(minimum_of(minimiser, current, neighbours),
                  test::plain_minimum(powers, current, neighbours))
            << a << ", " << b << ", " << current;
      }
}

TEST(RestoreMinimum, SlopesAreThoseOfPowers) {
  for (const auto& [alpha, beta] : {std::pair{1.3, 5.0}, {1.0, 1.0}, {2.0, 60.0}, {1.01, 0.7}}) {
    const restore::Minimiser minimiser(alpha, beta);
    for (const int weight : {1, 2}) {
      double sum = 0;
      std::int32_t last = INT32_MIN;
      for (int u = 0; u < 255; ++u) {
        const std::int32_t* const outside = minimiser.term(restore::Minimiser::row(0));
        const restore::Terms terms{
            minimiser.term(restore::Minimiser::row(restore::Minimiser::own_row)),
            {minimiser.term(restore::Minimiser::row(weight) - 100), outside, outside, outside}};
        const std::int32_t slope = minimiser.slope(terms, u);
        EXPECT_GE(slope, last) << "it is convex";
        last = slope;
        sum += slope / restore::Minimiser::unit - 1;
        const double exact =
            weight * beta / 2 * (std::pow(std::abs(u + 1 - 100), alpha) - std::pow(100.0, alpha));
        EXPECT_NEAR(sum, exact, weight * 0.5 * (u + 2) / restore::Minimiser::unit);
      }
    }
  }
}

/// The results of a rehearsed run.
struct Restored {
  Bytes image;
  LoopProgress progress;
};

Restored rehearsed(const Bytes& image, const test::PlainSettings& settings, int ranks,
                   const Schedule& schedule = {}, const Target& target = {}) {
  const Pipeline pipeline = restore::make_pipeline(
      image.box, {settings.alpha, settings.beta, settings.tolerance, settings.cycles}, false);
  const Rounds rounds = in_rounds(pipeline, schedule);
  test::ArraySource<std::uint8_t> source(image);
  test::ArraySink<std::uint8_t> sink(image.box);
  Restored run;
  Bindings bindings{{{"input", &source}}, {{"restored", &sink}}};
  bindings.after_loop = [&](const LoopProgress& progress) { run.progress = progress; };
  Rehearsal(rounds.pipeline, make_plans(rounds.pipeline, rounds.schedule, target, ranks)).run(bindings);
  EXPECT_TRUE(sink.every_point_written_once());
  run.image = sink.array;
  return run;
}

void expect_plain(const Restored& run, const test::PlainRestoration& expected, const std::string& what) {
  EXPECT_TRUE(run.image.same_bits(expected.image)) << what;
  EXPECT_EQ(run.progress.turns, expected.turns) << what;
  EXPECT_EQ(run.progress.residual, expected.residual) << what;
  EXPECT_EQ(run.progress.has_converged, expected.has_converged) << what;
}

TEST(Restore, IsThatOfAnExhaustiveSearch) {
  for (const auto& [width, height] :
       {std::pair{41, 33}, {1, 1}, {1, 2}, {1, 70}, {97, 1}, {2, 2}, {33, 5}, {64, 11}})
    for (const int percent : {0, 30, 90}) {
      const Bytes image = test::noisy_ramps({{0, width}, {0, height}}, percent, 31);
      const test::PlainSettings settings;
      const auto expected = test::plain_restoration(image, settings);
      for (const int ranks : {1, 5})
        expect_plain(rehearsed(image, settings, ranks), expected,
                     to_string(image.box) + " on " + std::to_string(ranks));
      for (std::size_t i = 0; i < image.values.size(); ++i) {
        if (image.values[i] != 0 && image.values[i] != 255) {
          EXPECT_EQ(expected.image.values[i], image.values[i]);
        }
      }
    }
}

TEST(Restore, WithOtherSettings) {
  const Bytes image = test::noisy_ramps({{0, 40}, {0, 37}}, 60, 3);
  for (const test::PlainSettings& settings : {test::PlainSettings{1, 5, 0.1, 200},
                                              {2, 0.5, 0.05, 200},
                                              {1.3, 60, 0.3, 200},
                                              {1.3, 5, 0, 12},
                                              {1.3, 5, 0.1, 1},
                                              {1.5, 0, 0.1, 4}})
    expect_plain(rehearsed(image, settings, 4), test::plain_restoration(image, settings),
                 std::to_string(settings.alpha));
}

TEST(Restore, OfImagesThatAreTakenForNoise) {
  for (const int value : {0, 255}) {
    Bytes image(Box{{0, 9}, {0, 7}});
    for (auto& pixel : image.values) pixel = static_cast<std::uint8_t>(value);
    const Restored run = rehearsed(image, {}, 2);
    EXPECT_TRUE(run.image.same_bits(image));
    EXPECT_EQ(run.progress.turns, 1);
    image.at({{4, 4, 0, 0}}) = static_cast<std::uint8_t>(255 - value);
    expect_plain(rehearsed(image, {}, 2), test::plain_restoration(image, {}), "black and white");
  }
}

TEST(Restore, HasTheSameBitsWithEverySchedule) {
  const Bytes image = test::noisy_ramps({{0, 45}, {0, 34}}, 60, 19);
  const test::PlainSettings settings;
  const auto expected = test::plain_restoration(image, settings);
  const Pipeline pipeline = restore::make_pipeline(image.box, {}, false);
  Random random(23);
  for (int i = 0; i < 8; ++i) {
    Schedule schedule = test::random_schedule(random, pipeline);
    // In tiles of one point wide windows, and turns together, would be computed thousands of times.
    for (auto& [name, stage] : schedule.stages) {
      if (!name.starts_with("least_")) continue;
      if (stage.placement == Placement::tile) stage.placement = Placement::rank;
      stage.tile = {};
    }
    schedule.stages["next"].tile = random.one_of<TileSize>({{}, {16, 6}, {40, 3}, {10000, 5}});
    test::add_random_rounds(random, pipeline, schedule);
    Target target;
    target.threads = random.small(1, 3);
    target.device = random.chance(20);
    const int ranks = test::random_rank_count(random);
    expect_plain(rehearsed(image, settings, ranks, schedule, target), expected,
                 test::to_string(schedule) + " on " + std::to_string(ranks));
  }
}

}  // namespace
