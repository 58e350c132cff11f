// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/planner/regions.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace {

using namespace tessera;

struct Down {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(2 * x - 1, 2 * y - 1) + in(2 * x + 1, 2 * y + 1);
  }
};
struct Up {
  template <class Coarse, class Fine, class Coord>
  KOKKOS_FUNCTION auto operator()(const Coarse& coarse, const Fine& fine, Coord x, Coord y) const {
    return coarse((x - 1) / 2, (y - 1) / 2) - fine(x, y);
  }
};

/// A pyramid down to this many levels of an image, and back.
Pipeline pyramid(const Box& image, int levels) {
  Pipeline pipeline;
  std::vector<Array<float, 2>> down = {pipeline.input<float, 2>("input", image, Boundary::clamp)};
  for (int level = 1; level < levels; ++level)
    down.push_back(pipeline.stage<float>("down" + std::to_string(level), Down{}, down.back()));
  Array<float, 2> up = down.back();
  for (int level = levels - 2; level >= 0; --level)
    up = pipeline.stage<float>("up" + std::to_string(level), Up{}, up, down[static_cast<std::size_t>(level)]);
  pipeline.output(up, image);
  return pipeline;
}

bool contains(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

std::vector<std::string> titles_of(const std::string& text) {
  std::vector<std::string> titles;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = text.substr(begin, end - begin);
    if (line.ends_with("does this:") || contains(line, " ranks do the same as rank ")) titles.push_back(line);
  }
  return titles;
}

// Hardly two ranks of a pyramid do the same: what is printed must not grow with their number.
TEST(ExplainPlans, ShowsTheMostFrequentKindsOfThousandsOfRanks) {
  constexpr int ranks = 1024;
  const Pipeline pipeline = pyramid(Box{{0, 131}, {0, 77}}, 5);
  const app::Plans plans(pipeline, {}, {}, ranks);
  RankClasses classes;
  for (int rank = 0; rank < ranks; ++rank) classes.add(plans.of(rank));
  ASSERT_GT(classes.classes().size(), 50U);

  const std::string text = explain_text(pipeline, plans, "messages", true);
  EXPECT_EQ(titles_of(text).size(), 27U);
  const auto most = std::ranges::max_element(classes.classes(), {}, &RankClass::rank_count);
  EXPECT_TRUE(contains(text, std::to_string(most->rank_count) + " ranks do the same as rank " +
                                 std::to_string(most->first_rank) + ":\n"));
  std::int64_t others = ranks;
  for (const RankClass& some : classes.largest(27)) others -= some.rank_count;
  EXPECT_TRUE(text.ends_with("\nshown are the 27 most frequent of " +
                             std::to_string(classes.classes().size()) + " kinds of ranks; " +
                             std::to_string(others) + " ranks are of other kinds: --rank r shows one\n"));
}

// The overview does not grow with the kinds of ranks, and kinds have no steps that do nothing.
TEST(ExplainPlans, LeavesOutWhatNobodyAskedFor) {
  const Pipeline pipeline = pyramid(Box{{0, 131}, {0, 77}}, 5);
  const app::Plans plans(pipeline, {}, {}, 64);
  const std::string overview = app::explain_text(pipeline, plans, "messages", false);
  EXPECT_EQ(std::ranges::count(overview, '\n'), 5 + pipeline.size() + 1) << overview;
  EXPECT_TRUE(titles_of(overview).empty()) << overview;
  int shorter = 0;
  for (int rank = 0; rank < 64; ++rank) {
    const std::string all = explain(pipeline, plans.of(rank)),
                      some = explain(pipeline, plans.of(rank), false);
    shorter += some.size() < all.size();
    EXPECT_FALSE(contains(some, " on nothing")) << some;
  }
  EXPECT_GT(shorter, 0);
}

TEST(ExplainPlans, ShowsAllKindsWhenTheyAreFew) {
  const Pipeline pipeline = pyramid(Box{{0, 64}, {0, 64}}, 2);
  const app::Plans plans(pipeline, {}, {}, 4);
  RankClasses classes;
  for (int rank = 0; rank < plans.rank_count(); ++rank) classes.add(plans.of(rank));
  const std::string text = explain_text(pipeline, plans, "messages", true);
  EXPECT_EQ(titles_of(text).size(), classes.classes().size());
  EXPECT_FALSE(contains(text, "most frequent"));
}

struct AtSquare {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x * x, y);
  }
};

TEST(ExplainPlans, TellsOfIdleRanksAndOfTheirOrder) {
  const Pipeline pipeline = pyramid(Box{{0, 64}, {0, 64}}, 2);
  Schedule schedule;
  schedule.grid = {{2, 2}, {1}, true};
  const std::string text =
      app::explain_text(pipeline, app::Plans(pipeline, schedule, {}, 7), "messages", false);
  EXPECT_TRUE(text.starts_with("ranks       7 ranks x 1 thread, 3 of them idle\n")) << text;
  EXPECT_TRUE(
      contains(text, "stage up0: distributed of float32 on [2, 2] numbered along dimension 1 first, "))
      << text;
}

TEST(ExplainPlans, WarnsOfIndicesThatGrowFast) {
  Pipeline pipeline;
  const Box image{{0, 200}, {0, 100}};
  const auto input = pipeline.input<float, 2>("input", image, Boundary::clamp);
  pipeline.output(pipeline.stage<float>("squares", AtSquare(), input), image);
  const app::Plans plans(pipeline, {}, {}, 2);
  const std::string warning =
      "\nwarning: stage 'squares' needs memory for 3960200 points of 'input', 198 times as many as it reads, "
      "because index 0 of 'input' in its body grows faster than a coordinate\n";
  EXPECT_TRUE(contains(app::explain_text(pipeline, plans, "messages", false), warning));
  EXPECT_TRUE(contains(app::check_text(pipeline, plans), warning)) << app::check_text(pipeline, plans);
}

// What was found out about other ranks while another rank was planned changes no plan, kept or not.
TEST(ExplainPlans, PlansDoNotDependOnThoseBefore) {
  constexpr int ranks = 60;
  const Pipeline pipeline = pyramid(Box{{0, 131}, {0, 77}}, 4);
  const ScheduledPipeline scheduled(pipeline, {}, {}, ranks);
  for (std::int64_t most_bytes : {0, 5000, 1 << 20}) {
    Regions others(scheduled, most_bytes);
    for (int rank : {59, 0, 31, 30, 1, 31})
      EXPECT_EQ(explain(pipeline, make_plan(scheduled, rank, others)),
                explain(pipeline, make_plan(scheduled, rank)))
          << most_bytes;
  }
}

}  // namespace
