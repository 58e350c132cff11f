// SPDX-License-Identifier: BSD-3-Clause
// 1000 x 1000 points on 32 ranks: blocks of 32 rows make 30 slices, which Distributed Halide could not run.
#include <gtest/gtest.h>

#include "apps/case_runs.hpp"

namespace {

using namespace tessera;

TEST(CameraPipe, RunsOnMoreRanksThanItHasBlocksOfRows) {
  const auto cases = test::cases_of("camera_pipe", {1000, 1000});
  const Schedule schedule = test::schedule_of(cases[0], "paper");
  EXPECT_TRUE(test::run(cases[0], schedule, 32, 2).same_bits(test::run(cases[0], schedule)));
}

}  // namespace
