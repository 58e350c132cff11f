// SPDX-License-Identifier: BSD-3-Clause
// The filter, fractions, checks and depths of stereo against their definition, point by point.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "apps/plain_stereo.hpp"
#include "apps/stereo_runs.hpp"
#include "pipeline/limited_instructions.hpp"
#include "pipeline/random_schedule.hpp"

namespace {

using namespace tessera;
using stereo::Settings;
using test::cases;
using test::noise;
using test::Random;
using test::random_settings;
using test::run;
using test::Scene;
using test::schedule_for;
using test::WholeArray;

template <class T>
void expect_defined_results(Random& random, const Box& box, const Settings& settings) {
  const Scene<T> scene = noise<T>(random, box, settings.baselines.size());
  const auto matched = test::matched_images(scene, settings);
  const auto plain = test::plain_stereo(matched.reference, matched.matches, settings);
  const std::vector<WholeArray<std::uint16_t>> first{matched.reference};
  const test::PlainStereo<std::uint16_t> of_match{matched.matches[0], first,        {settings.baselines[0]},
                                                  -plain.direction,   plain.window, plain.disparities,
                                                  plain.cost};
  const Schedule schedule = schedule_for(random, box, element_type_of<T>(), settings);
  const test::LimitedInstructions limited(test::all_instruction_sets[static_cast<std::size_t>(
      random.small(0, static_cast<int>(std::size(test::all_instruction_sets)) - 1))]);
  const auto found = test::run_to_float(scene, settings, random.one_of<int>({1, 4, 32}), schedule);
  test::for_each_point(found.box, [&](const Point& p) {
    const int d = plain.disparity(p[0], p[1]);
    const std::int64_t place = p[0] + plain.direction * settings.baselines[0] * d;
    const bool is_confirmed =
        !settings.tolerance ||
        (box[0].contains(place) && std::abs(of_match.disparity(place, p[1]) - d) <= *settings.tolerance);
    const bool is_valid =
        is_confirmed && (!settings.uniqueness || plain.is_unique(p[0], p[1], *settings.uniqueness));
    const double value = settings.has_fractions ? plain.refined(p[0], p[1]) : d;
    EXPECT_EQ(found.at(p), is_valid ? static_cast<float>(value) : -1.0f)
        << p[0] << ", " << p[1] << " of " << to_string(box) << ", window " << settings.window << ", "
        << settings.disparities << " disparities in " << settings.blocks << " blocks; "
        << test::to_string(schedule);
  });
}

TEST(Stereo, RefinesAndChecksAsDefined) {
  Random random(4);
  for (int i = 0; i < cases / 3; ++i) {
    const Box box{{0, random.one_of<int>({1, 21, 34})}, {0, random.one_of<int>({1, 9})}};
    Settings settings = random_settings(random, box[0].size());
    settings.has_fractions = i % 3 != 0;
    if (i % 3 != 1) settings.tolerance = random.small(0, 3);
    expect_defined_results<std::uint8_t>(random, box, settings);
  }
}

TEST(Stereo, FiltersAndFindsWhatIsUniqueAsDefined) {
  Random random(10);
  for (int i = 0; i < cases; ++i) {
    Box box{{0, random.one_of<int>({1, 2, 21, 34})}, {0, random.one_of<int>({1, 2, 9})}};
    if (random.chance(30)) box = {box[0], box[1], {0, random.small(1, 3)}};
    Settings settings = random_settings(random, box[0].size());
    if (random.chance(70)) settings.prefilter = stereo::Prefilter::sobel;
    settings.cap = random.one_of<int>({1, 31, 127, 128, Settings::greatest_cap});
    if (random.chance(70))
      settings.uniqueness = random.one_of<int>({0, 3, 15, 100, Settings::greatest_uniqueness});
    settings.has_fractions = random.chance(40);
    if (random.chance(30)) settings.tolerance = random.small(0, 3);
    if (i % 3 == 0)
      expect_defined_results<std::uint16_t>(random, box, settings);
    else
      expect_defined_results<std::uint8_t>(random, box, settings);
  }
}

TEST(Stereo, FindsARampInFractionsOfAPixel) {
  const Box box{{0, 160}, {0, 40}};
  // Smooth waves, so that the right image can be rendered between pixels.
  const auto wave = [](double x, double y) {
    return 128 + 50 * std::sin(0.31 * x + 0.2 * y) + 40 * std::sin(0.17 * x - 0.37 * y) +
           30 * std::sin(0.53 * x);
  };
  const auto slanted = [](double y) { return 4.0 + 6.0 * y / 40; };
  Scene<std::uint8_t> scene{WholeArray<std::uint8_t>(box), {WholeArray<std::uint8_t>(box)}};
  test::for_each_point(box, [&](const Point& p) {
    const auto x = static_cast<double>(p[0]), y = static_cast<double>(p[1]);
    scene.reference.at(p) = static_cast<std::uint8_t>(std::lround(wave(x, y)));
    scene.matches[0].at(p) = static_cast<std::uint8_t>(std::lround(wave(x + slanted(y), y)));
  });
  Settings settings;
  settings.has_fractions = true;
  settings.window = 9;
  const auto found = run<float>(scene, settings, 3);
  settings.result = stereo::Result::depth;
  settings.focal_length_times_distance = 700;
  const auto depth = run<float>(scene, settings, 2);
  double sum = 0, worst = 0;
  int count = 0;
  test::for_each_point(box, [&](const Point& p) {
    EXPECT_EQ(depth.at(p), found.at(p) == 0 ? std::numeric_limits<float>::infinity()
                                            : static_cast<float>(700 / double(found.at(p))));
    if (p[0] < 20 || p[0] > 150 || p[1] < 4 || p[1] > 35) return;
    const double difference = std::abs(found.at(p) - slanted(static_cast<double>(p[1])));
    sum += difference;
    worst = std::max(worst, difference);
    ++count;
  });
  // Whole pixels would be a quarter of a pixel away, in the mean.
  EXPECT_LT(sum / count, 0.12);
  EXPECT_LT(worst, 0.5);
}

/// Compares depths with disparities of which a check makes some invalid, or a test of uniqueness.
void expect_depths(bool by_check) {
  Random random(6);
  const Box box{{0, 30}, {0, 6}};
  const auto scene = noise<std::uint8_t>(random, box, 1);
  Settings settings;
  if (by_check)
    settings.tolerance = 0;
  else
    settings.uniqueness = Settings::greatest_uniqueness;
  settings.window = 1;
  const auto found = run<float>(scene, settings, 1);
  settings.result = stereo::Result::depth;
  settings.focal_length_times_distance = 3;
  const auto depth = run<float>(scene, settings, 1);
  bool has_invalid = false;
  test::for_each_point(box, [&](const Point& p) {
    has_invalid = has_invalid || found.at(p) < 0;
    const float expected = found.at(p) < 0    ? 0
                           : found.at(p) == 0 ? std::numeric_limits<float>::infinity()
                                              : 3 / found.at(p);
    EXPECT_EQ(depth.at(p), expected);
  });
  EXPECT_TRUE(has_invalid);
}

TEST(Stereo, DepthIsInfiniteForDisparity0AndZeroWhereItIsInvalid) {
  expect_depths(true);
  expect_depths(false);
}

}  // namespace
