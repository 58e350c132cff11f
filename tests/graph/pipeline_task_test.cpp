// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/pipeline_task.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "tessera/domain/error.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace tessera::graph {
namespace {

/// The sum of a point and its neighbours in a row.
struct SumOfThree {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x - 1, y) + in(x, y) + in(x + 1, y);
  }
};

/// The sum of two points that lie 7 points to the left and to the right.
struct SumOfEnds {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x - 7, y) + in(x + 7, y);
  }
};

/// The sums of images of `domain`, planned for one rank with one thread. The plan is for hosts or for
/// devices.
PlannedPipeline planned_sums(const Box& domain, bool device = !runs_on_host) {
  Pipeline sums;
  const auto input = sums.input<float, 2>("input", domain, Boundary::clamp);
  sums.output(sums.stage<float>("sums", SumOfThree{}, input), domain);
  Plan plan = make_plan(sums, {}, {.threads = 1, .device = device}, 1, 0);
  return {.algorithm = std::move(sums), .plan = std::move(plan), .output = "sums"};
}

/// Calls `use(point, x, y)` for all points of an image.
template <class Use>
void for_each_point(const Image& image, const Use& use) {
  const HostBlock points = image.points();
  for (int y = 0; y < points.box[1].end; ++y)
    for (int x = 0; x < points.box[0].end; ++x)
      use(reinterpret_cast<float*>(points.data)[x + y * points.strides[1]], x, y);
}

TEST(GraphPipeline, ComputesImagesOfSeveralShapesInTheirMemory) {
  PlanCache plans;
  Graph graph("sums");
  const Pool<Image> images(graph, "images", {.count = 6, .per_item = 2},
                           [] { return std::make_shared<Image>(); });
  const auto drawn = graph.source(
      "draw", {},
      [&](std::int64_t number, Lease<Image> image) -> std::optional<Lease<Image>> {
        if (number == 20) return std::nullopt;
        const Box domain{{0, number % 2 == 0 ? 40 : 30}, {0, 20}};
        image->become_input(plans.get(domain, ElementType::float32, [&] { return planned_sums(domain); }));
        for_each_point(*image, [&](float& point, int x, int y) {
          point = static_cast<float>(1000 * number + 10 * x + y);
        });
        return image;
      },
      images);
  const auto summed = pipeline(graph, "sum", {}, drawn, images);
  std::int64_t number = 0, wrong = 0, points = 0;
  graph.sink(
      "compare", {.order = Order::stamp},
      [&](const Lease<Image>& image) {
        const int end = number % 2 == 0 ? 40 : 30;
        for_each_point(*image, [&](const float& point, int x, int y) {
          const int left = std::max(x - 1, 0), right = std::min(x + 1, end - 1);
          wrong += point == static_cast<float>(3 * (1000 * number + y) + 10 * (left + x + right)) ? 0 : 1;
          ++points;
        });
        ++number;
      },
      summed);
  for (const int workers : {1, 2, 3}) {
    number = points = 0;
    graph.run({.workers = workers}).wait();
    EXPECT_EQ(number, 20);
    EXPECT_EQ(points, 10 * (40 + 30) * 20);
    EXPECT_EQ(wrong, 0);
  }
}

TEST(GraphPipeline, CopiesThePointsIfThePlanIsForADevice) {
  const Box domain{{0, 40}, {0, 20}};
  const auto sums = std::make_shared<const PlannedPipeline>(planned_sums(domain, true));
  Image image, summed;
  image.become_input(sums);
  summed.become_output(sums);
  PipelineBody body(HostMode::kernels);
  for (int number = 0; number < 3; ++number) {
    for_each_point(
        image, [&](float& point, int x, int y) { point = static_cast<float>(1000 * number + 10 * x + y); });
    body.compute(sums, {{"input", image}, {"sums", summed}});
    for_each_point(summed, [&](float point, int x, int y) {
      const int left = std::max(x - 1, 0), right = std::min(x + 1, 39);
      EXPECT_EQ(point, static_cast<float>(3 * (1000 * number + y) + 10 * (left + x + right)));
    });
  }
}

TEST(GraphPipeline, ComputesInAnImageWithThePointsOfSeveralPlans) {
  const Box domain{{0, 40}, {0, 20}};
  const auto sums = std::make_shared<const PlannedPipeline>(planned_sums(domain));
  Pipeline wide;
  const auto input = wide.input<float, 2>("input", domain, Boundary::constant);
  wide.output(wide.stage<float>("ends", SumOfEnds{}, input), domain);
  Plan plan = make_plan(wide, {}, {.threads = 1}, 1, 0);
  const Box needed = points_in_memory(wide, plan, "input");
  const auto ends = std::make_shared<const PlannedPipeline>(
      PlannedPipeline{.algorithm = std::move(wide), .plan = std::move(plan), .output = "ends"});
  EXPECT_FALSE(points_in_memory(sums->algorithm, sums->plan, "input").contains(needed));
  Image image, summed, ended;
  summed.become_output(sums);
  ended.become_output(ends);
  PipelineBody body;
  image.become_input(sums);
  EXPECT_THROW(body.compute(ends, {{"input", image}, {"ends", ended}}), InternalError);
  image.become_input(sums, needed);
  EXPECT_TRUE(image.block().box().contains(needed));
  for_each_point(image, [](float& point, int x, int y) { point = static_cast<float>(1 + 10 * x + y); });
  body.compute(sums, {{"input", image}, {"sums", summed}});
  body.compute(ends, {{"input", image}, {"ends", ended}});
  for_each_point(summed, [](float point, int x, int y) {
    EXPECT_EQ(point, static_cast<float>(3 * (1 + y) + 10 * (std::max(x - 1, 0) + x + std::min(x + 1, 39))));
  });
  for_each_point(ended, [](float point, int x, int y) {
    const auto value = [y](int at) { return at < 0 || at > 39 ? 0 : 1 + 10 * at + y; };
    EXPECT_EQ(point, static_cast<float>(value(x - 7) + value(x + 7)));
  });
}

std::int64_t allocated_bytes = 0;

void count_bytes(Kokkos::Profiling::SpaceHandle, const char* label, const void*, std::uint64_t bytes) {
  if (std::string_view(label) == "tessera: arrays") allocated_bytes += static_cast<std::int64_t>(bytes);
}

/// Returns the bytes that plan instances allocate for arrays while `call` runs.
template <class Call>
std::int64_t bytes_of(const Call& call) {
  allocated_bytes = 0;
  Kokkos::Tools::Experimental::set_allocate_data_callback(&count_bytes);
  call();
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  return allocated_bytes;
}

/// The sums of the sums of three points, whose first sums are an array that is neither input nor output.
PlannedPipeline planned_sums_of_sums(const Box& domain) {
  Pipeline sums;
  const auto input = sums.input<float, 2>("input", domain, Boundary::clamp);
  const auto inner = sums.stage<float>("inner", SumOfThree{}, input);
  sums.output(sums.stage<float>("sums", SumOfThree{}, inner), domain);
  Schedule schedule;
  schedule.stages["inner"].placement = Placement::rank;
  Plan plan = make_plan(sums, schedule, {.threads = 1}, 1, 0);
  return {.algorithm = std::move(sums), .plan = std::move(plan), .output = "sums"};
}

TEST(GraphPipeline, HasNoMemoryOfItsOwnForImages) {
  const Box domain{{0, 400}, {0, 200}};
  constexpr std::int64_t array_bytes = 400 * 200 * sizeof(float);
  const auto sums = std::make_shared<const PlannedPipeline>(planned_sums_of_sums(domain));
  std::array<Image, 4> images;
  for (std::size_t i = 0; i < images.size(); ++i)
    i % 2 == 0 ? images[i].become_input(sums) : images[i].become_output(sums);
  for (const std::size_t i : {0, 2})
    for_each_point(images[i], [&](float& point, int x, int y) {
      point = static_cast<float>(1000 * i + static_cast<std::size_t>(10 * x + y));
    });
  const auto wrong_of = [&](std::size_t number) {
    std::int64_t wrong = 0;
    for_each_point(images[number + 1], [&](float point, int x, int y) {
      int columns = 0;
      for (const int first : {-1, 0, 1})
        for (const int second : {-1, 0, 1}) columns += std::clamp(x + first + second, 0, 399);
      wrong += point != static_cast<float>(9 * (1000 * static_cast<int>(number) + y) + 10 * columns);
    });
    return wrong;
  };
  PipelineBody body;
  const std::int64_t bytes = bytes_of([&] {
    body.compute(sums, {{"input", images[0]}, {"sums", images[1]}});
  });
  EXPECT_EQ(wrong_of(0), 0);
  // Devices have memory for all three arrays, and copy the points of images.
  const std::int64_t own = runs_on_host ? 1 : 3;
  EXPECT_GE(bytes, own * array_bytes);
  EXPECT_LT(bytes, (own + 1) * array_bytes);
  EXPECT_EQ(bytes_of([&] { body.compute(sums, {{"input", images[2]}, {"sums", images[3]}}); }), 0);
  EXPECT_EQ(wrong_of(2), 0);
  // An array without an image has memory of its own, whatever images the calls before had.
  EXPECT_GE(bytes_of([&] { body.compute(sums, {{"input", images[0]}}); }), (3 - own) * array_bytes);
  EXPECT_EQ(bytes_of([&] { body.compute(sums, {{"input", images[2]}, {"sums", images[3]}}); }), 0);
  EXPECT_EQ(wrong_of(2), 0);
  if constexpr (runs_on_host) {
    EXPECT_THROW(body.compute(sums, {{"inner", images[0]}}), InternalError);
  }
}

}  // namespace
}  // namespace tessera::graph
