// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/cost/stage_costs.hpp"

#include <gtest/gtest.h>

#include "tessera/domain/error.hpp"

namespace tessera::cost {
namespace {

std::string error_of(const std::string& text) {
  try {
    stage_costs_from_report(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// On 2 ranks of 3 threads, a mean of 0.5 s is 3 s of all threads.
TEST(StageCostsTest, AreTheSecondsOfAllThreadsPerPoint) {
  const StageCosts costs = stage_costs_from_report(R"({
    "run": {"ranks": 2, "threads_per_rank": 3},
    "steps": [{"step": "read input", "mean_seconds": 9, "points": 9},
              {"step": "compute a", "mean_seconds": 0.5, "points": 600},
              {"step": "compute b", "mean_seconds": 0.25, "points": 100},
              {"step": "compute b", "mean_seconds": 0.25, "points": 200},
              {"step": "compute idle", "mean_seconds": 0.25, "points": 0}]})");
  ASSERT_EQ(costs.stages.size(), 2U);
  EXPECT_DOUBLE_EQ(costs.stages.at("a").seconds_per_point, 3.0 / 600);
  EXPECT_DOUBLE_EQ(costs.stages.at("b").seconds_per_point, 3.0 / 300);
}

TEST(StageCostsTest, SayWhatIsWrongWithAReport) {
  const std::string advice = ": write one with --report FILE.json in a run of this program";
  EXPECT_EQ(error_of("{]"), "byte 2 is not JSON" + advice);
  EXPECT_EQ(error_of("[]"), "has no 'run' and 'steps', so it is no report of a run" + advice);
  EXPECT_EQ(error_of(R"({"run": {}, "steps": []})"),
            "'ranks' of 'run' is no number of at least 1, so this is no report of a run" + advice);
  EXPECT_EQ(
      error_of(R"({"run": {"ranks": 1, "threads_per_rank": 1}, "steps": [{"step": "compute a"}]})"),
      "'mean_seconds' of 'compute a' is no number of at least 0, so this is no report of a run" + advice);
  EXPECT_EQ(error_of(R"({"run": {"ranks": 1, "threads_per_rank": 1}, "steps": [{"step": "swap"}, 3]})"),
            "no step has computed points" + advice);
}

}  // namespace
}  // namespace tessera::cost
