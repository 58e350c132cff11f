// SPDX-License-Identifier: BSD-3-Clause
// Arrays that are written past the caches hold what others hold, to the last byte around a box.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "pipeline/array_source.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/kernel/non_temporal_stores.hpp"
#include "tessera/pipeline/plan/plan.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"

namespace {

using namespace tessera;

struct Sum {
  template <class In, class Coord, class... Rest>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Rest... rest) const {
    return in(x, y, rest...) + in(x + 1, y, rest...);
  }
};
/// Rows share what they read, and the last rows of a box are fewer than four.
struct Stencil {
  template <class In, class Coord, class... Rest>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Rest... rest) const {
    return in(x - 1, y - 1, rest...) / 3 + in(x, y, rest...) - in(x + 1, y + 1, rest...);
  }
};
struct StencilOfFourRows : Stencil {
  static constexpr int rows_together = 4;
};
struct Turn {
  static constexpr bool transposes = true;

  template <class In, class Coord, class... Rest>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Rest... rest) const {
    return in(y, x, rest...);
  }
};
struct ThreePoints {
  template <class In, class Coord, class... Rest>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Rest... rest) const {
    return pack(in(3 * x, y, rest...), in(3 * x + 1, y, rest...), in(x, y, rest...));
  }
};
struct TwoOutputs {
  template <class In, class Coord, class... Rest>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Rest... rest) const {
    return pack(in(x - 1, y, rest...) + in(x, y + 1, rest...), in(x, y, rest...));
  }
};
struct TwoPlanes {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return pack(in(x, y, 0), in(x + 1, y, 1));
  }
};

template <class T>
ArrayReference reference_to(const test::WholeArray<T>& array) {
  auto* const data = reinterpret_cast<std::byte*>(const_cast<T*>(array.values.data()));
  return dense_layout(array.box, sizeof(T)).reference(data);
}

/// The whole array, after a stage wrote a box of it and nothing else.
template <class T>
test::WholeArray<T> written(const Algorithm& pipeline, const char* stage, const test::WholeArray<T>& image,
                            const Box& whole, const Box& box, bool non_temporal) {
  test::WholeArray<T> result(whole);
  const ArrayReference input = reference_to(image);
  ArrayReference output = reference_to(result);
  output.non_temporal = non_temporal;
  pipeline[pipeline.find(stage)].kernel->region(&input, &output, box, {});
  return result;
}

template <class T>
class NonTemporalStores : public testing::Test {};
using Types = testing::Types<std::uint8_t, std::uint16_t, float, double>;
TYPED_TEST_SUITE(NonTemporalStores, Types);

TYPED_TEST(NonTemporalStores, BoxesHoldWhatOthersHold) {
  using T = TypeParam;
  test::Random random(501);
  const Box whole{{-2, 5000}, {-3, 8}, {0, 2}}, around{{-9000, 16000}, {-9, 5000}, {0, 2}};
  const Box image_box{{-9, 15010}, {-4, 9}, {0, 2}}, turned_box{{-3, 8}, {-2, 5000}, {0, 2}};
  test::WholeArray<T> image(image_box), turned(turned_box);
  for (auto& value : image.values) value = static_cast<T>(random.small(0, 200));
  for (auto& value : turned.values) value = static_cast<T>(random.small(0, 200));
  Pipeline pipeline;
  const auto input = pipeline.input<T, 3>("input", around);
  pipeline.stage<T>("sum", Sum{}, input);
  pipeline.stage<T>("stencil", Stencil{}, input);
  pipeline.stage<T>("four_rows", StencilOfFourRows{}, input);
  pipeline.stage<T>("turned", Turn{}, input);
  pipeline.template phases<T, 3>("three_points", ThreePoints{}, input);
  pipeline.template planes<T, 3, 2>("two_planes", TwoPlanes{}, input);
  for (int round = 0; round < 40; ++round) {
    Box box = random.box_in(whole);
    box[2] = whole[2];
    for (const char* stage : {"sum", "stencil", "turned", "three_points", "two_planes"}) {
      const auto& from = std::string(stage) == "turned" ? turned : image;
      EXPECT_TRUE(written(pipeline, stage, from, whole, box, true)
                      .same_bits(written(pipeline, stage, from, whole, box, false)))
          << stage << " on " << to_string(box);
    }
    for (bool non_temporal : {false, true})
      EXPECT_TRUE(written(pipeline, "four_rows", image, whole, box, non_temporal)
                      .same_bits(written(pipeline, "stencil", image, whole, box, false)))
          << to_string(box);
  }
}

/// Each of the outputs of a stage may be written past the caches, or not.
TYPED_TEST(NonTemporalStores, OutputsHoldWhatOthersHold) {
  using T = TypeParam;
  test::Random random(502);
  const Box whole{{-2, 5000}, {-3, 8}, {0, 2}};
  test::WholeArray<T> image(Box{{-9, 5009}, {-4, 9}, {0, 2}});
  for (auto& value : image.values) value = static_cast<T>(random.small(0, 200));
  Pipeline pipeline;
  const auto input = pipeline.input<T, 3>("input", image.box);
  pipeline.stages<TypeList<T, double>>({"sum", "copy"}, TwoOutputs{}, input);
  for (int round = 0; round < 20; ++round) {
    Box box = random.box_in(whole);
    box[2] = whole[2];
    std::vector<test::WholeArray<T>> sums(4, test::WholeArray<T>(whole));
    std::vector<test::WholeArray<double>> copies(4, test::WholeArray<double>(whole));
    for (std::size_t k = 0; k < 4; ++k) {
      const ArrayReference from = reference_to(image);
      ArrayReference outputs[] = {reference_to(sums[k]), reference_to(copies[k])};
      outputs[0].non_temporal = k % 2 == 1;
      outputs[1].non_temporal = k / 2 == 1;
      pipeline[pipeline.find("sum")].kernel->region(&from, outputs, box, {});
      EXPECT_TRUE(sums[k].same_bits(sums[0]) && copies[k].same_bits(copies[0]))
          << k << " on " << to_string(box);
    }
    test::for_each_point(
        box, [&](const test::Point& p) { EXPECT_EQ(copies[3].at(p), static_cast<double>(image.at(p))); });
  }
}

struct Copy {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y);
  }
};
struct ThreeRows {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y - 1) + in(x, y) + in(x, y + 1);
  }
};

/// The stages that the plan of one rank writes past a cache of this size. The reduction of `copied` is a
/// step of its own, or done with what it reduces.
template <class T = float>
std::set<std::string> written_past_caches(std::int64_t cache_bytes, bool device = false,
                                          bool contributes = false) {
  const Box box{{0, 64}, {0, 32}};  // of 8192 bytes, if elements have four
  Pipeline pipeline;
  const auto input = pipeline.input<T, 2>("input", box, Boundary::clamp);
  const auto copied = pipeline.stage<T>("copied", Copy{}, input);
  const auto stencil = pipeline.stage<T>("stencil", ThreeRows{}, copied);
  const auto in_tiles = pipeline.stage<T>("in_tiles", Copy{}, stencil);
  pipeline.output(pipeline.stage<T>("fused", ThreeRows{}, in_tiles), box);
  pipeline.output(pipeline.stage<T>("turned", Turn{}, stencil), Box{{0, 32}, {0, 64}});
  pipeline.output(pipeline.reduce("least", Minimum<T>(), copied, box));
  Schedule schedule;
  schedule.stages["in_tiles"].placement = Placement::tile;
  if (!contributes) schedule.stages["least"].tile = {64, 32};
  Target target;
  target.cache_bytes = cache_bytes;
  target.device = device;
  const Plan plan = make_plan(pipeline, device ? Schedule{} : schedule, target, 1, 0);
  std::set<std::string> names;
  walk(plan.root, [&](const PlanNode& node) {
    const auto* step = std::get_if<plan::Compute>(&node.step);
    if (step != nullptr && step->non_temporal) names.insert(pipeline[step->stage].name);
  });
  return names;
}

TEST(NonTemporalStores, AreLargeResults) {
  const std::set<std::string> all{"copied", "fused", "stencil", "turned"};
  EXPECT_EQ(written_past_caches(1), all);
  EXPECT_EQ(written_past_caches(2 * 8192 - 1), all);
  // No more than half of the cache; `stencil`, and what it needs of `copied`, are larger, and a quarter
  // counts for `turned`.
  EXPECT_EQ(written_past_caches(2 * 8192 + 2), (std::set<std::string>{"copied", "stencil", "turned"}));
  EXPECT_EQ(written_past_caches(4 * 8192 - 1), (std::set<std::string>{"turned"}));
  EXPECT_EQ(written_past_caches(4 * 8192), std::set<std::string>());
  // What is reduced right after it was computed would have to be fetched back.
  EXPECT_EQ(written_past_caches(1, false, true), (std::set<std::string>{"fused", "stencil", "turned"}));
  // Stencils of small elements wait for the rows that they read from memory.
  EXPECT_EQ(written_past_caches<std::uint16_t>(1), (std::set<std::string>{"copied", "fused", "turned"}));
  EXPECT_EQ(written_past_caches(1 << 20), std::set<std::string>());
  EXPECT_EQ(written_past_caches(0), std::set<std::string>());
  EXPECT_EQ(written_past_caches(1, true), std::set<std::string>());
}

/// The stages of a loop of two stages that write past a cache of this size.
std::set<std::string> turns_written_past(std::int64_t cache_bytes) {
  const Box box{{0, 64}, {0, 32}};
  Pipeline pipeline;
  const auto u = pipeline.stage<float>("u", Copy{}, pipeline.input<float, 2>("input", box));
  pipeline.bound(u, box, Boundary::clamp);
  pipeline.repeat("loop", 2, [&](const Pipeline::Loop& loop) {
    const auto half = pipeline.stage<float>("half", ThreeRows{}, u);
    pipeline.bound(half, box, Boundary::clamp);
    loop.feed(pipeline.stage<float>("next", ThreeRows{}, half), u);
  });
  pipeline.output(u, box);
  Schedule schedule;
  schedule.stages["half"].placement = Placement::distributed;
  Target target;
  target.cache_bytes = cache_bytes;
  std::set<std::string> names;
  walk(make_plan(pipeline, schedule, target, 1, 0).root, [&](const PlanNode& node) {
    const auto* step = std::get_if<plan::Compute>(&node.step);
    if (step != nullptr && step->non_temporal) names.insert(pipeline[step->stage].name);
  });
  return names;
}

TEST(NonTemporalStores, AreTurnsThatDoNotFitTheCache) {
  // Each stage of a turn reads and writes 2 x 8192 bytes. The result of the first one is read in the same
  // turn.
  EXPECT_EQ(turns_written_past(4 * 8192 - 1), std::set<std::string>{"next"});
  EXPECT_EQ(turns_written_past(4 * 8192), std::set<std::string>());
}

}  // namespace
