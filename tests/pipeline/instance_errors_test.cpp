// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "pipeline/array_source.hpp"
#include "pipeline/plan_sample.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"

namespace {

using namespace tessera;

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
  EXPECT_EQ(message([&] { static_cast<void>(instance.view<double, 2>("bv")); }),
            "'bv' is 2-dimensional of float32, not 2-dimensional of float64");
  EXPECT_EQ(message([&] { static_cast<void>(instance.view<float, 3>("bv")); }),
            "'bv' is 2-dimensional of float32, not 3-dimensional of float32");
  EXPECT_EQ(message([&] { static_cast<void>(instance.view<float, 2>("bx")); }),
            "the pipeline has no stage or input 'bx'");
}

TEST(PlanInstance, KeepsInputsAndOutputs) {
  for (Placement placement : {Placement::tile, Placement::distributed}) {
    PlanInstance instance = instance_of(placement);
    test::ArraySink<float> sink(Box{{0, 8}, {-1, 7}});
    const std::string expected = "'bh' is neither input nor output: no array keeps it";
    EXPECT_EQ(test::message_of<InternalError>([&] { static_cast<void>(instance.view<float, 2>("bh")); }),
              expected);
    EXPECT_EQ(test::message_of<InternalError>([&] { instance.store("bh", sink); }), expected);
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
    EXPECT_EQ(message([&] { PlanInstance(pipeline, plan, MPI_COMM_SELF, {}, HostMode::kernels, memory); }),
              "'input' cannot be computed in the memory of the caller: kernels run on a device");
    return;
  }
  PlanInstance instance(pipeline, plan, MPI_COMM_SELF, {}, HostMode::kernels, memory);
  const std::string no_input = "'input' has no memory: bind a block to it before the first run";
  const test::WholeArray<float> points(image);
  test::ArraySource<float> source(points);
  test::ArraySink<float> sink(image);
  EXPECT_EQ(message([&] { instance.run({}); }), no_input);
  EXPECT_EQ(message([&] { instance.load("input", source); }), no_input);
  EXPECT_EQ(message([&] { instance.store("input", sink); }), no_input);
  EXPECT_EQ(message([&] { static_cast<void>(instance.view<float, 2>("input")); }), no_input);
  const auto bind = [&](const char* name) {
    const BlockLayout layout = layout_in_memory(pipeline, plan, name);
    instance.bind(name, {layout, Kokkos::View<std::byte*, Kokkos::HostSpace>(
                                     "block", static_cast<std::size_t>(layout.bytes))});
  };
  bind("input");
  EXPECT_EQ(message([&] { instance.compute(); }),
            "'bv' has no memory: bind a block to it before the first run");
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
    EXPECT_EQ(error_without_memory_for(blur, schedule, "bh"),
              "'bh' is neither input nor output: no array keeps it");
  }
}

TEST(PlanInstance, OfAnotherRankIsAnError) {
  const Pipeline pipeline = test::blur_pipeline<float>(image, image);
  const Plan plan = make_plan(pipeline, {}, {}, 3, 1);
  EXPECT_EQ(test::message_of<InternalError>([&] { PlanInstance(pipeline, plan, MPI_COMM_SELF); }),
            "a plan for rank 1 of 3 on rank 0 of 1");
}

}  // namespace
