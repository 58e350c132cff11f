// SPDX-License-Identifier: BSD-3-Clause
// Every kind of job has every service: this is the table of both.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "series_test_support.hpp"

namespace tessera::app_test {
namespace {

/// A kind of job, as a program that is started with some words.
struct Job {
  std::string program;
  Words words;
  /// The services that it refuses, because they have no meaning for it.
  std::set<std::string> refused = {};
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
    folder_.write("links.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 3\n3 1\n");
  }

  std::vector<std::pair<std::string, Job>> jobs() const {
    const std::string in = "input.file=" + frame(0), files = "input.files=frames/*.png",
                      outputs = "output.files=out/{name}.png", tasks = "groups={first: [bh], second: [bv]}",
                      mixed = "program.allocation=data";
    std::vector<std::pair<std::string, Job>> jobs{
        {"one image", {"sobel", {in, "output.png=o.png"}}},
        {"tasks on groups", {"blur", {in, "output.png=o.png", tasks, mixed}}},
        {"series, an image a rank", {"sobel", {files, outputs, "items.across=rank"}}},
        {"series, all ranks an image", {"sobel", {files, outputs, "items.across=ranks"}}},
        {"series on groups", {"blur", {files, outputs, tasks, mixed}}},
        {"no image", {"generate", {"width=31", "height=23", "output.png=o.png"}}},
        {"loop", {"helmholtz", {"intervals.x=20", "intervals.y=20", "turns=9", "output.raw=o.raw"}}},
        {"iteration", {"pagerank", {"input.file=links.mtx", "output.file=ranks.h5"}, {"--estimate"}}},
        {"graph", {"failing", {}, {"--estimate"}}}};
#if TESSERA_TEST_VIDEO
    const Words video{"input.video=v.y4m", "output.video=o.y4m"};
    jobs.push_back({"video, a frame a rank", {"sobel", {video[0], video[1], "items.across=rank"}}});
    jobs.push_back({"video, all ranks a frame", {"sobel", {video[0], video[1], "items.across=ranks"}}});
#endif
    return jobs;
  }

  ParallelEnding run_job(const Job& job, const Words& more) const {
    Words words = job.words;
    words.insert(words.end(), more.begin(), more.end());
    if (job.program != "failing") return run(job.program, 2, words);
    words.insert(words.begin(), "graph-quick");
    return run_on_ranks(TESSERA_FAILING, 2, folder_, words);
  }

  /// Runs every job with a service.
  void expect_all(const std::string& service, const Words& words, const std::string& written = "") const {
    for (const auto& [name, job] : jobs()) {
      SCOPED_TRACE(name);
      const ParallelEnding ending = run_job(job, words);
      const bool is_refused = job.refused.contains(service);
      EXPECT_EQ(ending.status, is_refused ? 2 : 0) << ending.text();
      if (is_refused) EXPECT_NE(ending.errors.find(service), std::string::npos) << ending.errors;
      if (written.empty() || is_refused) continue;
      EXPECT_TRUE(nlohmann::json::accept(folder_.read(written))) << folder_.read(written);
      std::filesystem::remove(folder_ / written);
    }
  }
};

TEST_F(ServicesTest, EveryJobHasAReport) { expect_all("--report", {"--report", "r.json"}, "r.json"); }

TEST_F(ServicesTest, EveryJobHasATrace) { expect_all("--trace", {"--trace", "t.json"}, "t.json"); }

TEST_F(ServicesTest, EveryJobHasAWatchdog) { expect_all("watchdog", {"watchdog=60"}); }

TEST_F(ServicesTest, EveryJobHasALimitOfMemory) { expect_all("memory", {"memory=1GiB"}); }

TEST_F(ServicesTest, EveryJobIsChecked) { expect_all("--check", {"--check"}); }

TEST_F(ServicesTest, EveryJobIsExplained) { expect_all("--explain", {"--explain"}); }

TEST_F(ServicesTest, EveryJobIsEstimated) { expect_all("--estimate", {"--estimate"}); }

}  // namespace
}  // namespace tessera::app_test
