// SPDX-License-Identifier: BSD-3-Clause
// Programs that save plans, and that report on runs.
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

  /// Runs on this many ranks, and expects the run to succeed without a word on standard error.
  std::string output(int ranks, const std::vector<std::string>& words) {
    const ParallelEnding ending = blur(ranks, folder_, words);
    EXPECT_EQ(ending.status, 0) << ending.text();
    EXPECT_EQ(ending.errors, "");
    return ending.output;
  }
  /// Expects the run to end with one line and nothing else, on all ranks, without a file.
  void expect_refused(int ranks, const std::vector<std::string>& words, const std::vector<std::string>& told,
                      test::SourceLine caller = test::SourceLine::here()) {
    const auto before = folder_.names();
    const ParallelEnding ending = blur(ranks, folder_, words);
    expect_refusal(ending, told, caller);
    EXPECT_EQ(ending.output, "");
    EXPECT_EQ(folder_.names(), before);
  }
  Json json_of(const std::string& name) const { return parse_json(folder_.read(name)); }

  Folder folder_;
};

TEST_F(SavedRunsTest, PlansOfAllRanksAreSaved) {
  std::vector<std::string> words = {"run.yaml", "schedule.bh.compute=rank", "--explain", "--verbose"};
  const std::string explained = output(3, words);
  words.insert(words.end(), {"--ranks", "3", "--save-plan", "plan.json"});
  EXPECT_EQ(output(1, words), explained);
  const Json saved = json_of("plan.json");
  const auto& plans = saved.find("plans")->get<Json::List>();
  ASSERT_EQ(plans.size(), 3U);
  for (std::size_t rank = 0; rank < plans.size(); ++rank) {
    EXPECT_EQ(*plans[rank].find("rank"), static_cast<int>(rank));
    const std::string text = to_text(plans[rank]);
    for (const char* kind : {"read", "exchange", "boundary", "compute", "write"})
      EXPECT_NE(text.find(std::string("\"kind\":\"") + kind + "\""), std::string::npos)
          << kind << " of " << rank;
  }
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
  for (const char* file : {"image.png", "run.yaml"})
    expect_refused(2, {"run.yaml", "--explain", "--save-plan", file},
                   {std::string("--save-plan ") + file + ":", "uses this file already"});
  expect_refused(2, {"run.yaml", "output.file=run.yaml"},
                 {"output.file: run.yaml:", "uses this file already"});
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
