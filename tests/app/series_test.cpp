// SPDX-License-Identifier: BSD-3-Clause
// Series of images as users start them.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <future>
#include <thread>

#include "full_disks.hpp"
#include "series_test_support.hpp"

namespace tessera::app_test {
namespace {

TEST_F(SeriesTest, ResultsAreThoseOfSingleRuns) {
  write_frames(12);
  Words expected;
  for (int number = 0; number < 12; ++number) expected.push_back(result_of("sobel", frame(number)));
  int folder = 0;
  for (const int ranks : {1, 2, 3, 4})
    for (const char* how : {"graph.window=1", "watchdog=60", "graph.sobel.on=kernels"}) {
      const std::string name = "edges" + std::to_string(++folder);
      const ParallelEnding ending =
          run("sobel", ranks,
              {"input.files=frames/*.png", "output.files=" + name + "/{name}.png", how, "threads=2"});
      EXPECT_EQ(ending.status, 0) << ending.text();
      EXPECT_EQ(lines_with(ending.output, "wrote 12 images in ").size(), 1U) << ending.text();
      for (int number = 0; number < 12; ++number)
        EXPECT_EQ(folder_.read(name + "/f" + std::to_string(number) + ".png"),
                  expected[static_cast<std::size_t>(number)])
            << ranks << how << number;
    }
}

TEST_F(SeriesTest, NumbersFollowTheNaturalOrderOfNames) {
  write_frames(12);
  const ParallelEnding ending =
      run("blur", 2,
          {std::string(TESSERA_DECKS) + "/blur/default.yaml", "input.files=[frames/f1*.png, frames/f2.png]",
           "output.files=out/{index}.h5"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  const std::string order[] = {"f1", "f10", "f11", "f2"};
  for (int index = 0; index < 4; ++index) {
    const std::string file = "frames/" + order[index] + ".png";
    ASSERT_EQ(run("blur", 1, {"input.file=" + file, "output.file=single.h5"}).status, 0);
    EXPECT_EQ(read_result(folder_ / ("out/" + std::to_string(index) + ".h5"), "bv"),
              read_result(folder_ / "single.h5", "bv"));
  }
}

TEST_F(SeriesTest, MemoryLimitsTheImagesUnderWay) {
  write_frames(7);
  const Words words{"input.files=frames/*.png", "output.files=edges/{name}.png", "threads=4"};
  const auto with = [&](const std::string& memory) {
    return run("sobel", 2, {words[0], words[1], words[2], memory});
  };
  const ParallelEnding few = with("memory=16K"), many = with("memory=1G");
  EXPECT_EQ(few.status, 0) << few.text();
  EXPECT_EQ(lines_with(few.output, "4 images at a time on a rank").size(), 1U) << few.text();
  for (int number = 0; number < 7; ++number)
    EXPECT_EQ(folder_.read("edges/f" + std::to_string(number) + ".png"), result_of("sobel", frame(number)));
  EXPECT_EQ(lines_with(many.output, "8 images at a time on a rank").size(), 1U) << many.text();
  expect_refused({words[0], words[1], words[2], "memory=3K"},
                 {"'memory':", "1 image at a time needs", "3.0 KiB"});
  expect_refused({words[0], words[1], words[2], "memory=16K", "graph.window=8"},
                 {"'memory':", "8 images at a time need", "a smaller graph.window"});
}

TEST_F(SeriesTest, AnEstimateIsOfOneImage) {
  write_frames(3);
  const ParallelEnding ending =
      run("sobel", 2, {"input.files=frames/*.png", "output.files=edges/{name}.png", "--estimate"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  EXPECT_EQ(lines_with(ending.output, "this is one of 3 images").size(), 1U) << ending.text();
  EXPECT_FALSE(folder_.names().contains("edges"));
}

TEST_F(SeriesTest, ABadFileEndsTheSeries) {
  write_frames(4);
  folder_.write("frames/f2.png", "no image");
  const Words told{"frames/f2.png:", "is not an image that can be read"};
  for (const int ranks : {1, 3})
    expect_refused({"input.files=frames/*.png", "output.files=edges/{name}.png"}, told, ranks);
  expect_refused({"input.files=frames/*.png", "output.files=checked/{name}.png", "--check"}, told);
  EXPECT_FALSE(folder_.names().contains("checked"));
}

TEST_F(SeriesTest, BadFilesAreLeftOut) {
  write_frames(6);
  folder_.write("frames/f2.png", "no image");
  io_test::write_plain_png(folder_ / frame(4),
                           io_test::make_png(5, 5, PNG_COLOR_TYPE_RGB, 8, [](auto, auto, int) { return 7; }));
  const std::string whole = folder_.read(frame(5));
  folder_.write("frames/f5.png", whole.substr(0, whole.size() / 2));
  const Words words{"input.files=frames/*.png", "output.files=clean/{name}.png", "on_error=skip"};
  const ParallelEnding ending = run("restore", 2, {words[0], words[1], words[2], "--report", "report.json"});
  EXPECT_EQ(ending.rank_statuses, (std::vector{2, 2})) << ending.text();
  const Words lines = lines_with(ending.errors, "tessera-restore: left out ");
  ASSERT_EQ(lines.size(), 3U) << ending.errors;
  EXPECT_EQ(lines_with(ending.errors, "left out frames/f2.png: is not an image that can be read").size(), 1U);
  EXPECT_EQ(lines_with(ending.errors, "left out frames/f4.png: 'input.file': the image is 5 x 5 x 3 of uint8")
                .size(),
            1U)
      << ending.errors;
  EXPECT_EQ(lines_with(ending.errors, "left out frames/f5.png: ").size(), 1U);
  EXPECT_EQ(lines_with(folder_.read("report.json"), "frames/f4.png").size(), 1U);
  for (const int number : {0, 1, 3})
    EXPECT_EQ(folder_.read("clean/f" + std::to_string(number) + ".png"), result_of("restore", frame(number)));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "clean/f2.png"));
  const ParallelEnding checked = run("restore", 2, {words[0], words[1], words[2], "--check"});
  EXPECT_EQ(checked.status, 0) << checked.text();
  EXPECT_EQ(lines_with(checked.output, "would leave out frames/f").size(), 2U) << checked.text();
}

TEST_F(SeriesTest, ResultsThatCannotBeWrittenDoNotCountAsWritten) {
  write_frames(3);
  std::filesystem::create_directories(folder_ / "edges/f1.png");
  const ParallelEnding ending =
      run("sobel", 2, {"input.files=frames/*.png", "output.files=edges/{name}.png", "on_error=skip"});
  EXPECT_EQ(ending.status, 2) << ending.text();
  EXPECT_EQ(lines_with(ending.errors, "left out frames/f1.png: ").size(), 1U) << ending.errors;
  EXPECT_EQ(lines_with(ending.output, "wrote 2 images in ").size(), 1U) << ending.text();
  for (const int number : {0, 2})
    EXPECT_TRUE(std::filesystem::exists(folder_ / ("edges/f" + std::to_string(number) + ".png")));
}

TEST_F(SeriesTest, ReportsAndTracesSpareImagesAndResults) {
  write_frames(2);
  const std::string image = folder_.read(frame(1));
  const auto expect_spared = [&](const char* option, const std::string& path) {
    const ParallelEnding ending =
        run("sobel", 2, {"input.files=frames/*.png", "output.files=edges/{name}.png", option, path});
    expect_refusal(ending, {option + (" " + path) + ":", "uses this file already"});
  };
  expect_spared("--report", frame(1));
  expect_spared("--trace", "edges/f0.png");
  EXPECT_TRUE(folder_.read(frame(1)) == image);
}

TEST_F(SeriesTest, ReportsAndTracesHaveItsTasks) {
  write_frames(3);
  const ParallelEnding ending = run("sobel", 2,
                                    {"input.files=frames/*.png", "output.files=edges/{name}.png", "--report",
                                     "-", "--trace", "trace.json"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  for (const char* line : {"  read   task        3 ", "  sobel  task        3 ", "  write  sink        3 "})
    EXPECT_EQ(lines_with(ending.output, line).size(), 1U) << ending.output;
  for (const char* line : {"  start ", "  open ", "  finish ", "  graph 'sobel' "})
    EXPECT_EQ(lines_with(ending.output, line).size(), 1U) << line << ending.output;
  const std::string trace = folder_.read("trace.json");
  EXPECT_EQ(lines_with(trace, "\"sobel\"").size(), 3U) << trace;
  for (const char* name : {"\"finish\"", "\"graph 'sobel'\""})
    EXPECT_EQ(lines_with(trace, name).size(), 2U) << trace;
}

TEST_F(SeriesTest, IsExplained) {
  write_frames(2);
  const Words words{"input.files=frames/*.png", "output.files=edges/{name}.png", "--explain"};
  const ParallelEnding text = run("sobel", 1, words);
  EXPECT_EQ(lines_with(text.output, "graph 'sobel': 4 tasks, 1 pool").size(), 1U) << text.text();
  const ParallelEnding dot = run("sobel", 1, {words[0], words[1], words[2], "--dot"});
  EXPECT_EQ(lines_with(dot.output, "\"read\" -> \"sobel\";").size(), 1U) << dot.text();
  const ParallelEnding parts = run("restore", 1, {words[0], words[1], words[2], "--dot"});
  for (const char* arrow :
       {"\"read\" -> \"detect\";", "\"detect\" -> \"restore\";", "\"restore\" -> \"write\";"})
    EXPECT_EQ(lines_with(parts.output, arrow).size(), 1U) << parts.text();
  EXPECT_FALSE(folder_.names().contains("edges"));
}

TEST_F(SeriesTest, FaultyKeysAreRefused) {
  write_frames(3);
  std::filesystem::create_directory(folder_ / "other");
  std::filesystem::copy(folder_ / frame(1), folder_ / "other/f1.png");
  const std::string in = "input.files=frames/*.png", out = "output.files=e/{name}.png";
  expect_refused({in}, {"'input.files':", "'output.files' is not given"});
  expect_refused({out, "input.file=frames/f1.png"}, {"'output.files':", "'input.files' is not given"});
  expect_refused({in, out, "input.file=frames/f1.png"}, {"'input.file':", "'input.files' is given, too"});
  expect_refused({in, out, "output.png=o.png"}, {"'output.png':", "one file for a series"});
  expect_refused({in, "output.files=edges/{name}.h5", "graph.write.on=threads"},
                 {"'graph.write.on':", "by one thread", "say io"});
  for (const auto& [word, key] : {std::pair{"output.chunks=[8,8]", "'output.chunks':"},
                                  {"output.compression=3", "'output.compression':"}})
    expect_refused({in, out, word}, {key, "is about HDF5 files", "this series writes none"});
  for (const std::string key : {"checkpoint.every", "checkpoint.interval", "wall_limit"})
    expect_refused({in, out, key + "=9"}, {"'" + key + "':", "a series does not have this key"});
  expect_refused({in, out, "--explain", "--save-plan", "p.json"}, {"--save-plan is", "for single images"});
  const std::string nothing = "input.files=frames/*.tif";
  expect_refused({nothing, out}, {"'input.files':", "no file matches 'frames/*.tif'"});
  const std::string missing = "input.files=[frames/f9.png]";
  expect_refused({missing, out}, {"'input.files':", "there is no file frames/f9.png"});
  const std::string nowhere = "input.files=nowhere/*.png";
  expect_refused({nowhere, out}, {"'input.files':", "cannot look into the folder nowhere"});
  const std::string folders = "input.files=\"*/f1.png\"";
  expect_refused({folders, out}, {"'*/f1.png':", "only the last part", "a pattern"});
  const std::string one = "output.files=e.png";
  expect_refused({in, one}, {"'output.files':", "one file for 3 images"});
  const std::string unknown = "output.files=e/{nmae}.png";
  expect_refused({in, unknown}, {"'output.files':", "unknown placeholder {nmae}"});
  const std::string ending = "output.files=e/{name}.gif";
  expect_refused({in, ending}, {"'output.files':", "no ending of a format"});
  const std::string same = "output.files=frames/{name}.png";
  expect_refused({in, same}, {"'output.files':", "frames/f0.png is an image of the series"});
  expect_refused({"input.files=[frames/f1.png, other/f1.png]", out},
                 {"'output.files':", "would both become e/f1.png"});
  EXPECT_FALSE(folder_.names().contains("e"));
}

TEST_F(SeriesTest, AFullDiskLeavesWholeFiles) {
  if (!SmallDisk::is_allowed()) GTEST_SKIP() << "no file systems may be mounted here";
  write_frames(1);
  for (int number = 1; number < 60; ++number)
    std::filesystem::copy(folder_ / frame(0), folder_ / frame(number));
  std::filesystem::create_directory(folder_ / "disk");
  const SmallDisk disk(folder_ / "disk", 64);
  const ParallelEnding ending =
      run("sobel", 1,
          {"input.files=frames/*.png", "output.files=disk/{name}.raw", "graph.window=1", "threads=1"});
  EXPECT_EQ(ending.status, 2) << ending.text();
  ASSERT_EQ(run("sobel", 1, {"input.file=frames/f0.png", "output.raw=single.raw"}).status, 0);
  std::size_t whole = 0;
  std::filesystem::remove(folder_ / "disk/.tessera-sobel.ledger");
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "disk")) {
    EXPECT_EQ(folder_.read("disk/" + entry.path().filename().string()), folder_.read("single.raw"));
    ++whole;
  }
  EXPECT_GT(whole, 3U);
  EXPECT_LT(whole, 60U);
  const Words lines = lines_with(ending.errors, "error:");
  ASSERT_EQ(lines.size(), 1U) << ending.errors;
  EXPECT_TRUE(lines.front().starts_with("tessera-sobel: error: disk/f" + std::to_string(whole) +
                                        ".raw: cannot be written ("))
      << lines.front();
}

TEST_F(SeriesTest, ASignalEndsItAfterTheImagesUnderWay) {
  using namespace std::chrono_literals;
  write_frames(1);
  for (int number = 1; number < 3000; ++number)
    std::filesystem::create_symlink(folder_ / frame(0), folder_ / frame(number));
  const std::string mark = std::to_string(getpid()) + "-series";
  auto running = std::async(std::launch::async, [&] {
    return run_on_ranks(
        program_of("restore"), 2, folder_,
        {"input.files=frames/*.png", "output.files=clean/{name}.png", "tolerance=0", "threads=1"},
        {{rank_mark, mark}});
  });
  const pid_t process = wait_for_rank(program_of("restore"), mark, 1);
  ASSERT_GT(process, 0);
  while (!std::filesystem::exists(folder_ / "clean/f1.png")) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(kill(process, SIGTERM), 0);
  const ParallelEnding ending = running.get();
  EXPECT_EQ(ending.rank_statuses, (std::vector{4, 4})) << ending.text();
  const Words lines = lines_with(ending.errors, "tessera-restore: a signal has ended the series after ");
  ASSERT_EQ(lines.size(), 1U) << ending.errors;
  std::size_t written = 0;
  EXPECT_TRUE(std::filesystem::remove(folder_ / "clean/.tessera-restore.ledger"));
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "clean")) {
    EXPECT_EQ(entry.path().extension(), ".png");
    ++written;
  }
  EXPECT_LT(written, 3000U);
  EXPECT_NE(lines.front().find("after " + std::to_string(written) + " of 3000 images"), std::string::npos)
      << lines.front();
}

}  // namespace
}  // namespace tessera::app_test
