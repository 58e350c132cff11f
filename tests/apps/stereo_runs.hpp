// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "apps/plain_stereo.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace tessera::test {

/// The number of random cases of a test.
#ifdef TESSERA_TEST_FEWER
inline constexpr int cases = 12;
#else
inline constexpr int cases = 60;
#endif

/// A reference and its match images.
template <class T>
struct Scene {
  WholeArray<T> reference;
  std::vector<WholeArray<T>> matches;
};

/// Images of noise. Few values make many errors equal, and extreme ones make sums large.
template <class T>
Scene<T> noise(Random& random, const Box& box, std::size_t matches) {
  const int kind = random.small(0, 2);
  const int greatest = std::numeric_limits<T>::max();
  const auto fill = [&](WholeArray<T>& image) {
    for (T& value : image.values)
      value = static_cast<T>(kind == 0   ? random.small(0, greatest)
                             : kind == 1 ? random.small(0, 1) * greatest
                                         : random.small(100, 102));
  };
  Scene<T> scene{WholeArray<T>(box), std::vector<WholeArray<T>>(matches, WholeArray<T>(box))};
  fill(scene.reference);
  for (WholeArray<T>& match : scene.matches) fill(match);
  return scene;
}

/// Returns settings for images of a width, without filters and checks.
inline stereo::Settings random_settings(Random& random, std::int64_t width) {
  stereo::Settings settings;
  settings.baselines.clear();
  for (int i = random.one_of<int>({1, 1, 2, 2, 3, 4, 8}); i > 0; --i)
    settings.baselines.push_back(random.one_of<int>({1, 2, 3, 4, 5, 9}));
  settings.direction = random.chance(50) ? operators::ShiftDirection::left : operators::ShiftDirection::right;
  settings.window = random.one_of<int>({1, 3, 5, 7, 13});
  settings.disparities =
      static_cast<int>(std::min<std::int64_t>(width, random.one_of<int>({1, 2, 15, 16, 17, 33, 70})));
  if (random.chance(30)) settings.cost = operators::MatchingCost::absolute;
  settings.blocks = random.small(1, std::min(settings.disparities, 5));
  if (random.chance(10)) settings.blocks = settings.disparities;
  return settings;
}

/// Returns a schedule of the stages that the settings lead to.
inline Schedule schedule_for(Random& random, const Box& box, ElementType type,
                             const stereo::Settings& settings) {
  return random_schedule(random, stereo::make_pipeline(box, type, settings));
}

/// Runs the pipeline on some ranks, and returns its output of Out.
template <class Out, class T>
WholeArray<Out> run(const Scene<T>& scene, const stereo::Settings& settings, int ranks,
                    const Schedule& schedule = {}) {
  const Box& box = scene.reference.box;
  const Pipeline pipeline = stereo::make_pipeline(box, element_type_of<T>(), settings);
  std::vector<ArraySource<T>> sources{ArraySource<T>(scene.reference)};
  for (const WholeArray<T>& match : scene.matches) sources.emplace_back(match);
  Bindings bindings{{{"input", &sources[0]}}, {}};
  for (std::size_t i = 1; i < sources.size(); ++i)
    bindings.sources.emplace("match_" + std::to_string(i), &sources[i]);
  ArraySink<Out> sink(Box{box[0], box[1]});
  bindings.sinks.emplace(settings.result == stereo::Result::depth ? "depth" : "disparity", &sink);
  Rehearsal(pipeline, make_plans(pipeline, schedule, {}, ranks)).run(bindings);
  EXPECT_TRUE(sink.every_point_written_once());
  return sink.array;
}

/// Returns the images that are matched: those of the scene, or their filtered ones.
template <class T>
Scene<std::uint16_t> matched_images(const Scene<T>& scene, const stereo::Settings& settings) {
  const auto matched = [&](const WholeArray<T>& image) {
    if (settings.prefilter == stereo::Prefilter::sobel) return plain_filtered(image, settings.cap);
    WholeArray<std::uint16_t> same(image.box);
    std::ranges::copy(image.values, same.values.begin());
    return same;
  };
  Scene<std::uint16_t> result{matched(scene.reference), {}};
  for (const WholeArray<T>& match : scene.matches) result.matches.push_back(matched(match));
  return result;
}

/// Runs the pipeline, whose results may be of either type.
template <class T>
WholeArray<float> run_to_float(const Scene<T>& scene, const stereo::Settings& settings, int ranks,
                               const Schedule& schedule) {
  if (!settings.is_plain()) return run<float>(scene, settings, ranks, schedule);
  const auto found = run<std::uint8_t>(scene, settings, ranks, schedule);
  WholeArray<float> result(found.box);
  std::ranges::copy(found.values, result.values.begin());
  return result;
}

}  // namespace tessera::test
