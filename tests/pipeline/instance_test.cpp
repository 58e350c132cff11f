// SPDX-License-Identifier: BSD-3-Clause
// Instances of plans: what they promise while they run.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

#include "pipeline/instance_sample.hpp"
#include "pipeline/random_schedule.hpp"
#include "pipeline/world.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"

namespace {

std::atomic<std::int64_t> allocations = 0;

void* allocate(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// All of this program's, to count them.
void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace tessera;
using test::InstanceSample;
using test::Point;

void count_kokkos_allocation(Kokkos::Profiling::SpaceHandle, const char*, const void*, std::uint64_t) {
  ++allocations;
}

std::int64_t launches = 0;

void count_launch(const char*, std::uint32_t, std::uint64_t*) { ++launches; }

/// How many kernels `call` launches.
template <class Call>
std::int64_t launches_of(const Call& call) {
  launches = 0;
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(&count_launch);
  call();
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
  return launches;
}

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};

/// Returns what `call` allocates, by operator new and by Kokkos.
template <class Call>
std::int64_t allocations_of(const Call& call) {
  Kokkos::Tools::Experimental::set_allocate_data_callback(&count_kokkos_allocation);
  const std::int64_t before = allocations;
  call();
  const std::int64_t after = allocations;
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  return after - before;
}

test::WholeArray<float> random_image(test::Random& random, const Box& box) {
  test::WholeArray<float> image(box);
  for (float& value : image.values) value = static_cast<float>(random.real(-4, 4));
  return image;
}

/// Returns what one rank computes.
test::WholeArray<float> expected_output(const InstanceSample& sample, const test::WholeArray<float>& image) {
  test::ArraySource<float> source(image);
  test::ArraySink<float> sink(sample.box);
  Rehearsal(sample.pipeline, make_plans(sample.pipeline, {}, {}, 1))
      .run({{{"in", &source}}, {{"out", &sink}}});
  return sink.array;
}

std::int64_t wrong_points(const PlanInstance& instance, const test::WholeArray<float>& expected) {
  const auto view = instance.view<float, 2>("out");
  const auto output = view.host();
  std::int64_t wrong = 0;
  test::for_each_point(view.owned(), [&](const Point& p) {
    wrong += output.accessor()(static_cast<int>(p[0]), static_cast<int>(p[1])) != expected.at(p);
  });
  return wrong;
}

PlanInstance instance_of(const InstanceSample& sample, const Target& target, HostMode mode) {
  return PlanInstance(
      sample.pipeline,
      make_plan(sample.pipeline, sample.schedule, target, test::world_size(), test::world_rank()),
      MPI_COMM_WORLD, {}, mode);
}

/// Returns what Kokkos itself may allocate for a kernel: versions 4 with their deprecated code do, with some
/// policies.
std::int64_t allocations_of_a_launch() {
  const ExecutionSpace execution;
  const auto launch = [&] {
    Kokkos::parallel_for(
        "nothing", Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Static>>(execution, 0, 3),
        Nothing());
  };
  launch();
  return allocations_of(launch);
}

void expect_no_allocations(const InstanceSample& sample, const Target& target, test::Random& random) {
  const auto image = random_image(random, sample.box);
  test::ArraySource<float> source(image);
  PlanInstance instance = instance_of(sample, target, HostMode::kernels);
  instance.load("in", source);
  instance.compute();
  const std::int64_t by_kokkos = launches_of([&] { instance.compute(); }) * allocations_of_a_launch();
  for (int round = 0; round < 3; ++round) {
    const std::int64_t allocated = allocations_of([&] { instance.compute(); });
    EXPECT_LE(allocated, by_kokkos) << (target.device ? "as on a device, " : "") << target.threads
                                    << " threads";
  }
  EXPECT_EQ(wrong_points(instance, expected_output(sample, image)), 0);
}

TEST(Instance, AllocatesNothingWhileItRuns) {
  test::Random random(221);
  // So wide that rows are copied, and borders filled, by several threads.
  const Box box{{0, 17000}, {0, 9}};
  const InstanceSample samples[] = {InstanceSample(box, 0), InstanceSample(box, 1)};
  EXPECT_GT(allocations_of([&] { instance_of(samples[0], {}, HostMode::kernels); }), 0);
  for (const InstanceSample& sample : samples)
    for (bool device : {false, true})
      for (int threads : {1, 3}) {
        Target target;
        target.threads = threads;
        target.device = device;
        expect_no_allocations(sample, target, random);
      }
}

TEST(Instance, TwoRunAtOnceOnThreadsOfTheHost) {
  int level = 0;
  MPI_Query_thread(&level);
  ASSERT_EQ(level, MPI_THREAD_MULTIPLE);
  test::Random random(222);
  const InstanceSample first(Box{{0, 61}, {0, 40}}), second(Box{{-3, 40}, {2, 33}});
  const auto image_a = random_image(random, first.box), image_b = random_image(random, second.box);
  const auto expected_a = expected_output(first, image_a), expected_b = expected_output(second, image_b);
  test::ArraySource<float> source_a(image_a), source_b(image_b);
  PlanInstance a = instance_of(first, {}, HostMode::calling_thread);
  PlanInstance b = instance_of(second, {}, HostMode::calling_thread);
  const auto run = [](PlanInstance& instance, BlockSource& source, const test::WholeArray<float>& expected,
                      std::int64_t& wrong) {
    for (int round = 0; round < 100; ++round) {
      instance.run({{{"in", &source}}, {}});
      wrong += wrong_points(instance, expected);
    }
  };
  std::int64_t wrong_a = 0, wrong_b = 0;
  std::thread other([&] { run(a, source_a, expected_a, wrong_a); });
  run(b, source_b, expected_b, wrong_b);
  other.join();
  EXPECT_EQ(wrong_a, 0);
  EXPECT_EQ(wrong_b, 0);
}

}  // namespace
