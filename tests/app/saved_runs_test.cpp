// SPDX-License-Identifier: BSD-3-Clause
// Programs that save and follow plans, and that report on runs.
#include <gtest/gtest.h>

#include "blur_runs.hpp"
#include "io/plain_png.hpp"
#include "json_support.hpp"

namespace tessera::app_test {
namespace {

/// A folder with a picture of 40 x 30 and a deck that blurs it.
class SavedRunsTest : public testing::Test {
 protected:
  SavedRunsTest() {
    io_test::write_plain_png(folder_ / "image.png",
                             io_test::make_png(40, 30, PNG_COLOR_TYPE_GRAY, 8, [](auto x, auto y, int) {
                               return static_cast<int>(x * 5 + y * 3) & 255;
                             }));
    folder_.write("run.yaml", "input: {file: image.png}\nthreads: 1\n");
  }

  /// Runs on so many ranks, and expects the run to succeed without a word on standard error.
  std::string output(int ranks, const std::vector<std::string>& words) {
    const ParallelEnding ending = blur(ranks, folder_, words);
    EXPECT_EQ(ending.status, 0) << ending.text();
    EXPECT_EQ(ending.errors, "");
    return ending.output;
  }
  /// Expects that a run ended with one line and nothing else, on all ranks.
  static void expect_one_line(const ParallelEnding& ending, const std::vector<std::string>& told,
                              test::SourceLine caller = test::SourceLine::here()) {
    expect_refusal(ending, told, caller);
    EXPECT_EQ(ending.output, "");
  }
  /// Expects the run to end with one line, on all ranks, without a file.
  void expect_refused(int ranks, const std::vector<std::string>& words, const std::vector<std::string>& told,
                      test::SourceLine caller = test::SourceLine::here()) {
    const auto before = folder_.names();
    expect_one_line(blur(ranks, folder_, words), told, caller);
    EXPECT_EQ(folder_.names(), before);
  }
  Json json_of(const std::string& name) { return parse_json(folder_.read(name)); }

  Folder folder_;
};

TEST_F(SavedRunsTest, ASavedPlanGivesTheSameBits) {
  output(1, {"run.yaml", "output.png=expected.png"});
  for (int ranks = 1; ranks <= 3; ++ranks) {
    const std::string count = std::to_string(ranks);
    output(1, {"run.yaml", "schedule.bh.compute=tile", "schedule.bv.tile=[7,3]", "--explain", "--ranks",
               count, "--save-plan", "plan.json"});
    const std::string text = output(ranks, {"run.yaml", "schedule.bh.compute=replicated", "grid=[1,auto]",
                                            "--plan", "plan.json", "output.png=" + count + ".png"});
    EXPECT_EQ(lines_with(text, "plan plan.json; not used: grid, schedule.bh.compute").size(), 1U) << text;
    EXPECT_EQ(lines_with(text, "compute bh").size(), 0U) << text;
    EXPECT_TRUE(folder_.read(count + ".png") == folder_.read("expected.png"));
  }
}

TEST_F(SavedRunsTest, ASavedPlanIsExplainedLikeThatOfTheDeck) {
  const std::vector<std::string> words = {"run.yaml", "schedule.bh.compute=rank", "--explain", "--verbose"};
  const std::string expected =
      output(3, {words[0], words[1], words[2], words[3], "--save-plan", "plan.json"});
  EXPECT_EQ(output(3, words), expected);
  EXPECT_EQ(output(1, {"run.yaml", "--explain", "--verbose", "--plan", "plan.json"}), expected);
  output(1, {"run.yaml", "--explain", "--plan", "plan.json", "--save-plan", "again.json"});
  EXPECT_EQ(folder_.read("again.json"), folder_.read("plan.json"));
}

TEST_F(SavedRunsTest, PlansThatDoNotFit) {
  output(1, {"run.yaml", "--explain", "--ranks", "2", "--save-plan", "plan.json"});
  const std::vector<std::string> words = {"run.yaml", "output.png=o.png", "--plan", "plan.json"};
  expect_refused(3, words, {"plan.json:", "plans for 2 ranks"});
  expect_refused(2, {"run.yaml", "output.png=o.png", "--plan", "missing.json"},
                 {"missing.json:", "no such file", "--save-plan"});
  expect_refused(2, {"run.yaml", "output.png=o.png", "--plan", "plan.json", "threads=2"},
                 {"'threads':", "the plans in plan.json are for 1"});
  const std::string text = folder_.read("plan.json");
  folder_.write("plan.json", text.substr(0, text.size() / 2));
  const std::size_t line =
      static_cast<std::size_t>(
          std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.size() / 2), '\n')) +
      1;
  ParallelEnding half = blur(2, folder_, words);
  // The machine's cache, which stands in the plan, moves the line.
  half.errors = test::replaced(half.errors, "line " + std::to_string(line) + " ", "line LINE ");
  expect_one_line(half, {"plan.json:", "is not JSON from line LINE"});
  folder_.write("plan.json", std::string(text).replace(text.find("\"threads\":1"), 11, "\"threads\":0"));
  expect_refused(2, words, {"plan.json: rank 0", "threads is 0"});
  expect_refused(2, {"run.yaml", "--explain", "--save-plan", "nowhere/plan.json"},
                 {"nowhere/plan.json:", "cannot be written"});
}

TEST_F(SavedRunsTest, ReportAgreesWithThePlan) {
  const std::string text = output(3, {"run.yaml", "schedule.bh.compute=rank", "output.png=o.png", "--report",
                                      "report.json", "--trace", "trace.json"});
  EXPECT_EQ(lines_with(text, "wrote report.json").size(), 1U) << text;
  EXPECT_EQ(lines_with(text, "wrote trace.json").size(), 1U) << text;
  Json report = json_of("report.json");
  EXPECT_EQ(report["run"]["ranks"], 3);
  EXPECT_EQ(report["run"]["threads_per_rank"], 1);
  EXPECT_NE(report["run"]["deck"].get<std::string>().find("compute: rank"), std::string::npos);
  EXPECT_NE(report["run"]["versions"].get<std::string>().find("Kokkos "), std::string::npos);
  Json stage = report["stages"].get<Json::List>().at(0);
  EXPECT_EQ(stage["points"], 40 * (30 + 6));
  EXPECT_EQ(stage["redundant_points"], 40 * 4);
  std::set<std::int64_t> nodes;
  for (Json step : report["steps"].get<Json::List>()) nodes.insert(step["node"].get<std::int64_t>());
  std::set<std::pair<std::int64_t, std::int64_t>> events;
  Json trace = json_of("trace.json");
  for (Json event : trace["traceEvents"].get<Json::List>())
    if (event["ph"] == "X")
      events.emplace(event["pid"].get<std::int64_t>(), event["args"]["node"].get<std::int64_t>());
  EXPECT_EQ(events.size(), 3 * nodes.size());
  EXPECT_EQ(*nodes.begin(), -5);
  // What begins and ends steps, and the making of the report, are all that no row explains.
  EXPECT_GE(report["totals"]["explained_share"].get<double>(), 0.95);
}

TEST_F(SavedRunsTest, ReportAsTextAndPrinted) {
  const std::vector<std::string> words = {"run.yaml", "output.png=o.png", "--quiet", "--report"};
  const auto with = [&](const char* file) {
    std::vector<std::string> all = words;
    all.push_back(file);
    return output(2, all);
  };
  EXPECT_EQ(with("report.txt"), "");
  for (const std::string& text : {folder_.read("report.txt"), with("-")}) {
    for (const char* row : {"compute bh", "compute bv", "read input", "write bv"})
      EXPECT_EQ(lines_with(text, row).size(), 1U) << row << " in\n" << text;
    for (const char* row : {"-5  start ", "-4  open ", "-3  plan ", "-2  allocate ", "-1  finish "})
      EXPECT_EQ(lines_with(text, row).size(), 1U) << row << " in\n" << text;
    for (const char* section : {"run", "time", "steps", "stages", "totals"})
      EXPECT_NE(("\n" + text).find(std::string("\n").append(section).append("\n")), std::string::npos)
          << text;
  }
}

TEST_F(SavedRunsTest, RecordsThatCannotBeWritten) {
  const std::vector<std::string> words = {"run.yaml", "output.png=o.png"};
  const auto expect = [&](const char* option, const char* file, const std::vector<std::string>& told) {
    expect_refused(2, {words[0], words[1], option, file}, told);
  };
  expect("--report", "nowhere/r.txt", {"nowhere/r.txt:", "cannot be written"});
  expect("--trace", "nowhere/t.json", {"nowhere/t.json:", "cannot be written"});
  expect("--trace", "o.png", {"--trace o.png:", "uses this file already"});
  expect("--report", "./image.png", {"--report ./image.png:", "uses this file already"});
  expect("--report", "run.yaml", {"--report run.yaml:", "uses this file already"});
}

TEST_F(SavedRunsTest, NothingIsWrittenOverWhatIsRead) {
  output(1, {"run.yaml", "--explain", "--ranks", "2", "--save-plan", "plan.json"});
  for (const char* file : {"image.png", "run.yaml"})
    expect_refused(2, {"run.yaml", "--explain", "--save-plan", file},
                   {std::string("--save-plan ") + file + ":", "uses this file already"});
  expect_refused(2, {"run.yaml", "output.file=run.yaml"},
                 {"output.file: run.yaml:", "uses this file already"});
  expect_refused(2, {"run.yaml", "output.png=plan.json", "--plan", "plan.json"},
                 {"output.png: plan.json:", "uses this file already"});
}

TEST_F(SavedRunsTest, APlanKeepsTheMemoryLimit) {
  output(1, {"run.yaml", "--explain", "--ranks", "2", "--save-plan", "plan.json"});
  const Ending ending =
      blur(2, folder_, {"run.yaml", "output.png=o.png", "--plan", "plan.json", "memory=107 B"});
  EXPECT_EQ(ending.status, 2);
  EXPECT_NE(ending.errors.find("the plans in plan.json need"), std::string::npos) << ending.errors;
}

TEST_F(SavedRunsTest, ExplainPrintsOneRankOrTheGraph) {
  const std::string one =
      output(2, {"run.yaml", "--explain", "--ranks", "4096", "grid=[64,64]", "--rank", "4095"});
  EXPECT_EQ(lines_with(one, "rank 4095 of 4096").size(), 1U);
  EXPECT_EQ(lines_with(one, " of 4096").size(), 1U);
  const std::string graph = output(2, {"run.yaml", "--explain", "--dot"});
  EXPECT_EQ(graph.substr(0, 19), "digraph pipeline {\n");
  EXPECT_EQ(lines_with(graph, "\"input\" -> \"bh\"").size(), 1U) << graph;
  EXPECT_EQ(lines_with(graph, "\"bh\" -> \"bv\" [label=").size(), 1U) << graph;
  expect_refused(2, {"run.yaml", "--explain", "--rank", "2"}, {"--rank 2:", "there are ranks 0 to 1"});
}

}  // namespace
}  // namespace tessera::app_test
