// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "messages.hpp"
#include "pipeline/array_source.hpp"
#include "pipeline/plan_sample.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"

namespace {

using namespace tessera;
using test::expect_message;

const Box image{{0, 8}, {0, 6}};

/// On one rank, whatever the world is.
PlanInstance instance_of(Placement placement) {
  const Pipeline pipeline = test::blur_pipeline<float>(image, image);
  Schedule schedule;
  schedule.stages["bh"].placement = placement;
  return PlanInstance(pipeline, make_plan(pipeline, schedule, {}, 1, 0), MPI_COMM_SELF);
}

TEST(PlanInstance, ViewsMustBeAskedForAsTheyAre) {
  const PlanInstance instance = instance_of(Placement::rank);
  const auto message = [](const auto& call) { return test::message_of<InternalError>(call); };
  EXPECT_EQ((instance.view<float, 2>("bv").owned()), image);
  expect_message(message([&] { static_cast<void>(instance.view<double, 2>("bv")); }),
                 {"'bv'", "not 2-dimensional", "float64"});
  expect_message(message([&] { static_cast<void>(instance.view<float, 3>("bv")); }),
                 {"'bv'", "2-dimensional of float32", "not 3-dimensional"});
  expect_message(message([&] { static_cast<void>(instance.view<float, 2>("bx")); }),
                 {"no stage", "input", "'bx'"});
}

TEST(PlanInstance, KeepsInputsAndOutputs) {
  for (Placement placement : {Placement::tile, Placement::distributed}) {
    PlanInstance instance = instance_of(placement);
    test::ArraySink<float> sink(Box{{0, 8}, {-1, 7}});
    expect_message(test::message_of<InternalError>([&] { static_cast<void>(instance.view<float, 2>("bh")); }),
                   {"'bh'", "nor output", "array keeps"});
    expect_message(test::message_of<InternalError>([&] { instance.store("bh", sink); }),
                   {"'bh'", "nor output", "array keeps"});
    EXPECT_EQ((instance.view<float, 2>("input").owned()), image);
  }
}

TEST(PlanInstance, NeedsTheBlocksThatItHasNoMemoryFor) {
  const auto message = [](const auto& call) { return test::message_of<InternalError>(call); };
  const Pipeline pipeline = test::blur_pipeline<float>(image, image);
  const Plan plan = make_plan(pipeline, {}, {}, 1, 0);
  ArrayMemory memory;
  memory.bound = {"input", "bv"};
  if constexpr (!runs_on_host) {
    // Not in tests/messages.txt, which has the texts of builds for processors.
    EXPECT_EQ(message([&] { PlanInstance(pipeline, plan, MPI_COMM_SELF, {}, HostMode::kernels, memory); }),
              "'input' cannot be computed in the memory of the caller: kernels run on a device");
    return;
  }
  PlanInstance instance(pipeline, plan, MPI_COMM_SELF, {}, HostMode::kernels, memory);
  const test::WholeArray<float> points(image);
  test::ArraySource<float> source(points);
  test::ArraySink<float> sink(image);
  expect_message(message([&] { instance.run({}); }), {"'input'", "no memory", "first run"});
  expect_message(message([&] { instance.load("input", source); }), {"'input'", "no memory", "first run"});
  expect_message(message([&] { instance.store("input", sink); }), {"'input'", "no memory", "first run"});
  expect_message(message([&] { static_cast<void>(instance.view<float, 2>("input")); }),
                 {"'input'", "no memory", "first run"});
  const auto bind = [&](const char* name) {
    const BlockLayout layout = layout_in_memory(pipeline, plan, name);
    instance.bind(name, {layout, Kokkos::View<std::byte*, Kokkos::HostSpace>(
                                     "block", static_cast<std::size_t>(layout.bytes))});
  };
  bind("input");
  expect_message(message([&] { instance.compute(); }), {"'bv'", "no memory", "first run"});
  bind("bv");
  EXPECT_NO_THROW(instance.compute());
  EXPECT_NO_THROW(instance.load("input", source));
}

/// Returns the error of an instance that has no memory for `name` before a block is bound to it.
std::string error_without_memory_for(const Pipeline& pipeline, const Schedule& schedule, const char* name) {
  const Plan plan = make_plan(pipeline, schedule, {.device = !runs_on_host}, 1, 0);
  ArrayMemory memory;
  memory.bound = {name};
  return test::message_of<InternalError>(
      [&] { PlanInstance(pipeline, plan, MPI_COMM_SELF, {}, HostMode::kernels, memory); });
}

TEST(PlanInstance, HasBlocksBoundOnlyToArraysThatThePlanKeeps) {
  const Pipeline blur = test::blur_pipeline<float>(image, image);
  for (Placement placement : {Placement::tile, Placement::rank}) {
    Schedule schedule;
    schedule.stages["bh"].placement = placement;
    expect_message(error_without_memory_for(blur, schedule, "bh"), {"'bh'", "nor output", "array keeps"});
  }
}

TEST(PlanInstance, OfAnotherRankIsAnError) {
  const Pipeline pipeline = test::blur_pipeline<float>(image, image);
  const Plan plan = make_plan(pipeline, {}, {}, 3, 1);
  expect_message(test::message_of<InternalError>([&] { PlanInstance(pipeline, plan, MPI_COMM_SELF); }),
                 {"plan", "rank 1"});
}

}  // namespace
