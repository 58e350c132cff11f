// SPDX-License-Identifier: BSD-3-Clause
// Pipelines of stages of every kind: a schedule never changes a bit.
#include <gtest/gtest.h>

#include "pipeline/mixed_graph.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::MixedBindings;
using test::MixedGraph;
using test::Point;

struct Case {
  MixedGraph graph;
  Schedule schedule;
  Target target;
  int ranks = 1;

  std::string text() const {
    return std::string(graph.text)
        .append("; ")
        .append(test::to_string(schedule))
        .append(" on ")
        .append(std::to_string(ranks));
  }
};

Case random_case(test::Random& random, bool exact) {
  Case sample;
  sample.graph = test::random_mixed_graph(random, exact, random.small(2, 12));
  sample.ranks = test::random_rank_count(random);
  sample.schedule = test::random_mixed_schedule(random, sample.graph.pipeline, sample.ranks);
  sample.target.threads = random.small(1, 3);
  sample.target.cache_bytes = random.one_of<std::int64_t>({0, 1, 500});
  if (sample.ranks % 2 == 0 && random.chance(20)) sample.target.levels = {2, sample.ranks / 2};
  return sample;
}

void rehearse(const Case& sample, MixedBindings& bindings) {
  Rehearsal(sample.graph.pipeline,
            make_plans(sample.graph.pipeline, sample.schedule, sample.target, sample.ranks))
      .run(bindings.bindings);
  for (const auto& sink : bindings.sinks)
    if (sink != nullptr) {
      EXPECT_EQ(sink->writes.values, std::vector<int>(sink->writes.values.size(), 1)) << sample.text();
    }
}

void expect_plain_values(const Case& sample) {
  MixedBindings bindings(sample.graph);
  rehearse(sample, bindings);
  test::PlainValues plain(sample.graph);
  for (ArrayId id : sample.graph.pipeline.ids()) {
    const auto& sink = bindings.sinks[id];
    if (sink == nullptr) continue;
    test::WholeArray<double> expected(sink->array.box);
    test::for_each_point(expected.box, [&](const Point& p) { expected.at(p) = plain.value(id, p); });
    EXPECT_TRUE(sink->array.same_bits(expected)) << sample.graph.pipeline[id].name << " of " << sample.text();
  }
}

void expect_bits_of_one_rank(const Case& sample) {
  Case alone = sample;
  alone.schedule = {};
  alone.target = {};
  alone.ranks = 1;
  MixedBindings expected(alone.graph), found(sample.graph);
  rehearse(alone, expected);
  rehearse(sample, found);
  for (const ArrayId id : found.sinks.ids())
    if (found.sinks[id] != nullptr) {
      EXPECT_TRUE(found.sinks[id]->array.same_bits(expected.sinks[id]->array))
          << "array " << to_int(id) << " of " << sample.text();
    }
}

#ifdef TESSERA_TEST_FEWER
constexpr int cases = 130;
#else
constexpr int cases = 400;
#endif

TEST(MixedRehearsal, AnyScheduleGivesTheBitsOfAPlainEvaluation) {
  test::Random random(201);
  for (int i = 0; i < cases + cases / 2; ++i) expect_plain_values(random_case(random, true));
}

TEST(MixedRehearsal, AnyScheduleGivesTheBitsOfOneRank) {
  test::Random random(202);
  for (int i = 0; i < cases; ++i) expect_bits_of_one_rank(random_case(random, false));
}

TEST(MixedRehearsal, AsOnADevice) {
  test::Random random(203);
  for (int i = 0; i < cases; ++i) {
    Case sample = random_case(random, true);
    sample.target.device = true;
    expect_plain_values(sample);
  }
}

}  // namespace
