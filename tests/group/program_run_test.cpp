// SPDX-License-Identifier: BSD-3-Clause
// Programs on the ranks of MPI.
#include "tessera/group/program_run.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "group/random_program.hpp"
#include "pipeline/array_source.hpp"
#include "pipeline/world.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::MixedBindings;
using test::RandomProgram;

#ifdef TESSERA_TEST_FEWER
constexpr int cases = 60;
#else
constexpr int cases = 300;
#endif

TEST(ProgramRun, AnyGroupsGiveTheBitsOfThePipeline) {
  test::Random random(331);
  for (int i = 0; i < cases; ++i) {
    RandomProgram sample = test::random_program(random, test::world_size());
    sample.target.threads = 1;
    MixedBindings expected(sample.graph), found(sample.graph);
    Rehearsal(sample.graph.pipeline, make_plans(sample.graph.pipeline, {}, {}, 1)).run(expected.bindings);
    const group::ProgramPlanner planner(sample.program, sample.schedule, sample.target);
    group::ProgramInstance instance(sample.program, planner.plan(test::world_rank()), MPI_COMM_WORLD);
    for (int run = 0; run < 2; ++run)
      EXPECT_EQ(instance.run(test::program_bindings(found)).tasks.size(), instance.plan().steps.size());
    for (const ArrayId id : found.sinks.ids()) {
      if (found.sinks[id] == nullptr) continue;
      const auto& written = found.sinks[id]->writes;
      test::for_each_point(written.box, [&](const test::Point& p) {
        if (written.at(p) == 0) return;
        EXPECT_EQ(written.at(p), 2) << sample.text();
        const double value = found.sinks[id]->array.at(p), wanted = expected.sinks[id]->array.at(p);
        EXPECT_EQ(std::memcmp(&value, &wanted, sizeof value), 0) << sample.text();
      });
    }
  }
}

TEST(ProgramRun, ObserversSeeThePartsOfTheSteps) {
  using Kind = group::StepPart::Kind;
  test::Random random(332);
  for (int i = 0; i < 20; ++i) {
    RandomProgram sample = test::random_program(random, test::world_size());
    sample.target.threads = 1;
    MixedBindings found(sample.graph);
    const group::ProgramPlanner planner(sample.program, sample.schedule, sample.target);
    group::ProgramInstance instance(sample.program, planner.plan(test::world_rank()), MPI_COMM_WORLD);
    std::vector<group::StepPart> parts;
    group::ProgramBindings bindings = test::program_bindings(found);
    bindings.begins = [&parts](const group::StepPart& part) { parts.push_back(part); };
    bindings.begins_together = i % 2 == 0;
    instance.run(bindings);
    ASSERT_FALSE(parts.empty());
    std::vector<group::TaskId> waited, planned;
    for (const group::StepPart& part : parts) {
      if (part.kind == Kind::wait) waited.push_back(part.task);
      EXPECT_EQ(part.task, waited.back());
      EXPECT_EQ(part.node != nullptr, part.kind == Kind::compute);
      EXPECT_EQ(part.kind == Kind::read,
                part.task == group::start_task && part.kind != Kind::wait && part.kind != Kind::send);
    }
    for (const group::RankStep& step : instance.plan().steps) planned.push_back(step.task);
    EXPECT_EQ(waited, planned);
    EXPECT_EQ(parts.back().task, group::stop_task);
    EXPECT_EQ(parts.back().kind, Kind::write);
  }
}

TEST(ProgramRun, APlanForOneRunIsNoStream) {
  test::Random random(333);
  RandomProgram sample = test::random_program(random, test::world_size());
  sample.target.threads = 1;
  const group::ProgramPlanner planner(sample.program, sample.schedule, sample.target);
  group::ProgramInstance instance(sample.program, planner.plan(test::world_rank()), MPI_COMM_WORLD);
  EXPECT_THROW(instance.run(1, group::StreamBindings()), InternalError);
}

struct Grow {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return in(x)*1e30f;
  }
};
struct Same {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return in(x) + in.zero();
  }
};

struct Neighbours {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x) const {
    return a(x - 1) + a(x + 1) + b(x + 2);
  }
};

/// A loop whose residual is soon infinite, a stage that does not need it, and one that needs both.
Pipeline diverging_pipeline(const Box& box) {
  Pipeline p;
  const auto state = p.input<float, 1>("state", box), other = p.input<float, 1>("other", box);
  p.repeat("grow", 9, [&](const Pipeline::Loop& loop) {
    const auto next = p.stage<float>("next", Grow{}, state);
    loop.watch(p.reduce("size", Maximum<float>{}, next, box));
    loop.feed(next, state);
  });
  p.output(state);
  const auto same = p.stage<float>("same", Same{}, other);
  p.output(same);
  p.output(p.stage<float>("joined", Neighbours{}, state, same), Box{{2, 18}});
  return p;
}

TEST(ProgramRun, AllRanksThrowTheErrorOfATaskBeforeAnythingIsWritten) {
  const Box box{{0, 20}};
  const Pipeline pipeline = diverging_pipeline(box);
  const group::Program program =
      group::cut(pipeline, {}, {{"loop", {"next"}}, {"other", {"same"}}, {"join", {"joined"}}});
  test::WholeArray<float> ones(box);
  for (float& value : ones.values) value = 1;
  test::ArraySource<float> source(ones);
  test::ArraySink<float> state(box), same(box);
  const int last = test::world_size() - 1;
  const int size = test::world_size();
  std::vector<int> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  // The ranks of the last task exchange points, and only one of them knows of the error.
  const group::GroupSchedule schedule{
      "",
      size,
      {{group::TaskId(0), {0}, 0, 0}, {group::TaskId(1), {last}, 1, 1}, {group::TaskId(2), all, 2, 2}}};
  const group::ProgramPlanner planner(program, schedule, {});
  group::ProgramInstance instance(program, planner.plan(test::world_rank()), MPI_COMM_WORLD);
  EXPECT_THROW(instance.run({{{"state", &source}, {"other", &source}}, {{"state", &state}, {"same", &same}}}),
               DivergedError);
  for (int count : same.writes.values) EXPECT_EQ(count, 0);
}

}  // namespace
