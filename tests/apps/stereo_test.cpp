// SPDX-License-Identifier: BSD-3-Clause
// Stereo against its definition, point by point.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <vector>

#include "apps/plain_stereo.hpp"
#include "apps/stereo_runs.hpp"
#include "pipeline/limited_instructions.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/cost/estimate.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace {

using namespace tessera;
using operators::ShiftDirection;
using stereo::Settings;
using test::cases;
using test::noise;
using test::Random;
using test::random_settings;
using test::run;
using test::Scene;
using test::schedule_for;
using test::WholeArray;

/// Returns the disparities that the program should find, by a search that shares no code with it.
template <class T>
WholeArray<std::uint8_t> plain_disparities(const Scene<T>& scene, const Settings& settings) {
  const auto plain = test::plain_stereo(scene.reference, scene.matches, settings);
  WholeArray<std::uint8_t> found(Box{scene.reference.box[0], scene.reference.box[1]});
  test::for_each_point(found.box, [&](const Point& p) {
    found.at(p) = static_cast<std::uint8_t>(plain.disparity(p[0], p[1]));
  });
  return found;
}

template <class T>
void expect_plain_results(std::uint64_t seed, int count) {
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    Box box{{0, random.one_of<int>({1, 2, 7, 19, 40})}, {0, random.one_of<int>({1, 3, 11, 18})}};
    if (random.chance(30)) box = {box[0], box[1], {0, random.small(1, 4)}};
    const Settings settings = random_settings(random, box[0].size());
    const auto scene = noise<T>(random, box, settings.baselines.size());
    const auto expected = plain_disparities(scene, settings);
    const Schedule schedule = schedule_for(random, box, element_type_of<T>(), settings);
    for (const int ranks : {1, random.one_of<int>({2, 3, 5, 16, 64})})
      EXPECT_TRUE(run<std::uint8_t>(scene, settings, ranks, schedule).same_bits(expected))
          << "case " << i << " on " << ranks << ", " << to_string(box) << ", " << settings.baselines.size()
          << " matches, window " << settings.window << ", " << settings.disparities << " disparities in "
          << settings.blocks << " blocks; " << test::to_string(schedule);
  }
}

TEST(Stereo, IsItsDefinitionForBytes) { expect_plain_results<std::uint8_t>(1, cases); }
TEST(Stereo, IsItsDefinitionForWords) { expect_plain_results<std::uint16_t>(2, cases / 2); }

TEST(Stereo, HasTheSameBitsWithAllInstructionsAndGreatWindows) {
  Random random(3);
  // With 8 images and the largest window, keys of 32 bits are too small. Strips are at most 512 wide.
  for (const auto& [width, window, matches] :
       {std::tuple{60, 31, 8}, {60, 31, 2}, {1100, 5, 2}, {70, 13, 4}}) {
    const Box box{{0, width}, {0, 5}};
    Settings settings;
    settings.baselines.assign(static_cast<std::size_t>(matches), 1);
    settings.window = window;
    settings.disparities = width > 1000 ? 9 : 40;
    const auto scene = noise<std::uint8_t>(random, box, static_cast<std::size_t>(matches));
    const auto expected = plain_disparities(scene, settings);
    for (const InstructionSet most : test::all_instruction_sets) {
      const test::LimitedInstructions limited(most);
      EXPECT_TRUE(run<std::uint8_t>(scene, settings, 1).same_bits(expected))
          << width << " " << to_string(most);
    }
  }
}

// The sums of windows of one point have more squares on the way than in the end.
TEST(Stereo, AddsManyChannelsInWindowsOfOnePoint) {
  Random random(9);
  const Box box{{0, 19}, {0, 3}, {0, 1500}};
  Settings settings;
  settings.window = 1;
  const auto scene = noise<std::uint8_t>(random, box, 1);
  EXPECT_TRUE(run<std::uint8_t>(scene, settings, 1).same_bits(plain_disparities(scene, settings)));
}

// The sums of the squares would not fit into 32 bits.
TEST(Stereo, AddsAbsoluteDifferencesOfManyChannels) {
  Random random(11);
  const Box box{{0, 64}, {0, 1}, {0, 300}};
  Scene<std::uint8_t> scene{WholeArray<std::uint8_t>(box), {WholeArray<std::uint8_t>(box)}};
  for (auto* image : {&scene.reference, &scene.matches[0]})
    for (auto& value : image->values) value = static_cast<std::uint8_t>(random.chance(90) ? 255 : 0);
  Settings settings;
  settings.cost = operators::MatchingCost::absolute;
  settings.window = 3;
  settings.disparities = 64;
  for (const int baseline : {1, 2}) {
    settings.baselines = {baseline};
    EXPECT_TRUE(run<std::uint8_t>(scene, settings, 1).same_bits(plain_disparities(scene, settings)));
  }
}

/// Returns the estimated milliseconds of one thread of a laptop for images of 400 x 300 pixels.
double estimated_milliseconds(const Settings& settings) {
  const Pipeline pipeline = stereo::make_pipeline({{0, 400}, {0, 300}}, ElementType::uint8, settings);
  Target target;
  target.threads = 1;
  target.device = false;
  const Plan plan = make_plan(pipeline, {}, target, 1, 0);
  return 1e3 * cost::estimate(pipeline, plan, cost::generic_machine()).seconds;
}

TEST(Stereo, EstimatesGrowWithDisparitiesAndNotWithWindows) {
  Settings settings;
  EXPECT_NEAR(estimated_milliseconds(settings), 0.7, 0.1);
  const double of_16 = estimated_milliseconds(settings);
  settings.window = 23;
  EXPECT_DOUBLE_EQ(estimated_milliseconds(settings), of_16);
  settings.disparities = 28;
  EXPECT_GT(estimated_milliseconds(settings), 1.5 * of_16);
  settings.disparities = 64;
  EXPECT_NEAR(estimated_milliseconds(settings), 2.4, 0.2);
  settings.baselines = {1, 2};
  EXPECT_GT(estimated_milliseconds(settings), 2.6);
}

/// Planes of random dots. The right image sees a point of disparity d at x - d.
Scene<std::uint8_t> random_dots(const Box& box, const WholeArray<int>& disparity) {
  Random random(5);
  Scene<std::uint8_t> scene{WholeArray<std::uint8_t>(box), {WholeArray<std::uint8_t>(box)}};
  for (auto& value : scene.reference.values) value = static_cast<std::uint8_t>(random.small(0, 255));
  for (auto& value : scene.matches[0].values) value = static_cast<std::uint8_t>(random.small(0, 255));
  // Planes are drawn from the farthest to the nearest one, because near points hide those behind them.
  for (int d = 0; d < 256; ++d)
    test::for_each_point(box, [&](Point p) {
      const std::uint8_t value = scene.reference.at(p);
      if (disparity.at(p) != d || p[0] < d) return;
      p[0] -= d;
      scene.matches[0].at(p) = value;
    });
  return scene;
}

TEST(Stereo, FindsPlanesOfRandomDots) {
  const Box box{{0, 120}, {0, 70}};
  WholeArray<int> disparity(box);
  const Range near_x{50, 90}, near_y{20, 50};
  test::for_each_point(box, [&](const Point& p) {
    disparity.at(p) = near_x.contains(p[0]) && near_y.contains(p[1]) ? 12 : 5;
  });
  const auto scene = random_dots(box, disparity);
  Settings settings;
  settings.window = 7;
  for (const int blocks : {1, 3, 16}) {
    settings.blocks = blocks;
    const auto found = run<std::uint8_t>(scene, settings, 6);
    int known = 0;
    test::for_each_point(box, [&](const Point& p) {
      // A window that lies on one plane, which both images see, has the error 0.
      bool is_known = p[0] >= 12 + 3;
      for (std::int64_t y = p[1] - 3; y <= p[1] + 3; ++y)
        for (std::int64_t x = p[0] - 3 - 7; x <= p[0] + 3 + 7; ++x) {
          const Point q{{std::clamp<std::int64_t>(x, 0, 119), std::clamp<std::int64_t>(y, 0, 69)}};
          is_known = is_known && disparity.at(q) == disparity.at(p);
        }
      known += is_known ? 1 : 0;
      if (is_known) {
        EXPECT_EQ(int(found.at(p)), disparity.at(p)) << p[0] << ", " << p[1];
      }
    });
    EXPECT_GT(known, 3000);
  }
}

/// Devices compute points by another kernel.
TEST(Stereo, HasTheSameBitsByTheKernelForDevices) {
  Random random(7);
  const Box box{{0, 23}, {0, 9}, {0, 2}};
  const Box points{box[0], box[1]};
  for (const auto direction : {ShiftDirection::left, ShiftDirection::right}) {
    const auto cost = direction == ShiftDirection::left ? operators::MatchingCost::squared
                                                        : operators::MatchingCost::absolute;
    Pipeline pipeline;
    operators::BlockMatching matching{.baselines = {1, 3},
                                      .direction = direction,
                                      .cost = cost,
                                      .window = 5,
                                      .block = {3, 11},
                                      .errors = operators::MatchingErrors::all,
                                      .has_outer_neighbours = direction == ShiftDirection::left};
    std::vector<operators::Image> images;
    for (const char* name : {"input", "first", "second"})
      images.push_back(operators::image_of(pipeline, pipeline.input<std::uint8_t, 3>(name, box)));
    match_blocks(pipeline, {"disparity", "error", "below", "above", "rival"}, images[0],
                 {images[1], images[2]}, matching);
    const auto scene = noise<std::uint8_t>(random, box, 2);
    const auto reference_of = [&](auto& array) {
      return ArrayReference{reinterpret_cast<std::byte*>(array.values.data()),
                            {1, array.box[0].size(), array.box[0].size() * array.box[1].size(), 0}};
    };
    const ArrayReference inputs[] = {reference_of(const_cast<WholeArray<std::uint8_t>&>(scene.reference)),
                                     reference_of(const_cast<WholeArray<std::uint8_t>&>(scene.matches[0])),
                                     reference_of(const_cast<WholeArray<std::uint8_t>&>(scene.matches[1]))};
    WholeArray<std::uint8_t> disparity[2] = {WholeArray<std::uint8_t>(points),
                                             WholeArray<std::uint8_t>(points)};
    std::vector<WholeArray<std::int64_t>> errors(8, WholeArray<std::int64_t>(points));
    const auto plain = test::PlainStereo<std::uint8_t>{
        scene.reference, scene.matches, {1, 3}, direction == ShiftDirection::left ? -1 : 1, 5, 16, cost};
    const StageKernel& kernel = *pipeline[pipeline.find("disparity")].kernel;
    for (std::size_t by : {0, 1}) {
      const ArrayReference outputs[] = {reference_of(disparity[by]), reference_of(errors[4 * by]),
                                        reference_of(errors[4 * by + 1]), reference_of(errors[4 * by + 2]),
                                        reference_of(errors[4 * by + 3])};
      if (by == 0)
        kernel.region(inputs, outputs, points, {});
      else
        kernel.launch(ExecutionSpace(), inputs, outputs, points);
    }
    EXPECT_TRUE(disparity[0].same_bits(disparity[1]));
    EXPECT_TRUE(errors[3].same_bits(errors[7]));
    test::for_each_point(points, [&](const Point& p) {
      std::int64_t rival = operators::BlockMatching::no_rival;
      for (int d = 3; d < 11; ++d)
        if (std::abs(d - disparity[0].at(p)) > 1) rival = std::min(rival, plain.error(p[0], p[1], d));
      EXPECT_EQ(errors[3].at(p), rival);
    });
    const Range known = matching.has_outer_neighbours ? Range{2, 12} : matching.block;
    for (std::size_t e = 0; e < 3; ++e) {
      EXPECT_TRUE(errors[e].same_bits(errors[4 + e])) << e;
      test::for_each_point(points, [&](const Point& p) {
        const int d = disparity[0].at(p) + (e == 0 ? 0 : e == 1 ? -1 : 1);
        EXPECT_EQ(errors[e].at(p), known.contains(d) ? plain.error(p[0], p[1], d) : 0);
      });
    }
  }
}

}  // namespace
