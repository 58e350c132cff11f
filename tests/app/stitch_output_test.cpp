// SPDX-License-Identifier: BSD-3-Clause
// What tessera-stitch writes, and what it finds out about it before it begins.
#include <gtest/gtest.h>

#include <filesystem>

#include "full_disks.hpp"
#include "stitch_runs.hpp"

namespace tessera::app_test {
namespace {

/// The run ends on both ranks with this line alone.
void expect_refused(const ParallelEnding& ending, const std::string& message) {
  EXPECT_EQ(ending.rank_statuses, (std::vector<int>{2, 2})) << ending.text();
  EXPECT_EQ(lines_with(ending.errors, "error: "), Words{"tessera-stitch: error: " + message});
}

class StitchOutputTest : public testing::Test {
 protected:
  StitchOutputTest() { plate_.write_all(folder_); }

  Folder folder_;
  CutPlate plate_{{.rows = 2, .columns = 3, .seed = 22}};
};

TEST_F(StitchOutputTest, ReportAndTraceSpareOtherFiles) {
  const std::string tile = folder_.read("t_r01_c02.png");
  const std::string why = ": the run uses this file already: give it a name of its own";
  expect_refused(stitch(folder_, 2, {"output.positions=p.csv", "--report", "./t_r01_c02.png"}),
                 "command line: --report ./t_r01_c02.png" + why);
  expect_refused(stitch(folder_, 2, {"output.positions=p.csv", "--trace", "p.csv"}),
                 "command line: --trace p.csv" + why);
  expect_refused(stitch(folder_, 2, {"output.tiff=p.tif", "--report", "p.tif"}),
                 "command line: --report p.tif" + why);
  expect_refused(stitch(folder_, 2, {"output.positions=p.csv", "--report", "r", "--trace", "r"}),
                 "command line: --trace r" + why);
  EXPECT_TRUE(folder_.read("t_r01_c02.png") == tile);
  EXPECT_FALSE(folder_.names().contains("p.csv"));
}

}  // namespace
}  // namespace tessera::app_test
