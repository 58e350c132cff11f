// SPDX-License-Identifier: BSD-3-Clause
// Streams of items on the ranks of MPI.
#include "tessera/group/program_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "group/random_program.hpp"
#include "pipeline/world.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/group/program_plan.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

using namespace tessera;
using test::MixedBindings;
using test::RandomProgram;

#ifdef TESSERA_TEST_FEWER
constexpr int all_cases = 16;
#else
constexpr int all_cases = 48;
#endif
constexpr int item_count = 7;

/// The number of cases. It is less on more ranks, as several of them share a core.
int cases() { return all_cases / test::world_size(); }

/// A program with a schedule for a stream: tasks at random times, and a random period.
struct StreamSample {
  RandomProgram program;
  int window = 1;

  group::ProgramPlanner planner() const {
    return {program.program, program.schedule, program.target, window};
  }
};

StreamSample random_stream(test::Random& random, int ranks) {
  StreamSample sample{test::random_program(random, ranks), random.small(1, 5)};
  sample.program.target.threads = 1;
  sample.program.schedule.period = random.small(0, 6);
  double start = 0;
  for (group::ScheduledTask& task : sample.program.schedule.tasks) {
    task.start = start;
    start += random.small(1, 4);
  }
  return sample;
}

/// The inputs of an item, which are different for each item.
IdVector<ArrayId, test::WholeArray<double>> inputs_of(const test::MixedGraph& graph, std::int64_t item) {
  auto inputs = graph.inputs;
  for (auto& input : inputs)
    if (const auto size = static_cast<std::int64_t>(input.values.size()); size > 0)
      std::rotate(input.values.begin(), input.values.begin() + item * 5 % size, input.values.end());
  return inputs;
}

/// A source that owns its array.
class OwnSource final : public BlockSource {
 public:
  explicit OwnSource(test::WholeArray<double> array) : array_(std::move(array)) {}
  void read(const HostBlock& block) override { test::MixedSource(array_).read(block); }

 private:
  test::WholeArray<double> array_;
};

/// Passes blocks on to a sink that is kept elsewhere.
class PassingSink final : public BlockSink {
 public:
  explicit PassingSink(BlockSink& to) : to_(to) {}
  void write(const HostBlock& block) override { to_.write(block); }

 private:
  BlockSink& to_;
};

/// The sources of all items, and sinks that keep their outputs.
struct ItemBindings {
  explicit ItemBindings(const test::MixedGraph& of) : graph(of) {
    for (int item = 0; item < item_count; ++item) found.push_back(std::make_unique<MixedBindings>(graph));
    bindings.source = [this](std::int64_t item, const std::string& input) -> std::unique_ptr<BlockSource> {
      if (item == broken_item) throw InputError("item 3 is broken");
      const ArrayId array = graph.pipeline.find(input);
      return std::make_unique<OwnSource>(inputs_of(graph, item)[array]);
    };
    bindings.sink = [this](std::int64_t item, const std::string& output,
                           MPI_Comm) -> std::unique_ptr<BlockSink> {
      return std::make_unique<PassingSink>(*found[static_cast<std::size_t>(item)]->bindings.sinks.at(output));
    };
  }

  const test::MixedGraph& graph;
  std::vector<std::unique_ptr<MixedBindings>> found;
  std::int64_t broken_item = -1;
  group::StreamBindings bindings;
};

/// Computes an item by the undivided pipeline on one rank.
void compute_alone(const test::MixedGraph& graph, std::int64_t item, MixedBindings& to) {
  const auto inputs = inputs_of(graph, item);
  std::vector<std::unique_ptr<test::MixedSource>> sources;
  for (auto& [name, source] : to.bindings.sources) {
    sources.push_back(std::make_unique<test::MixedSource>(inputs[graph.pipeline.find(name)]));
    source = sources.back().get();
  }
  Rehearsal(graph.pipeline, make_plans(graph.pipeline, {}, {}, 1)).run(to.bindings);
}

/// Returns the number of points that this rank has written. They must have the values that are expected.
std::int64_t written_points(const test::MixedGraph& graph, std::int64_t item, const MixedBindings& found,
                            const std::string& text) {
  MixedBindings expected(graph);
  compute_alone(graph, item, expected);
  std::int64_t count = 0;
  for (const ArrayId id : found.sinks.ids()) {
    if (found.sinks[id] == nullptr) continue;
    const auto& writes = found.sinks[id]->writes;
    test::for_each_point(writes.box, [&](const test::Point& p) {
      if (writes.at(p) == 0) return;
      ++count;
      const double value = found.sinks[id]->array.at(p), wanted = expected.sinks[id]->array.at(p);
      EXPECT_TRUE(writes.at(p) == 1 && std::memcmp(&value, &wanted, sizeof value) == 0) << item << text;
    });
  }
  return count;
}

std::int64_t all_points(const MixedBindings& bindings) {
  std::int64_t count = 0;
  for (const auto& sink : bindings.sinks)
    if (sink != nullptr) count += sink->writes.box.size();
  return count;
}

std::int64_t sum_of_ranks(std::int64_t mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return mine;
}

TEST(ProgramStream, EveryItemHasTheBitsOfThePipeline) {
  test::Random random(341 + 10 * test::world_size());
  for (int i = 0; i < cases(); ++i) {
    const StreamSample sample = random_stream(random, test::world_size());
    const group::ProgramPlanner planner = sample.planner();
    group::ProgramInstance stream(sample.program.program, planner.plan(test::world_rank()), MPI_COMM_WORLD);
    EXPECT_LE(stream.plan().slots, sample.window);
    for (int run = 0; run < 2; ++run) {
      ItemBindings items(sample.program.graph);
      const group::StreamOutcome outcome = stream.run(item_count, items.bindings);
      EXPECT_EQ(outcome.begun, item_count);
      EXPECT_TRUE(outcome.failed.empty());
      for (int item = 0; item < item_count; ++item) {
        const MixedBindings& found = *items.found[static_cast<std::size_t>(item)];
        EXPECT_EQ(sum_of_ranks(written_points(sample.program.graph, item, found, sample.program.text())),
                  all_points(found));
      }
    }
  }
}

/// Returns whether any rank reads inputs. There are programs without any.
bool reads_inputs(const group::ProgramPlan& plan, const group::Program& program) {
  return sum_of_ranks(std::ranges::count_if(plan.held, [&](const group::HeldArray& held) {
           return program.array(held.array).is_input();
         })) > 0;
}

TEST(ProgramStream, AnItemThatFailsEndsTheStreamOrIsLeftOut) {
  test::Random random(342 + 10 * test::world_size());
  for (int i = 0; i < cases() / 4; ++i) {
    const StreamSample sample = random_stream(random, test::world_size());
    const group::ProgramPlanner planner = sample.planner();
    group::ProgramInstance stream(sample.program.program, planner.plan(test::world_rank()), MPI_COMM_WORLD);
    if (!reads_inputs(stream.plan(), sample.program.program)) continue;
    for (const bool skips : {false, true}) {
      ItemBindings items(sample.program.graph);
      items.broken_item = 3;
      items.bindings.skips_failures = skips;
      const group::StreamOutcome outcome = stream.run(item_count, items.bindings);
      std::int64_t begun = outcome.begun, failures = std::ssize(outcome.failed);
      MPI_Bcast(&begun, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
      EXPECT_EQ(outcome.begun, begun);
      EXPECT_TRUE(!skips || begun == item_count);
      EXPECT_GT(sum_of_ranks(failures), 0);
      for (const group::FailedItem& failed : outcome.failed) {
        EXPECT_EQ(failed.item, 3);
        EXPECT_EQ(failed.reason, "item 3 is broken");
      }
      for (int item = 0; item < begun; ++item) {
        const MixedBindings& found = *items.found[static_cast<std::size_t>(item)];
        const std::int64_t written =
            sum_of_ranks(written_points(sample.program.graph, item, found, sample.program.text()));
        EXPECT_EQ(written == all_points(found), item != 3);
      }
    }
  }
}

TEST(ProgramStream, OneRankStopsAllAtTheSameItem) {
  test::Random random(343 + 10 * test::world_size());
  for (int i = 0; i < cases() / 4; ++i) {
    const StreamSample sample = random_stream(random, test::world_size());
    const group::ProgramPlanner planner = sample.planner();
    group::ProgramInstance stream(sample.program.program, planner.plan(test::world_rank()), MPI_COMM_WORLD);
    ItemBindings items(sample.program.graph);
    items.bindings.sink = [](std::int64_t, const std::string&, MPI_Comm) { return nullptr; };
    int calls = 0;
    items.bindings.is_stopped = [&calls] { return ++calls > 2 && test::world_rank() == 0; };
    items.bindings.source = [&](std::int64_t item, const std::string& input) -> std::unique_ptr<BlockSource> {
      const ArrayId array = sample.program.graph.pipeline.find(input);
      return std::make_unique<OwnSource>(inputs_of(sample.program.graph, item)[array]);
    };
    const group::StreamOutcome outcome = stream.run(1000, items.bindings);
    EXPECT_TRUE(outcome.is_stopped);
    EXPECT_EQ(outcome.begun, 2 + stream.plan().most_items);
    calls = 0;
    const group::StreamOutcome few = stream.run(3, items.bindings);
    EXPECT_TRUE(few.is_stopped);
    EXPECT_EQ(few.begun, 3);
    calls = -3;
    const group::StreamOutcome none = stream.run(3, items.bindings);
    EXPECT_FALSE(none.is_stopped);
  }
}

/// Streams on more ranks than MPI has here. Messages are copied as late as the plans allow.
TEST(ProgramStream, PlansAreRehearsed) {
  test::Random random(344);
  int with_rounds = 0;
  for (int i = 0; i < cases(); ++i) {
    const StreamSample sample = random_stream(random, i == 0 ? 64 : random.small(1, 9));
    const std::vector<group::ProgramPlan> plans = sample.planner().plans();
    for (const group::ProgramPlan& plan : plans) {
      EXPECT_LE(plan.slots, sample.window);
      with_rounds += plan.slots > 2 ? 1 : 0;
    }
    ItemBindings items(sample.program.graph);
    group::ProgramRehearsal(sample.program.program, plans).run(item_count, items.bindings);
    for (int item = 0; item < item_count; ++item) {
      const MixedBindings& found = *items.found[static_cast<std::size_t>(item)];
      EXPECT_EQ(written_points(sample.program.graph, item, found, sample.program.text()), all_points(found));
    }
  }
  EXPECT_GT(with_rounds, 0);
}

}  // namespace
