// SPDX-License-Identifier: BSD-3-Clause
// Every kind of job has every service: this is the table of both.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "series_test_support.hpp"

namespace tessera::app_test {
namespace {

/// How a run goes on that has ended in the middle of its work.
enum class Restart : std::uint8_t {
  ledger,      ///< Results that are whole are left out.
  checkpoint,  ///< A loop goes on where it was.
  nothing      ///< The result is whole or not, so that the run begins anew: one image, one video.
};

/// A kind of job, as a program that is started with some words.
struct Job {
  std::string program;
  Words words;
  Restart restart = Restart::nothing;
  /// The words of a run that ends early, after which another one goes on.
  Words early = {};
};

class ServicesTest : public SeriesTest {
 protected:
  ServicesTest() {
    for (const int number : {0, 3, 6}) {
      const auto value = [number](auto x, auto y, int) { return static_cast<int>(x * y + number) % 251; };
      io_test::write_plain_png(folder_ / frame(number),
                               io_test::make_png(31, 23, PNG_COLOR_TYPE_GRAY, 8, value));
    }
    std::string video = "YUV4MPEG2 W16 H8 F25:1 Cmono\n";
    for (int number = 0; number < 3; ++number) video += "FRAME\n" + std::string(16 * 8, char('a' + number));
    folder_.write("v.y4m", video);
    folder_.write("links.mtx",
                  "%%MatrixMarket matrix coordinate pattern general\n4 4 5\n1 2\n2 3\n3 1\n1 3\n4 1\n");
  }

  std::vector<std::pair<std::string, Job>> jobs() const {
    const std::string in = "input.file=" + frame(0), files = "input.files=frames/*.png",
                      outputs = "output.files=out/{name}.png", tasks = "groups={first: [bh], second: [bv]}",
                      mixed = "program.allocation=data", one_at_a_time = "graph.window=1",
                      kept = "checkpoint.directory=ck", every = "checkpoint.every=2";
    std::vector<std::pair<std::string, Job>> jobs{
        {"one image", {"sobel", {in, "output.png=o.png"}}},
        {"tasks on groups", {"blur", {in, "output.png=o.png", tasks, mixed}}},
        {"series, an image a rank",
         {"sobel", {files, outputs, "items.across=rank"}, Restart::ledger, {one_at_a_time}}},
        {"series, all ranks an image", {"sobel", {files, outputs, "items.across=ranks"}, Restart::ledger}},
        {"series on groups", {"blur", {files, outputs, tasks, mixed}, Restart::ledger, {one_at_a_time}}},
        {"no image", {"generate", {"width=31", "height=23", "output.png=o.png"}}},
        {"loop",
         {"helmholtz",
          {"intervals.x=20", "intervals.y=20", "turns=9", "output.raw=o.raw"},
          Restart::checkpoint,
          {"turns=5", kept, every}}},
        {"image with a loop",
         {"kmeans", {in, "clusters=5", "output.png=o.png"}, Restart::checkpoint, {"turns=2", kept, every}}},
        {"iteration",
         {"pagerank",
          {"input.file=links.mtx", "output.file=ranks.h5"},
          Restart::checkpoint,
          {"turns=5", kept, every}}},
        // Programs of graphs keep ledgers of their own: see StitchRestartTest, and
        // MatmulTest.AKilledRunGoesOn.
        {"graph", {"failing", {}}}};
#if TESSERA_TEST_VIDEO
    const std::string video = "input.video=v.y4m", frames = "output.video=o.y4m";
    for (const std::string way : {"items.across=rank", "items.across=ranks"}) {
      jobs.push_back({"video, " + way, {"sobel", {video, frames, way}}});
      jobs.push_back({"files to a video, " + way, {"sobel", {files, frames, way}}});
      jobs.push_back({"video to files, " + way, {"sobel", {video, "output.files=out/{index}.png", way}}});
    }
    const std::string numbered = "output.files=out/{index}.png";
    jobs.push_back({"video on groups", {"blur", {video, frames, tasks, mixed}}});
    jobs.push_back({"files to a video on groups", {"blur", {files, frames, tasks, mixed}}});
    jobs.push_back({"video to files on groups", {"blur", {video, numbered, tasks, mixed}}});
#endif
    return jobs;
  }

  ParallelEnding run_job(const Job& job, const Words& more, int ranks = 2) const {
    Words words = job.words;
    words.insert(words.end(), more.begin(), more.end());
    if (job.program != "failing") return run(job.program, ranks, words);
    words.insert(words.begin(), "graph-quick");
    return run_on_ranks(TESSERA_FAILING, 2, folder_, words);
  }

  /// Returns the bytes of all results that have no notes of the run, and removes them.
  std::string take_results() const {
    std::string results;
    for (const char* name : {"o.png", "o.raw", "out/f0.png", "out/f3.png", "out/f6.png"}) {
      results += folder_.read(name);
      std::filesystem::remove(folder_ / name);
    }
    return results;
  }

  /// Runs a job on one rank, and ends the run early: its last image cannot be read, or it has fewer turns.
  void end_early(const Job& job) const {
    Words words = job.early;
    words.emplace_back("threads=1");
    const std::string whole = folder_.read(frame(6));
    if (job.restart == Restart::ledger) folder_.write(frame(6), whole.substr(0, whole.size() / 2));
    const ParallelEnding ending = run_job(job, words, 1);
    if (job.restart == Restart::ledger) {
      EXPECT_EQ(ending.status, 2) << ending.text();
    }
    folder_.write(frame(6), whole);
  }

  /// Runs every job with a service.
  void expect_all(const Words& words, const std::string& written = "") const {
    for (const auto& [name, job] : jobs()) {
      SCOPED_TRACE(name);
      const ParallelEnding ending = run_job(job, words);
      EXPECT_EQ(ending.status, 0) << ending.text();
      if (written.empty()) continue;
      EXPECT_TRUE(nlohmann::json::accept(folder_.read(written))) << folder_.read(written);
      std::filesystem::remove(folder_ / written);
    }
  }
};

TEST_F(ServicesTest, EveryJobHasAReport) { expect_all({"--report", "r.json"}, "r.json"); }

TEST_F(ServicesTest, EveryJobHasATrace) { expect_all({"--trace", "t.json"}, "t.json"); }

TEST_F(ServicesTest, EveryJobHasAWatchdog) { expect_all({"watchdog=60"}); }

TEST_F(ServicesTest, EveryJobHasALimitOfMemory) { expect_all({"memory=1GiB"}); }

TEST_F(ServicesTest, EveryJobGoesOnIfThereIsSomethingToGoOnWith) {
  for (const auto& [name, job] : jobs()) {
    if (job.restart == Restart::nothing) continue;
    SCOPED_TRACE(name);
    EXPECT_EQ(run_job(job, {}).status, 0);
    const std::string expected = take_results();
    std::filesystem::create_directory(folder_ / "ck");
    end_early(job);
    const bool has_ledger = job.restart == Restart::ledger;
    const ParallelEnding ending = run_job(job, has_ledger ? Words() : Words{"restart=ck"});
    EXPECT_EQ(ending.status, 0) << ending.text();
    const std::string line = has_ledger ? "1 result of an earlier run is whole" : "restart ck/";
    EXPECT_EQ(lines_with(ending.output, line).size(), 1U) << ending.text();
    EXPECT_TRUE(take_results() == expected);
    EXPECT_FALSE(std::filesystem::exists(folder_ / ("out/.tessera-" + job.program + ".ledger")));
    std::filesystem::remove_all(folder_ / "ck");
  }
}

TEST_F(ServicesTest, EveryJobIsChecked) { expect_all({"--check"}); }

TEST_F(ServicesTest, EveryJobIsExplained) { expect_all({"--explain"}); }

TEST_F(ServicesTest, EveryJobIsEstimated) { expect_all({"--estimate"}); }

// Without a pipeline, too, and for ranks that are not there.
TEST_F(ServicesTest, AnEstimateHasThePartsOfTheWork) {
  const ParallelEnding ending =
      run("pagerank", 2,
          {"input.file=links.mtx", "output.file=ranks.h5", "--estimate", "--ranks", "64", "--machine",
           TESSERA_DECKS "/machines/laptop.yaml", "--report", "e.json"});
  ASSERT_EQ(ending.status, 0) << ending.text();
  const nlohmann::json report = nlohmann::json::parse(folder_.read("e.json"));
  EXPECT_EQ(report["estimate"]["ranks"], 64);
  double sum = 0;
  Words names;
  for (const nlohmann::json& step : report["steps"]) {
    sum += step["milliseconds"].get<double>();
    names.push_back(step["step"]);
  }
  EXPECT_EQ(names, (Words{"read", "place", "turn: rows", "turn: exchange", "write"}));
  EXPECT_NEAR(report["estimate"]["milliseconds"].get<double>(), sum, 1e-9 * sum);
  // 63 messages to others and 6 levels of a tree over 64 ranks; each of them takes 1 us.
  EXPECT_GE(report["steps"][3]["milliseconds"].get<double>(),
            69e-3 * report["steps"][3]["times"].get<double>());
  EXPECT_EQ(report["steps"][3]["bound_by"], "latency");
}

}  // namespace
}  // namespace tessera::app_test
