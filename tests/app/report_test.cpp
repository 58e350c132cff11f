// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/report.hpp"

#include <gtest/gtest.h>

#include <future>
#include <memory>

#include "apps/blur/stages.hpp"
#include "json_support.hpp"
#include "tessera/app/detail/records.hpp"
#include "tessera/app/detail/run_report.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/explain/explain.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/plan_instance.hpp"

namespace tessera::app {
namespace {

Report sample() {
  Report report;
  report.add("run", {{"ranks", 2}, {"program", "blur"}});
  report.add_row("steps", {{"node", 3}, {"step", "read"}, {"seconds", 0.25}});
  report.add_row("steps", {{"node", 12}, {"step", "compute a"}, {"seconds", 1.0 / 3}});
  report.add("run", {{"deck", "grid: 1\nthreads: 2\n"}});
  return report;
}

TEST(ReportTest, TextHasALinePerValueAndColumns) {
  EXPECT_EQ(sample().text(),
            "run\n"
            "  ranks    2\n"
            "  program  blur\n"
            "  deck\n"
            "    grid: 1\n"
            "    threads: 2\n"
            "\n"
            "steps\n"
            "  node  step        seconds\n"
            "     3  read           0.25\n"
            "    12  compute a  0.333333\n");
}

TEST(ReportTest, JsonHasTheSame) {
  EXPECT_EQ(sample().json(),
            R"({
 "run": {
  "ranks": 2,
  "program": "blur",
  "deck": "grid: 1\nthreads: 2\n"
 },
 "steps": [
  {
   "node": 3,
   "step": "read",
   "seconds": 0.25
  },
  {
   "node": 12,
   "step": "compute a",
   "seconds": 0.3333333333333333
  }
 ]
}
)");
}

TEST(ReportTest, OnlyTheTextIsSorted) {
  Report report = sample();
  const std::string json = report.json();
  report.sort_text("steps", "seconds");
  EXPECT_EQ(report.json(), json);
  const std::string text = report.text();
  EXPECT_LT(text.find("  12  compute a"), text.find("   3  read")) << text;
}

TEST(ReportTest, RowsOfATableHaveTheSameColumns) {
  Report report = sample();
  EXPECT_THROW(report.add_row("steps", {{"node", 3}}), InternalError);
  EXPECT_THROW(report.add_row("run", {{"ranks", 3}}), InternalError);
  EXPECT_THROW(report.add("steps", {{"ranks", 3}}), InternalError);
}

int size_of(MPI_Comm communicator) {
  int size = 0;
  MPI_Comm_size(communicator, &size);
  return size;
}
int rank_of(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

TEST(TransfersTest, ListsOfEveryLength) {
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  const auto lists = gather(MPI_COMM_WORLD, std::vector<int>(static_cast<std::size_t>(rank), rank));
  EXPECT_EQ(lists.size(), rank == 0 ? static_cast<std::size_t>(size) : 0U);
  for (std::size_t r = 0; r < lists.size(); ++r)
    EXPECT_EQ(lists[r], std::vector<int>(r, static_cast<int>(r)));
}

/// A blur of 24 x 30 points on all ranks, run twice.
struct RecordedRun {
  Box box{{0, 24}, {0, 30}};
  Pipeline pipeline = blur::make_pipeline<float, 2>(box, box, Boundary::clamp);
  Schedule schedule;
  std::vector<Plan> plans;
  PlanTotals totals;

  RecordedRun() {
    schedule.stages["bh"].placement = Placement::rank;
    for (int rank = 0; rank < size_of(MPI_COMM_WORLD); ++rank) {
      plans.push_back(make_plan(pipeline, schedule, {}, size_of(MPI_COMM_WORLD), rank));
      totals.add(pipeline, plans.back());
    }
  }
  const Plan& mine() const { return plans[static_cast<std::size_t>(rank_of(MPI_COMM_WORLD))]; }
  std::unique_ptr<Recorder> recorder() const {
    RunPhases phases{RunPhases::Clock::now()};
    for (const Phase phase : {Phase::open, Phase::plan, Phase::start, Phase::allocate, Phase::open})
      phases.begin(phase);
    return std::make_unique<Recorder>(MPI_COMM_WORLD, RecorderOptions{.fence = true, .events = true}, phases);
  }
  std::unique_ptr<Recorder> run() const {
    auto recorder = this->recorder();
    PlanInstance instance(pipeline, mine(), MPI_COMM_WORLD);
    for (int turn = 0; turn < 2; ++turn) {
      instance.run({}, [&](const PlanNode& node) { recorder->begin(node.id); });
      recorder->end();
    }
    RunPhases last{RunPhases::Clock::now()};
    last.begin(Phase::finish);
    recorder->end(last);
    return recorder;
  }
};

TEST(RunReportTest, NumbersAgreeWithThePlans) {
  const RecordedRun sample;
  Report report;
  add_steps(report, MPI_COMM_WORLD, sample.pipeline, sample.mine(), *sample.run());
  if (rank_of(MPI_COMM_WORLD) != 0) return;
  Json json = parse_json(report.json());
  const auto step = [&](const std::string& name) {
    for (Json row : json["steps"].get<Json::List>())
      if (row["step"] == name) return row;
    return Json();
  };
  // Twice: read the image, compute bv from bh on two more rows, write it.
  EXPECT_EQ(step("read input")["calls"], 2);
  EXPECT_EQ(step("read input")["points"], 2 * 24 * 30);
  EXPECT_EQ(step("read input")["bytes"], 2 * 24 * 30 * 4);
  EXPECT_EQ(step("compute bv")["points"], 2 * 24 * 30);
  const auto ranks = static_cast<std::int64_t>(sample.plans.size());
  EXPECT_EQ(step("compute bv")["bytes"], 2 * 4 * 24 * (30 + 30 + 2 * ranks));
  EXPECT_GE(step("compute bv")["slowest_seconds"].get<double>(),
            step("compute bv")["mean_seconds"].get<double>());
  Json stage = json["stages"].get<Json::List>().at(0);
  EXPECT_EQ(stage["stage"], "bh");
  EXPECT_EQ(stage["points"], 24 * (30 + 2 * ranks));
  EXPECT_EQ(stage["redundant_points"], sample.totals.redundant_points);
  EXPECT_EQ(json["totals"]["messages"], 2 * sample.totals.messages);
  EXPECT_EQ(json["totals"]["message_bytes"], 2 * sample.totals.message_bytes);
  EXPECT_EQ(json["totals"]["planned_peak_bytes_most"], sample.totals.peak_bytes);
  EXPECT_GE(json["totals"]["mpi_share_most"].get<double>(), json["totals"]["mpi_share_mean"].get<double>());
}

// All that a run does has a row: what it does before its first step, and all steps.
TEST(RunReportTest, PhasesAndStepsExplainTheTime) {
  const RecordedRun sample;
  Report report;
  add_steps(report, MPI_COMM_WORLD, sample.pipeline, sample.mine(), *sample.run());
  if (rank_of(MPI_COMM_WORLD) != 0) return;
  Json json = parse_json(report.json());
  const auto steps = json["steps"].get<Json::List>();
  std::vector<std::pair<std::int64_t, std::string>> first;
  std::vector<std::int64_t> calls;
  double all = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Json step = steps[i];
    all += step["mean_seconds"].get<double>();
    if (i >= 5) continue;
    first.emplace_back(step["node"].get<std::int64_t>(), step["step"].get<std::string>());
    calls.push_back(step["calls"].get<std::int64_t>());
  }
  EXPECT_EQ(first,
            (decltype(first){{-5, "start"}, {-4, "open"}, {-3, "plan"}, {-2, "allocate"}, {-1, "finish"}}));
  EXPECT_EQ(calls, (std::vector<std::int64_t>{2, 2, 1, 1, 1}));
  std::vector<std::string> spent;
  double seconds = 0, shares = 0;
  for (Json row : json["time"].get<Json::List>()) {
    spent.push_back(row["spent"].get<std::string>());
    shares += row["share"].get<double>();
    if (spent.back() != "rest") seconds += row["mean_seconds"].get<double>();
  }
  EXPECT_EQ(spent, (std::vector<std::string>{"preparing", "reading", "computing", "exchanging", "writing",
                                             "finishing", "rest"}));
  EXPECT_NEAR(shares, 1, 1e-9);
  EXPECT_NEAR(seconds, all, 1e-9);
  EXPECT_LE(all, json["totals"]["wall_seconds"].get<double>());
  EXPECT_LE(json["totals"]["explained_share"].get<double>(), 1);
}

TEST(TraceTest, HasAnEventPerRankAndStep) {
  const RecordedRun sample;
  const auto recorder = sample.run();
  const auto events = gather(MPI_COMM_WORLD, recorder->events());
  if (rank_of(MPI_COMM_WORLD) != 0) return;
  Json json = parse_json(trace_text(step_names(sample.pipeline, sample.mine()), events));
  std::map<std::pair<std::int64_t, std::int64_t>, int> calls;
  std::map<std::int64_t, double> last;
  std::size_t names = 0;
  for (Json event : json["traceEvents"].get<Json::List>()) {
    const auto rank = event["pid"].get<std::int64_t>();
    names += event["ph"] == "M";
    if (event["ph"] != "X") continue;
    ++calls[{rank, event["args"]["node"].get<std::int64_t>()}];
    EXPECT_GE(event["ts"].get<double>(), last[rank]);
    last[rank] = event["ts"].get<double>() + event["dur"].get<double>() - 1e-6;
  }
  EXPECT_EQ(names, sample.plans.size());
  for (std::size_t rank = 0; rank < sample.plans.size(); ++rank) {
    for (const auto& [phase, spans] : {std::pair{Phase::start, 2}, {Phase::open, 2}, {Phase::plan, 1}})
      EXPECT_EQ((calls[{static_cast<std::int64_t>(rank), node_of(phase)}]), spans) << name_of(phase);
    walk(sample.plans[rank].root, [&](const PlanNode& node) {
      EXPECT_EQ((calls[{static_cast<std::int64_t>(rank), node.id}]), is_step(node) ? 2 : 0) << node.id;
    });
  }
}

TEST(RecorderTest, NamesTheKindsOfStepsThatRan) {
  const RecordedRun sample;
  const std::string text = sample.run()->text(step_names(sample.pipeline, sample.mine()));
  for (const char* kind : {"read ", "compute ", "write ", "boundary "})
    EXPECT_NE(text.find(kind), std::string::npos) << text;
  EXPECT_EQ(text.rfind("start 0.", 0), 0U) << text;
  for (const char* phase : {", open ", ", plan ", ", allocate "})
    EXPECT_NE(text.find(phase), std::string::npos) << text;
  EXPECT_EQ(text.find("free"), std::string::npos) << text;
}

// As the thread does that writes a result which is complete before the last pass of bands. It takes the
// thread sanitizer to see it fail.
TEST(RecorderTest, AnotherThreadMayAskWhileStepsEnd) {
  const RecordedRun sample;
  const auto recorder = sample.recorder();
  auto texts = std::async(std::launch::async, [&] {
    const StepNames names = step_names(sample.pipeline, sample.mine());
    std::string text;
    for (int i = 0; i < 10; ++i) text = recorder->text(names);
    return text;
  });
  for (int i = 0; i < 200; ++i)
    walk(sample.mine().root, [&](const PlanNode& node) {
      if (is_step(node)) recorder->begin(node.id);
    });
  recorder->end();
  EXPECT_NE(texts.get().find("compute "), std::string::npos);
}

}  // namespace
}  // namespace tessera::app
