// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"

namespace tessera::test {

inline WholeArray<std::int32_t> random_image(Random& random, const Box& box) {
  WholeArray<std::int32_t> image(box);
  for (auto& value : image.values) value = random.small(-1000, 1000);
  return image;
}

/// The new values of all points, at(p) telling one.
template <class At>
WholeArray<std::int32_t> made(const Box& box, const At& at) {
  WholeArray<std::int32_t> image(box);
  for_each_point(box, [&](const Point& p) { image.at(p) = at(p); });
  return image;
}

inline Point moved(Point p, std::int64_t dx, std::int64_t dy) {
  p[0] += dx;
  p[1] += dy;
  return p;
}

/// A run of a pipeline on random ranks, by a random schedule, and its outputs.
class RandomRun {
 public:
  /// How many turns each run of a loop had, in order.
  std::vector<std::int64_t> turns;
  /// For messages.
  std::string text;

  RandomRun(Random& random, const Algorithm& pipeline,
            const std::map<std::string, WholeArray<std::int32_t>>& inputs) {
    Schedule schedule = random_schedule(random, pipeline);
    if (random.chance(80)) add_random_rounds(random, pipeline, schedule);
    const int ranks = random_rank_count(random);
    text = to_string(schedule) + " on " + std::to_string(ranks);
    const Rounds rounds = in_rounds(pipeline, schedule);
    std::map<std::string, ArraySource<std::int32_t>> sources;
    Bindings bindings;
    for (const auto& [name, image] : inputs)
      bindings.sources[name] = &sources.emplace(name, ArraySource<std::int32_t>(image)).first->second;
    for (const ArrayDeclaration& stage : pipeline.arrays())
      if (stage.is_output)
        bindings.sinks[stage.name] =
            &sinks_.emplace(stage.name, ArraySink<std::int32_t>(stage.domain)).first->second;
    bindings.after_loop = [this](const LoopProgress& progress) { turns.push_back(progress.turns); };
    Target target;
    target.threads = random.small(1, 2);
    target.device = random.chance(30);
    Rehearsal(rounds.pipeline, make_plans(rounds.pipeline, rounds.schedule, target, ranks)).run(bindings);
  }

  void expect(const std::string& output, const WholeArray<std::int32_t>& expected) const {
    const auto& sink = sinks_.at(output);
    EXPECT_TRUE(sink.every_point_written_once()) << output << " of " << text;
    EXPECT_TRUE(sink.array.same_bits(expected)) << output << " of " << to_string(expected.box)
                                                << first_difference(sink.array, expected) << "; " << text;
  }

 private:
  static std::string first_difference(const WholeArray<std::int32_t>& array,
                                      const WholeArray<std::int32_t>& expected) {
    std::string difference;
    for_each_point(expected.box, [&](const Point& p) {
      if (difference.empty() && array.at(p) != expected.at(p))
        difference = " is " + std::to_string(array.at(p)) + " and should be " +
                     std::to_string(expected.at(p)) + " at (" + std::to_string(p[0]) + ", " +
                     std::to_string(p[1]) + ")";
    });
    return difference;
  }

  std::map<std::string, ArraySink<std::int32_t>> sinks_;
};

}  // namespace tessera::test
