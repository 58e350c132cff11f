// SPDX-License-Identifier: BSD-3-Clause
// What the decks `paper`, `communicate` and `redundant` say is communicated, is.
#include <gtest/gtest.h>

#include <set>

#include "apps/case_runs.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/planner/scheduled_pipeline.hpp"

namespace {

using namespace tessera;
using bench::PipelineCase;
using Names = std::set<std::string>;

constexpr int ranks = 4;

std::vector<Plan> plans_of(const PipelineCase& the_case, const std::string& deck,
                           const std::vector<std::string>& overrides = {}) {
  const Schedule schedule = test::schedule_of(the_case, deck, overrides);
  const ScheduledPipeline scheduled(the_case.pipeline, schedule, {}, ranks);
  std::vector<Plan> plans;
  for (int rank = 0; rank < ranks; ++rank) plans.push_back(make_plan(scheduled, rank));
  return plans;
}

/// The arrays that are sent between any ranks.
Names exchanged(const PipelineCase& the_case, const std::string& deck,
                const std::vector<std::string>& overrides = {}) {
  Names names;
  for (const Plan& plan : plans_of(the_case, deck, overrides))
    walk(plan.root, [&](const PlanNode& node) {
      if (const auto* exchange = std::get_if<plan::Exchange>(&node.step))
        for (const plan::ArrayMessages& messages : exchange->arrays)
          if (!messages.lists.sends.empty()) names.insert(the_case.pipeline[messages.array].name);
    });
  return names;
}

/// Expects it of all cases of a benchmark.
void expect_exchanged(const std::string& benchmark, const std::string& deck, const Names& names,
                      const std::vector<std::string>& overrides = {}) {
  for (const PipelineCase& the_case : test::cases_of(benchmark, {512, 512}))
    EXPECT_EQ(exchanged(the_case, deck, overrides), names)
        << deck << " of " << benchmark << " " << the_case.type;
}

/// The stages stem<first> to stem<last>.
Names levels(const std::string& stem, int first, int last) {
  Names names;
  for (int level = first; level <= last; ++level) names.insert(stem + std::to_string(level));
  return names;
}

Names joined(Names names, const std::vector<Names>& others) {
  for (const Names& other : others) names.insert(other.begin(), other.end());
  return names;
}

TEST(PaperDecks, CommunicateOnlyTheInput) {
  for (const char* benchmark : {"bilateral_grid", "blur", "camera_pipe", "resize", "sobel"})
    expect_exchanged(benchmark, "paper", {"input"});
}

TEST(PaperDecks, CommunicateNothingOfAWaveletByRows) {
  expect_exchanged("wavelet", "paper", {});
  expect_exchanged("wavelet", "paper", {"input"}, {"grid=[2, auto]"});
}

TEST(PaperDecks, CommunicateNothingOfATranspose) {
  expect_exchanged("transpose", "paper", {});
  expect_exchanged("transpose", "communicate", {"input"});
}

TEST(PaperDecks, CommunicateTheHistogramOnly) { expect_exchanged("equalize", "paper", {}); }

TEST(PaperDecks, InterpolateWithCoarseLevelsOnAllRanks) {
  expect_exchanged("interpolate", "paper", joined({"input"}, {levels("down", 1, 4), levels("up", 1, 4)}));
}

TEST(PaperDecks, LocalLaplacianWithTheLastThreeLevelsOnAllRanks) {
  expect_exchanged(
      "local_laplacian10", "paper",
      joined({"input", "gray"}, {levels("gray", 1, 6), levels("level", 1, 6), levels("out", 1, 6)}));
}

TEST(RedundantDecks, CommunicateAtMostTheInputs) {
  for (const bench::Benchmark& benchmark : bench::all_benchmarks())
    for (const PipelineCase& the_case : benchmark.cases({512, 512}))
      if (!the_case.application.empty()) {
        Names names = exchanged(the_case, "redundant");
        for (const ArrayDeclaration& array : the_case.pipeline.arrays())
          if (array.is_input()) names.erase(array.name);
        EXPECT_EQ(names, Names()) << the_case.benchmark;
      }
}

TEST(CommunicateDecks, ComputeNothingTwice) {
  for (const bench::Benchmark& benchmark : bench::all_benchmarks())
    for (const PipelineCase& the_case : benchmark.cases({512, 512}))
      if (!the_case.application.empty()) {
        for (const Plan& plan : plans_of(the_case, "communicate"))
          for (const ArrayRegions& stage : plan.stages)
            EXPECT_EQ(stage.redundant_points, 0) << the_case.benchmark;
      }
}

}  // namespace
