// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/cost/work_costs.hpp"

#include <gtest/gtest.h>

#include "messages.hpp"
#include "tessera/domain/error.hpp"

namespace tessera::cost {
namespace {

using test::expect_message;

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
  ASSERT_EQ(costs.size(), 2U);
  EXPECT_DOUBLE_EQ(costs.at("a"), 3.0 / 600);
  EXPECT_DOUBLE_EQ(costs.at("b"), 3.0 / 300);
}

TEST(StageCostsTest, SayWhatIsWrongWithAReport) {
  expect_message(error_of("{]"), {"not JSON", "--report FILE.json"});
  expect_message(error_of("[]"), {"'run'", "'steps'", "not the report", "--report FILE.json"});
  expect_message(error_of(R"({"run": {}, "steps": []})"),
                 {"'ranks'", "not the report", "--report FILE.json"});
  expect_message(
      error_of(R"({"run": {"ranks": 1, "threads_per_rank": 1}, "steps": [{"step": "compute a"}]})"),
      {"'mean_seconds'", "not the report", "--report FILE.json"});
  expect_message(error_of(R"({"run": {"ranks": 1, "threads_per_rank": 1}, "steps": [{"step": "swap"}, 3]})"),
                 {"computed points", "--report FILE.json"});
}

}  // namespace
}  // namespace tessera::cost
