// SPDX-License-Identifier: BSD-3-Clause
// Runs of tessera-stitch that go on after others that failed or were killed.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <future>

#include "stitch_runs.hpp"

namespace tessera::app_test {
namespace {

constexpr const char* ledger_name = ".p.csv.ledger";

class StitchRestartTest : public testing::Test {
 protected:
  StitchRestartTest() { plate_.write_all(folder_); }

  ParallelEnding run(int ranks, const Words& more) const {
    Words words{"output.positions=p.csv", "output.translations=t.csv", "output.pairs=a.csv"};
    words.insert(words.end(), more.begin(), more.end());
    return stitch(folder_, ranks, words);
  }
  /// Makes it impossible to decode a file, or possible again. Its size and its time stay.
  void spoil(const std::string& name) const {
    std::string bytes = folder_.read(name);
    const std::size_t data = bytes.find("IDAT") + 4;
    for (const std::size_t i : {data, data + 1}) bytes[i] = static_cast<char>(~bytes[i]);
    const auto time = std::filesystem::last_write_time(folder_ / name);
    folder_.write(name, bytes);
    std::filesystem::last_write_time(folder_ / name, time);
  }
  /// Runs until the last tile cannot be read. Returns the number of translations that were noted by then.
  std::int64_t fail() const {
    spoil(plate_.name(3, 3));
    EXPECT_EQ(run(1, {"threads=1", "traversal=rows"}).status, 2);
    spoil(plate_.name(3, 3));
    return noted();
  }
  std::int64_t noted() const {
    const std::string lines = folder_.read(ledger_name);
    return std::ranges::count(lines, '\n');
  }
  static void expect_left_out(const ParallelEnding& ending, std::int64_t count, const std::string& what) {
    expect_done(ending);
    const std::string line = std::to_string(count) + " " + what + " of an earlier run ";
    EXPECT_EQ(lines_with(ending.output, line).size(), 1U) << line << ending.output;
  }

  const Folder folder_;
  CutPlate plate_{{.rows = 4, .columns = 4, .seed = 71, .noise = 0.02}};
};

TEST_F(StitchRestartTest, ARunThatFailedGoesOn) {
  const auto results = [&] { return folder_.read("p.csv") + folder_.read("t.csv") + folder_.read("a.csv"); };
  expect_done(run(1, {"traversal=rows"}));
  EXPECT_FALSE(folder_.names().contains(ledger_name));
  const std::string expected = results();
  for (const char* halo : {"graph.halo=recompute", "graph.halo=send"}) {
    const std::int64_t count = fail();
    EXPECT_GT(count, 5);
    EXPECT_LT(count, 24);
    const ParallelEnding ending = run(3, {"traversal=rows", "threads=2", halo});
    expect_left_out(ending, count, "translations");
    EXPECT_EQ(lines_with(ending.output, "compared " + std::to_string(24 - count) + " pair").size(), 1U)
        << ending.output;
    EXPECT_TRUE(results() == expected) << halo;
    EXPECT_FALSE(folder_.names().contains(ledger_name));
  }
}

TEST_F(StitchRestartTest, WhatHasChangedIsComputedAgain) {
  fail();
  const ParallelEnding other = run(1, {"traversal=rows", "peaks=3"});
  expect_done(other);
  EXPECT_TRUE(lines_with(other.output, "of an earlier run").empty()) << other.output;
  EXPECT_FALSE(folder_.names().contains(ledger_name));
  const std::int64_t count = fail();
  const auto time = std::filesystem::last_write_time(folder_ / plate_.name(0, 0));
  std::filesystem::last_write_time(folder_ / plate_.name(0, 0), time + std::chrono::hours(1));
  expect_left_out(run(1, {"traversal=rows"}), count - 2, "translations");
}

TEST_F(StitchRestartTest, AKilledRunGoesOn) {
  // Many peaks take some seconds.
  CutPlate plate({.rows = 10, .columns = 12, .width = 240, .height = 180, .seed = 72, .noise = 0.02});
  plate.write_all(folder_);
  const Words words{"peaks=64", "precision=double", "threads=1", "output.tiff=p.tif"};
  const auto results = [&] { return folder_.read("p.csv") + folder_.read("t.csv") + folder_.read("p.tif"); };
  expect_done(run(2, words));
  const std::string expected = results();
  for (const char* name : {"p.csv", "t.csv", "a.csv", "p.tif"}) std::filesystem::remove(folder_ / name);
  auto killed = std::async(std::launch::async, [&] { return run(2, words); });
  while (killed.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready &&
         (!folder_.names().contains(ledger_name) || noted() < 3)) {
  }
  const std::string begin = ".p.csv.part-";
  for (const std::string& name : folder_.names())
    if (name.starts_with(begin)) {
      EXPECT_EQ(kill(std::stoi(name.substr(begin.size())), SIGKILL), 0);
    }
  EXPECT_NE(killed.get().status, 0);
  ASSERT_TRUE(folder_.names().contains(ledger_name));
  const ParallelEnding ending = run(2, words);
  expect_done(ending);
  EXPECT_EQ(lines_with(ending.output, " translations of an earlier run are whole").size(), 1U)
      << ending.output;
  EXPECT_TRUE(results() == expected);
  for (const std::string& name : folder_.names()) EXPECT_FALSE(name.starts_with(".")) << name;
}

TEST_F(StitchRestartTest, PlatesThatAreWholeAreNotComposedAgain) {
  for (int tile = 0; tile < 16; ++tile)
    for (const char* slice : {"z1_", "z2_"})
      plate_.write(tile / 4, tile % 4, folder_ / (slice + plate_.name(tile / 4, tile % 4)));
  const auto slices = [&](int ranks, const Words& more) {
    Words words{"input.tiles=z{z}_t_r{row:2}_c{col:2}.png", "output.png=plate{z}.png", "threads=1"};
    words.insert(words.end(), more.begin(), more.end());
    return run(ranks, words);
  };
  const auto results = [&] { return folder_.read("plate1.png") + folder_.read("plate2.png"); };
  expect_done(slices(2, {}));
  const std::string expected = results();
  for (const char* name : {"plate1.png", "plate2.png"}) std::filesystem::remove(folder_ / name);
  const std::string spoiled = "z2_" + plate_.name(0, 0);
  spoil(spoiled);
  EXPECT_EQ(slices(1, {}).status, 2);
  EXPECT_FALSE(folder_.names().contains("plate2.png"));
  spoil(spoiled);
  EXPECT_EQ(noted(), 24 + 1);
  const auto time = std::filesystem::last_write_time(folder_ / "plate1.png");
  const ParallelEnding ending = slices(1, {"--report", "r.json"});
  expect_left_out(ending, 1, "plate");
  expect_left_out(ending, 24, "translations");
  EXPECT_NE(folder_.read("r.json").find("\"reads_of_tiles\": 16"), std::string::npos)
      << folder_.read("r.json");
  EXPECT_EQ(std::filesystem::last_write_time(folder_ / "plate1.png"), time);
  EXPECT_TRUE(results() == expected);
  EXPECT_FALSE(folder_.names().contains(ledger_name));
}

}  // namespace
}  // namespace tessera::app_test
