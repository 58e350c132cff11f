// SPDX-License-Identifier: BSD-3-Clause
// tessera-calibrate, and --estimate of a program with the file that it writes.
#include <gtest/gtest.h>

#include <filesystem>

#include "program_runs.hpp"

namespace tessera::app_test {
namespace {

using Words = std::vector<std::string>;

std::string helmholtz() {
  return std::filesystem::path(TESSERA_CALIBRATE).parent_path() / "tessera-helmholtz";
}

class CalibrateProgramTest : public testing::Test {
 protected:
  ParallelEnding calibrate(int ranks, Words words) const {
    words.emplace_back("threads=1");
    return run_on_ranks(TESSERA_CALIBRATE, ranks, folder_, words);
  }
  ParallelEnding estimate(int ranks, Words words) const {
    words.insert(words.end(), {"--estimate", "output.file=o.h5", "threads=1"});
    return run_on_ranks(helmholtz(), ranks, folder_, words);
  }
  /// Expects that all ranks end with status 2, that one line is printed, and that the folder has no new file.
  void expect_calibrate_refuses(const Words& words, const Words& told,
                                test::SourceLine caller = test::SourceLine::here()) const {
    const auto before = folder_.names();
    for (const int ranks : {1, 2}) expect_refusal(calibrate(ranks, words), told, caller);
    EXPECT_EQ(folder_.names(), before);
  }
  void expect_estimate_refuses(const Words& words, const Words& told,
                               test::SourceLine caller = test::SourceLine::here()) const {
    const auto before = folder_.names();
    for (const int ranks : {1, 2}) expect_refusal(estimate(ranks, words), told, caller);
    EXPECT_EQ(folder_.names(), before);
  }

  Folder folder_;
};

const Words quick = {TESSERA_CALIBRATE_DECKS "/default.yaml", "output=m.yaml", "effort=0.05"};

TEST_F(CalibrateProgramTest, OneRankMeasuresNoMessages) {
  const ParallelEnding ending = calibrate(1, quick);
  ASSERT_EQ(ending.status, 0) << ending.text();
  EXPECT_EQ(folder_.names(), (std::set<std::string>{"m.yaml"}));
  EXPECT_EQ(lines_with(ending.output, "wrote m.yaml").size(), 1U);
  const std::string file = folder_.read("m.yaml");
  const std::string remark =
      "Not measured: network.within, which needs two ranks on a node: some laptop's is given.";
  EXPECT_EQ(lines_with(file, remark), Words{"# " + remark});
  EXPECT_EQ(lines_with(ending.output, remark), Words{remark});
  EXPECT_EQ(estimate(1, {"--machine", "m.yaml", "--ranks", "64"}).status, 0);
}

TEST_F(CalibrateProgramTest, TwoRanksMeasureMessages) {
  Words words = quick;
  words.insert(words.end(), {"name=pair", "watchdog=100", "--report", "r.json", "--trace", "t.json"});
  const ParallelEnding ending = calibrate(2, words);
  ASSERT_EQ(ending.status, 0) << ending.text();
  const std::string file = folder_.read("m.yaml");
  EXPECT_EQ(lines_with(file, "# Messages within a node: ").size(), 1U) << file;
  EXPECT_TRUE(lines_with(file, "Not measured").empty()) << file;
  EXPECT_EQ(lines_with(file, "name: pair").size(), 1U) << file;
  EXPECT_EQ(lines_with(file, "threads: 2").size(), 1U) << file;
  for (const char* part : {"finish", "messages", "speeds"}) {
    EXPECT_EQ(lines_with(folder_.read("r.json"), "\"step\": \"" + std::string(part) + "\"").size(), 1U);
    EXPECT_EQ(lines_with(folder_.read("t.json"), "\"" + std::string(part) + "\"").size(), 2U);
  }
  // From 8 bytes to 4 MiB.
  EXPECT_EQ(lines_with(ending.output, "     4194304 ").size(), 1U) << ending.output;
  const ParallelEnding estimated = estimate(2, {"--machine", "m.yaml"});
  EXPECT_EQ(estimated.status, 0) << estimated.text();
  EXPECT_TRUE(lines_with(estimated.output, "m.yaml: it describes").empty()) << estimated.output;
}

TEST_F(CalibrateProgramTest, ChecksAndQuietRunsSayNothing) {
  Words words = quick;
  words.emplace_back("--check");
  EXPECT_EQ(calibrate(2, words).text(), "");
  EXPECT_TRUE(folder_.names().empty());
  words.back() = "--quiet";
  EXPECT_EQ(calibrate(1, words).text(), "");
  EXPECT_EQ(folder_.names(), (std::set<std::string>{"m.yaml"}));
}

TEST_F(CalibrateProgramTest, RefusesBadInput) {
  folder_.write("d.yaml", "efort: 2\n");
  expect_calibrate_refuses({}, {"the key 'output'", "is required"});
  expect_calibrate_refuses({"d.yaml", "output=m.yaml"}, {"d.yaml:1:1:", "unknown key 'efort'", "'effort'"});
  expect_calibrate_refuses({"output=m.yaml", "effort=0"}, {"'effort' expects", "got '0'"});
  expect_calibrate_refuses({"output=m.yaml", "--explain"}, {"--explain is about pipelines", "leave it out"});
  expect_calibrate_refuses({"output=m.yaml", "--estimate"},
                           {"--estimate is about pipelines", "leave it out"});
  expect_calibrate_refuses({"output=m.yaml", "--report", "m.yaml"}, {"m.yaml:", "uses this file already"});
}

// 16 x 16 points; each turn moves the same bytes.
TEST_F(CalibrateProgramTest, EstimatesLoopsOfAnyNumberOfRanks) {
  const auto before = folder_.names();
  const ParallelEnding ending = estimate(2, {"--ranks", "4096", "--report", "e.json"});
  ASSERT_EQ(ending.status, 0) << ending.text();
  EXPECT_EQ(ending.errors, "");
  EXPECT_EQ(lines_with(ending.output, "loops count with their greatest number of turns").size(), 1U);
  EXPECT_EQ(lines_with(ending.output, "  ranks                     4096").size(), 1U) << ending.output;
  const std::string json = folder_.read("e.json");
  EXPECT_EQ(lines_with(json, "\"ranks\": 4096").size(), 1U) << json;
  EXPECT_GE(lines_with(json, "\"bound_by\": ").size(), 5U);
}

TEST_F(CalibrateProgramTest, EstimatesWithTheCostsOfARun) {
  const Words small = {"output.file=o.h5", "threads=1",      "--quiet",        "--report",
                       "r.json",           "intervals.x=16", "intervals.y=16", "turns=9"};
  const ParallelEnding run = run_on_ranks(helmholtz(), 2, folder_, small);
  ASSERT_EQ(run.status, 0) << run.text();
  const ParallelEnding ending = estimate(1, {"--costs", "r.json", "intervals.x=16", "intervals.y=16"});
  ASSERT_EQ(ending.status, 0) << ending.text();
  EXPECT_TRUE(lines_with(ending.output, "assumed").empty()) << ending.output;
}

TEST_F(CalibrateProgramTest, RefusesFaultyFilesOfEstimates) {
  folder_.write("m.yaml", "nodes: -1\n");
  folder_.write("r.json", "{}");
  expect_estimate_refuses({"--machine", "m.yaml"}, {"m.yaml:1:8: 'nodes' expects", "got '-1'"});
  expect_estimate_refuses({"--costs", "r.json"},
                          {"r.json:", "has no 'run' and 'steps'", "--report FILE.json"});
  expect_estimate_refuses({"--ranks", "4", "--rank", "4"}, {"--rank 4:", "there are ranks 0 to 3"});
  expect_estimate_refuses({"--costs", "r.json", "--report", "r.json"},
                          {"--report r.json:", "uses this file already"});
}

}  // namespace
}  // namespace tessera::app_test
