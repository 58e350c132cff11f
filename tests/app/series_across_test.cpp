// SPDX-License-Identifier: BSD-3-Clause
// Series whose images are computed by all ranks together, and series that go on after they were killed.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <future>
#include <thread>

#include "io/plain_hdf5.hpp"
#include "series_test_support.hpp"

namespace tessera::app_test {
namespace {

const Words in_frames{"input.files=frames/*.png", "output.files=out/{name}.png"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class SeriesAcrossTest : public SeriesTest {
 protected:
  Words results_of(const std::string& program, int count) const {
    Words results;
    for (int number = 0; number < count; ++number) results.push_back(result_of(program, frame(number)));
    return results;
  }
  Words results_in(const std::string& folder, int count) const {
    Words results;
    for (int number = 0; number < count; ++number)
      results.push_back(folder_.read(folder + "/f" + std::to_string(number) + ".png"));
    return results;
  }
  Words names_in(const std::string& folder) const {
    Words names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / folder))
      names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }
};

TEST_F(SeriesAcrossTest, ResultsAreThoseOfSingleRuns) {
  write_frames(5);
  const Words expected = results_of("sobel", 5);
  const std::vector<Words> ways = {
      {"items.across=ranks"}, {"bands=3"}, {"items.across=ranks", "exchange=messages"}};
  for (const int ranks : {1, 3})
    for (const Words& way : ways) {
      const ParallelEnding ending = run("sobel", ranks, with(with(in_frames, way), {"threads=2"}));
      EXPECT_EQ(ending.status, 0) << ending.text();
      EXPECT_EQ(lines_with(ending.output, "wrote 5 images in ").size(), 1U) << ending.text();
      EXPECT_TRUE(results_in("out", 5) == expected) << ranks << way.front();
      EXPECT_EQ(names_in("out"), (Words{"f0.png", "f1.png", "f2.png", "f3.png", "f4.png"}));
      std::filesystem::remove_all(folder_ / "out");
    }
}

TEST_F(SeriesAcrossTest, LoopsOfProgramsWithPartsRunOnAllRanks) {
  write_noisy_frames(4);
  const Words expected = results_of("restore", 4);
  for (const int ranks : {1, 3}) {
    const ParallelEnding ending =
        run("restore", ranks,
            with(in_frames, {"items.across=ranks", "--report", "report.json", "--trace", "trace.json"}));
    EXPECT_EQ(ending.status, 0) << ending.text();
    EXPECT_TRUE(results_in("out", 4) == expected) << ranks;
    const std::string report = folder_.read("report.json");
    for (const char* line : {"\"written\": 4", "\"loop\": \"restore\"", "\"planned_peak_bytes_most\""})
      EXPECT_EQ(lines_with(report, line).size(), 1U) << line << report;
    // The images have three sizes, and so three plans.
    const std::string trace = folder_.read("trace.json");
    EXPECT_EQ(lines_with(trace, "\"read input\"").size(), 4U * static_cast<std::size_t>(ranks)) << trace;
  }
  const Words two_turns = with(in_frames, {"items.across=ranks", "cycles=2"});
  const ParallelEnding unfinished = run("restore", 3, two_turns);
  EXPECT_EQ(unfinished.rank_statuses, (std::vector{3, 3, 3})) << unfinished.text();
  EXPECT_EQ(lines_with(unfinished.errors, frame(2) + ": " + line_about_two_turns(frame(2))).size(), 1U)
      << unfinished.errors;
}

TEST_F(SeriesAcrossTest, MemoryChoosesThem) {
  write_frames(3);
  const Words expected = results_of("sobel", 3);
  const ParallelEnding small = run("sobel", 3, with(in_frames, {"memory=1200B", "threads=1"}));
  EXPECT_EQ(small.status, 0) << small.text();
  EXPECT_EQ(lines_with(small.output, "on 3 images, each by 3 ranks").size(), 1U) << small.text();
  EXPECT_TRUE(results_in("out", 3) == expected);
  const ParallelEnding large = run("sobel", 3, with(in_frames, {"memory=100MiB", "threads=1"}));
  EXPECT_EQ(large.status, 0) << large.text();
  EXPECT_EQ(lines_with(large.output, "each by 3 ranks").size(), 0U) << large.text();
}

TEST_F(SeriesAcrossTest, BadFilesAreLeftOutOrEndIt) {
  write_frames(4);
  folder_.write("frames/f1.png", "no image");
  const std::string whole = folder_.read(frame(2));
  folder_.write("frames/f2.png", whole.substr(0, whole.size() / 2));
  for (const int ranks : {1, 3}) {
    expect_refusal(run("sobel", ranks, with(in_frames, {"items.across=ranks"})), {"frames/f1.png:"});
    const ParallelEnding ending =
        run("sobel", ranks, with(in_frames, {"items.across=ranks", "on_error=skip", "--report", "-"}));
    EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 2)) << ending.text();
    EXPECT_EQ(lines_with(ending.errors, "tessera-sobel: left out frames/f").size(), 2U) << ending.errors;
    EXPECT_EQ(lines_with(ending.output, "  left_out ").size(), 1U) << ending.output;
    EXPECT_EQ(names_in("out"), (Words{"f0.png", "f3.png"}));
    for (const int number : {0, 3})
      EXPECT_TRUE(folder_.read("out/f" + std::to_string(number) + ".png") ==
                  result_of("sobel", frame(number)));
    std::filesystem::remove_all(folder_ / "out");
  }
}

TEST_F(SeriesAcrossTest, IsExplainedCheckedAndEstimated) {
  write_frames(2);
  const auto output = [&](const Words& words) {
    const ParallelEnding ending = run("sobel", 2, with(with(in_frames, {"items.across=ranks"}), words));
    EXPECT_EQ(ending.status, 0) << ending.text();
    return ending.output;
  };
  EXPECT_EQ(lines_with(output({"--explain"}), "2 ranks").size(), 1U);
  EXPECT_EQ(lines_with(output({"--check"}), "2 images like frames/f0.png would become ").size(), 1U);
  EXPECT_FALSE(output({"--estimate", "--ranks", "4"}).empty());
  EXPECT_FALSE(folder_.names().contains("out"));
}

TEST_F(SeriesAcrossTest, KeysWithoutEffectAreRefused) {
  write_frames(2);
  const auto refused = [&](const Words& words, const Words& told) {
    expect_refused(with(in_frames, words), told);
  };
  refused({"items.across=ranks", "graph.window=2"}, {"'graph.window':", "images that one rank computes"});
  refused({"items.across=ranks", "graph.sobel.on=kernels"},
          {"'graph.sobel.on':", "images that one rank computes"});
  refused({"items.across=rank", "bands=2"}, {"'bands':", "items.across=ranks"});
  for (const char* word : {"levels=machine", "exchange=messages", "slices=balanced", "overlap=on"}) {
    const std::string key = std::string(word).substr(0, std::string(word).find('='));
    refused({"items.across=rank", word}, {"'" + key + "':", "items.across=ranks"});
  }
  refused({"--explain", "--ranks", "4"}, {"--ranks:", "items.across=ranks"});
  refused({"items.across=ranks", "output.history=h.csv"}, {"output.history"});
  refused({"items.across=somewhere"}, {"'items.across'", "somewhere"});
}

TEST_F(SeriesAcrossTest, KeysOfSeriesAreRefusedForOneImage) {
  write_frames(1);
  for (const char* word :
       {"items.across=ranks", "on_error=skip", "graph.window=2", "graph.sobel.workers=1"}) {
    const std::string key = std::string(word).substr(0, std::string(word).find('='));
    expect_refused({"input.file=" + frame(0), "output.png=o.png", word},
                   {"'" + key + "':", "this is one image"});
  }
}

TEST_F(SeriesAcrossTest, AKilledSeriesGoesOn) {
  using namespace std::chrono_literals;
  constexpr int count = 400;
  write_frames(1);
  for (int number = 1; number < count; ++number)
    std::filesystem::create_symlink(folder_ / frame(0), folder_ / frame(number));
  const std::string expected = result_of("restore", frame(0));
  for (const std::string way : {"ranks", "rank"}) {
    const Words words = with(in_frames, {"items.across=" + way, "threads=1"});
    const std::string mark = std::to_string(getpid()) + "-killed-" + way;
    auto running = std::async(std::launch::async, [&] {
      return run_on_ranks(program_of("restore"), 2, folder_, words, {{rank_mark, mark}});
    });
    const pid_t processes[] = {wait_for_rank(program_of("restore"), mark, 0),
                               wait_for_rank(program_of("restore"), mark, 1)};
    ASSERT_GT(std::min(processes[0], processes[1]), 0);
    const auto last = std::chrono::steady_clock::now() + 30s;
    while (!std::filesystem::exists(folder_ / "out/f3.png") && std::chrono::steady_clock::now() < last)
      std::this_thread::sleep_for(5ms);
    EXPECT_EQ(kill(processes[0], SIGKILL), 0);
    kill(processes[1], SIGKILL);  // The launcher may have ended it meanwhile.
    EXPECT_NE(running.get().status, 0);
    const ParallelEnding ending = run("restore", 2, words);
    EXPECT_EQ(ending.status, 0) << ending.text();
    EXPECT_EQ(lines_with(ending.output, "of an earlier run").size(), 1U) << way << ending.output;
    const Words names = names_in("out");
    EXPECT_EQ(names.size(), static_cast<std::size_t>(count)) << way << " " << names.front();
    for (int number = 0; number < count; ++number)
      ASSERT_TRUE(folder_.read("out/f" + std::to_string(number) + ".png") == expected) << way << number;
    std::filesystem::remove_all(folder_ / "out");
  }
}

}  // namespace
}  // namespace tessera::app_test
