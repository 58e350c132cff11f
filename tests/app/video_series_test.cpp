// SPDX-License-Identifier: BSD-3-Clause
// Videos as series of frames, as users start them. Videos are Y4M, which the test writes and reads by itself.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <future>
#include <thread>

#include "full_disks.hpp"
#include "io/plain_png.hpp"
#include "rank_processes.hpp"
#include "sample_images.hpp"

namespace tessera::app_test {
namespace {

constexpr int width = 53;
constexpr int height = 38;

int pixel(int frame, std::int64_t x, std::int64_t y) {
  const auto noise = static_cast<std::uint32_t>((x * 7919 + y * 104729 + frame * 31) * 2654435761LL) >> 12;
  return noise % 10 < 3 ? static_cast<int>(noise >> 8) % 2 * 255
                        : static_cast<int>((3 * x + 2 * y + 5 * frame) % 200) + 20;
}

const std::string frame_mark = "FRAME\n";
const std::string header =
    "YUV4MPEG2 W" + std::to_string(width) + " H" + std::to_string(height) + " F12:1 Ip A1:1 Cmono\n";

std::string video_of(int frames) {
  std::string video = header;
  for (int frame = 0; frame < frames; ++frame) {
    video += frame_mark;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) video += static_cast<char>(pixel(frame, x, y));
  }
  return video;
}

/// The samples of the frames of a Y4M video.
std::vector<std::string> frames_of(const std::string& video) {
  std::vector<std::string> frames;
  std::size_t at = video.find('\n') + 1;
  while (at < video.size()) {
    EXPECT_EQ(video.compare(at, frame_mark.size(), frame_mark), 0);
    at += frame_mark.size();
    frames.push_back(video.substr(at, width * height));
    EXPECT_EQ(frames.back().size(), static_cast<std::size_t>(width * height));
    at += width * height;
  }
  return frames;
}

class VideoSeriesTest : public testing::Test {
 protected:
  ParallelEnding run(const std::string& program, int ranks, std::vector<std::string> words,
                     const Environment& environment = {}) const {
    words.insert(words.begin(), {"input.video=clip.y4m", "output.video=out.y4m"});
    return run_on_ranks(program_of(program), ranks, folder_, words, environment);
  }

  /// Writes a frame as a file, which has `more` columns more.
  void write_frame(const std::string& path, int frame, int more = 0) const {
    io_test::write_plain_png(folder_ / path,
                             io_test::make_png(width + more, height, PNG_COLOR_TYPE_GRAY, 8,
                                               [&](auto x, auto y, int) { return pixel(frame, x, y); }));
  }

  static std::string file(int frame) { return "f" + std::to_string(frame) + ".png"; }

  /// Returns the program's result from one frame as an image by itself.
  std::string result_of(const std::string& program, int frame) const {
    write_frame("frame.png", frame);
    const ParallelEnding ending =
        run_on_ranks(program_of(program), 1, folder_, {"input.file=frame.png", "output.raw=single.raw"});
    EXPECT_EQ(ending.status, 0) << ending.text();
    return folder_.read("single.raw");
  }

  Folder folder_;
};

TEST_F(VideoSeriesTest, FramesAreThoseOfSingleRuns) {
  folder_.write("clip.y4m", video_of(9));
  for (const std::string program : {"sobel", "restore"}) {
    std::vector<std::string> expected;
    for (int frame = 0; frame < 9; ++frame) expected.push_back(result_of(program, frame));
    for (const int ranks : {1, 2, 3, 4}) {
      const ParallelEnding ending = run(program, ranks, {"graph." + program + ".workers=2", "threads=2"});
      EXPECT_EQ(ending.status, 0) << ending.text();
      const std::string video = folder_.read("out.y4m");
      EXPECT_EQ(frames_of(video), expected) << program << " on " << ranks;
      EXPECT_NE(video.find(" F12:1"), std::string::npos) << video.substr(0, 80);
    }
  }
}

TEST_F(VideoSeriesTest, TheRestorationIsAPipeOfTwoTasks) {
  folder_.write("clip.y4m", video_of(7));
  std::vector<std::string> expected;
  for (int frame = 0; frame < 7; ++frame) expected.push_back(result_of("restore", frame));
  for (const int ranks : {1, 2, 3, 4})
    for (const std::vector<std::string>& setting :
         {std::vector<std::string>{"graph.detect.workers=1", "graph.restore.workers=2"},
          {"graph.detect.on=kernels", "graph.restore.on=kernels"},
          {"graph.restore.on=kernels", "graph.images.count=3", "graph.window=2"}}) {
      std::vector<std::string> words{"threads=2", "--report", "-"};
      words.insert(words.end(), setting.begin(), setting.end());
      const ParallelEnding ending = run("restore", ranks, words);
      EXPECT_EQ(ending.status, 0) << ending.text();
      for (const char* task : {"  detect ", "  restore "})
        EXPECT_EQ(lines_with(ending.output, task).size(), 1U) << ending.output;
      EXPECT_EQ(frames_of(folder_.read("out.y4m")), expected) << setting.front() << " on " << ranks;
    }
}

TEST_F(VideoSeriesTest, FramesWhoseLoopsDoNotConvergeAreWrittenAndTold) {
  folder_.write("clip.y4m", video_of(5));
  for (const int ranks : {1, 4}) {
    const ParallelEnding ending = run("restore", ranks, {"cycles=2"});
    EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 3)) << ending.text();
    const auto lines = lines_with(ending.errors, "tessera-restore: ");
    ASSERT_EQ(lines.size(), 5U) << ending.errors;
    for (std::size_t frame = 0; frame < 5; ++frame)
      EXPECT_TRUE(lines[frame].starts_with("tessera-restore: clip.y4m: frame " + std::to_string(frame) +
                                           ": the loop 'restore' has not converged after 2 turns, residual "))
          << lines[frame];
    EXPECT_EQ(frames_of(folder_.read("out.y4m")).size(), 5U);
  }
}

TEST_F(VideoSeriesTest, AllRanksComputeEachFrame) {
  folder_.write("clip.y4m", video_of(6));
  for (const std::string program : {"sobel", "restore"}) {
    std::vector<std::string> expected;
    for (int frame = 0; frame < 6; ++frame) expected.push_back(result_of(program, frame));
    for (const int ranks : {1, 3}) {
      const ParallelEnding ending = run(program, ranks, {"items.across=ranks", "threads=2"});
      EXPECT_EQ(ending.status, 0) << ending.text();
      EXPECT_TRUE(frames_of(folder_.read("out.y4m")) == expected) << program << " on " << ranks;
    }
  }
  const ParallelEnding banded = run("sobel", 2, {"bands=3"});
  EXPECT_EQ(banded.status, 0) << banded.text();
  EXPECT_TRUE(frames_of(folder_.read("out.y4m")).at(5) == result_of("sobel", 5));
  folder_.write("clip.y4m", video_of(6).substr(0, video_of(6).size() - 100));
  std::filesystem::remove(folder_ / "out.y4m");
  expect_refusal(run("sobel", 3, {"items.across=ranks"}), {"clip.y4m", "damaged or truncated at frame 5"});
  EXPECT_FALSE(folder_.names().contains("out.y4m"));
}

TEST_F(VideoSeriesTest, TasksOnGroupsComputeFrames) {
  const std::string video = video_of(9);
  folder_.write("clip.y4m", video);
  std::vector<std::string> expected;
  for (int frame = 0; frame < 9; ++frame) expected.push_back(result_of("blur", frame));
  const std::string tasks = "groups={first: [bh], second: [bv]}";
  for (const int ranks : {1, 2, 3})
    for (const std::vector<std::string>& setting :
         {std::vector<std::string>{"program.allocation=data"},
          {"program.allocation=task", "--report", "report.json", "watchdog=60"},
          {"program.allocation=mixed", "graph.window=1"}}) {
      std::vector<std::string> words{tasks, "threads=1"};
      words.insert(words.end(), setting.begin(), setting.end());
      const ParallelEnding ending = run("blur", ranks, words);
      EXPECT_EQ(ending.status, 0) << ending.text();
      EXPECT_NE(ending.output.find("wrote 9 images"), std::string::npos) << ending.output;
      const std::string result = folder_.read("out.y4m");
      EXPECT_TRUE(frames_of(result) == expected) << setting.front() << " on " << ranks;
      EXPECT_NE(result.find(" F12:1"), std::string::npos) << result.substr(0, 80);
    }
  const std::vector<std::string> words{tasks, "program.allocation=task"};
  const auto run_with = [&](const std::string& in, const std::string& out) {
    return run_on_ranks(program_of("blur"), 2, folder_, {in, out, words[0], words[1]});
  };
  EXPECT_EQ(run_with("input.video=clip.y4m", "output.files=out/{index}.raw").status, 0);
  EXPECT_TRUE(folder_.read("out/000008.raw") == expected[8]);
  for (int frame = 0; frame < 9; ++frame) write_frame(file(frame), frame);
  EXPECT_EQ(run_with("input.files=f?.png", "output.video=out.y4m").status, 0);
  EXPECT_TRUE(frames_of(folder_.read("out.y4m")) == expected);
  expect_refusal(run("blur", 2, {tasks, "on_error=skip"}),
                 {"'on_error':", "a frame that fails", "program.allocation=whole"});
  expect_refusal(run_with("input.video=clip.y4m", "output.video=clip.y4m"),
                 {"output.video clip.y4m:", "uses this file already"});
  folder_.write("clip.y4m", video.substr(0, video.size() - 100));
  std::filesystem::remove(folder_ / "out.y4m");
  expect_refusal(run("blur", 3, words), {"clip.y4m:", "damaged or truncated at frame 8"});
  EXPECT_FALSE(folder_.names().contains("out.y4m"));
}

TEST_F(VideoSeriesTest, FilesBecomeAVideo) {
  for (int frame = 0; frame < 7; ++frame) write_frame(file(frame), frame);
  for (const std::string program : {"sobel", "restore"}) {
    std::vector<std::string> expected;
    for (int frame = 0; frame < 7; ++frame) expected.push_back(result_of(program, frame));
    for (const int ranks : {1, 3})
      for (const char* way : {"rank", "ranks"}) {
        const ParallelEnding ending = run_on_ranks(
            program_of(program), ranks, folder_,
            {"input.files=f?.png", "output.video=out.y4m", std::string("items.across=") + way, "threads=2"});
        EXPECT_EQ(ending.status, 0) << ending.text();
        EXPECT_EQ(lines_with(ending.output, "wrote 7 images in ").size(), 1U) << ending.text();
        const std::string video = folder_.read("out.y4m");
        EXPECT_TRUE(frames_of(video) == expected) << program << way << ranks;
        EXPECT_NE(video.find(" F25:1"), std::string::npos) << video.substr(0, 80);
      }
  }
  const std::vector<std::string> slow{"input.files=f?.png", "output.video=out.y4m", "output.frame_rate=12.5"};
  EXPECT_EQ(run_on_ranks(program_of("sobel"), 1, folder_, slow).status, 0);
  EXPECT_NE(folder_.read("out.y4m").find(" F25:2"), std::string::npos);
}

TEST_F(VideoSeriesTest, AVideoBecomesFiles) {
  folder_.write("clip.y4m", video_of(5));
  for (const std::string program : {"sobel", "restore"}) {
    std::vector<std::string> expected;
    for (int frame = 0; frame < 5; ++frame) expected.push_back(result_of(program, frame));
    for (const int ranks : {1, 3})
      for (const char* way : {"rank", "ranks"}) {
        // A killed run has left a frame that is not complete.
        std::filesystem::create_directory(folder_ / "out");
        folder_.write("out/.000004.raw.part-999999999", "half");
        const ParallelEnding ending = run_on_ranks(program_of(program), ranks, folder_,
                                                   {"input.video=clip.y4m", "output.files=out/{index}.raw",
                                                    std::string("items.across=") + way, "threads=2"});
        EXPECT_EQ(ending.status, 0) << ending.text();
        for (std::size_t frame = 0; frame < expected.size(); ++frame)
          EXPECT_TRUE(folder_.read("out/00000" + std::to_string(frame) + ".raw") == expected[frame])
              << program << way << ranks;
        EXPECT_EQ(std::filesystem::remove_all(folder_ / "out"), 1 + expected.size());
      }
  }
}

TEST_F(VideoSeriesTest, FramesThatCannotBeWrittenAreLeftOut) {
  folder_.write("clip.y4m", video_of(4));
  for (const char* way : {"rank", "ranks"})
    for (const int ranks : {1, 3}) {
      std::filesystem::create_directories(folder_ / "out/000002.raw");
      const ParallelEnding ending = run_on_ranks(program_of("sobel"), ranks, folder_,
                                                 {"input.video=clip.y4m", "output.files=out/{index}.raw",
                                                  "on_error=skip", std::string("items.across=") + way});
      EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 2)) << ending.text();
      EXPECT_EQ(lines_with(ending.errors, "left out clip.y4m: frame 2: ").size(), 1U) << ending.errors;
      for (const int frame : {0, 1, 3})
        EXPECT_TRUE(folder_.read("out/00000" + std::to_string(frame) + ".raw") == result_of("sobel", frame));
      std::filesystem::remove_all(folder_ / "out");
    }
}

TEST_F(VideoSeriesTest, EachRankHasAWindowOfItsOwn) {
  folder_.write("clip.y4m", video_of(3));
  for (const int ranks : {1, 3}) {
    const ParallelEnding ending = run("sobel", ranks, {"graph.window=2", "--explain"});
    const std::string line = "Each source has at most " + std::to_string(2 * ranks) + " items under way.";
    EXPECT_EQ(lines_with(ending.output, line).size(), 1U) << ending.text();
  }
}

TEST_F(VideoSeriesTest, FilesOfAnotherSizeAreRefusedOrLeftOut) {
  for (int frame = 0; frame < 4; ++frame) write_frame(file(frame), frame, frame == 1 ? 2 : 0);
  for (const char* way : {"rank", "ranks"})
    for (const int ranks : {1, 3}) {
      std::vector<std::string> words{"input.files=f?.png", "output.video=out.y4m",
                                     std::string("items.across=") + way};
      expect_refusal(run_on_ranks(program_of("sobel"), ranks, folder_, words),
                     {"f1.png", "that of the other frames of out.y4m"});
      EXPECT_FALSE(folder_.names().contains("out.y4m"));
      words.emplace_back("on_error=skip");
      const ParallelEnding ending = run_on_ranks(program_of("sobel"), ranks, folder_, words);
      EXPECT_EQ(ending.status, 2) << ending.text();
      EXPECT_EQ(lines_with(ending.errors, "left out f1.png: ").size(), 1U) << ending.errors;
      EXPECT_EQ(frames_of(folder_.read("out.y4m")),
                (std::vector{result_of("sobel", 0), result_of("sobel", 2), result_of("sobel", 3)}));
      std::filesystem::remove(folder_ / "out.y4m");
    }
}

TEST_F(VideoSeriesTest, AVideoThatCannotBeWrittenEndsTheSeries) {
  for (int frame = 0; frame < 2; ++frame) write_frame(file(frame), frame);
  std::filesystem::create_directory(folder_ / "many");
  for (int frame = 100; frame < 160; ++frame)
    std::filesystem::copy(folder_ / file(0), folder_ / ("many/" + file(frame)));
  std::filesystem::create_directory(folder_ / "disk");
  for (std::vector<std::string> way :
       {std::vector<std::string>{"sobel", "items.across=rank"},
        {"sobel", "items.across=ranks"},
        {"blur", "groups={first: [bh], second: [bv]}", "program.allocation=task"}}) {
    const std::string program = program_of(way.front());
    way.front() = "on_error=skip";
    const auto written = [&](const std::string& in, const std::string& out) {
      std::vector<std::string> words{"input.files=" + in, "output.video=" + out, "threads=1"};
      words.insert(words.end(), way.begin(), way.end());
      return run_on_ranks(program, 2, folder_, words);
    };
    expect_refusal(written("f?.png", "f0.png/o.y4m"), {"'output.video':", "cannot make the folder f0.png"});
    if (!SmallDisk::is_allowed()) continue;
    const SmallDisk disk(folder_ / "disk", 64);
    const ParallelEnding full = written("many/*.png", "disk/o.y4m");
    EXPECT_EQ(full.status, 2) << full.text();
    EXPECT_EQ(lines_with(full.errors, "disk/o.y4m: cannot be written").size(), 1U) << full.errors;
    EXPECT_EQ(lines_with(full.errors, "left out").size(), 0U) << full.errors;
  }
}

TEST_F(VideoSeriesTest, WithoutFramesThereIsNoVideo) {
  write_frame(file(0), 0);
  const std::string whole = folder_.read(file(0));
  for (int frame = 0; frame < 2; ++frame) folder_.write(file(frame), whole.substr(0, whole.size() / 2));
  for (const char* way : {"rank", "ranks"}) {
    const ParallelEnding ending = run_on_ranks(
        program_of("sobel"), 2, folder_,
        {"input.files=f?.png", "output.video=out.y4m", "on_error=skip", std::string("items.across=") + way});
    EXPECT_EQ(ending.rank_statuses, (std::vector{2, 2})) << ending.text();
    EXPECT_EQ(lines_with(ending.errors, "left out f").size(), 2U) << ending.errors;
    EXPECT_EQ(lines_with(ending.errors, "error:").size(), 0U) << ending.errors;
    EXPECT_FALSE(folder_.names().contains("out.y4m"));
  }
}

TEST_F(VideoSeriesTest, KeysThatDoNotFitAreRefused) {
  folder_.write("clip.y4m", video_of(2));
  write_frame("f0.png", 0);
  const auto refused = [&](const std::vector<std::string>& words, const std::vector<std::string>& told) {
    expect_refusal(run_on_ranks(program_of("sobel"), 1, folder_, words), told);
  };
  const std::string in = "input.video=clip.y4m", out = "output.video=o.y4m", rate = "output.frame_rate=10";
  refused({in, out, rate}, {"'output.frame_rate':", "the video of a series of files"});
  refused({"input.files=f?.png", "output.files=o/{name}.h5", rate}, {"'output.frame_rate':", "leave it out"});
  refused({"input.file=f0.png", "output.png=o.png", rate}, {"'output.frame_rate':", "this is one image"});
  refused({in, out, "output.files=o/{index}.png"}, {"'output.video':", "'output.files' is given, too"});
  refused({in, "output.files=o/{name}.png"}, {"'output.files':", "one file for all frames"});
  refused({in, "output.files=o/{index}.gif"}, {"'output.files':", "no ending of a format"});
  refused({"input.files=f0.png", "output.video=f0.png"}, {"'output.video':", "is an image of the series"});
}

TEST_F(VideoSeriesTest, AVideoThatEndsInAFrameIsAnError) {
  const std::string video = video_of(5);
  folder_.write("clip.y4m", video.substr(0, video.size() - 100));
  for (const int ranks : {1, 3}) {
    const ParallelEnding ending = run("sobel", ranks, {});
    expect_refusal(ending, {"clip.y4m:", "damaged or truncated at frame 4"});
    EXPECT_FALSE(folder_.names().contains("out.y4m"));
  }
}

TEST_F(VideoSeriesTest, FaultyNamesAreRefused) {
  folder_.write("clip.y4m", video_of(2));
  const ParallelEnding same =
      run_on_ranks(program_of("sobel"), 1, folder_, {"input.video=clip.y4m", "output.video=clip.y4m"});
  expect_refusal(same, {"output.video clip.y4m:", "uses this file already"});
  const ParallelEnding missing =
      run_on_ranks(program_of("sobel"), 2, folder_, {"input.video=nope.mkv", "output.video=o.mkv"});
  expect_refusal(missing, {"nope.mkv:", "no such file"});
}

TEST_F(VideoSeriesTest, ASignalLeavesAWholeVideo) {
  using namespace std::chrono_literals;
  folder_.write("clip.y4m", video_of(4000));
  const std::string mark = std::to_string(getpid()) + "-video";
  auto running = std::async(std::launch::async, [&] {
    return run("restore", 2, {"tolerance=0", "threads=1"}, {{rank_mark, mark}});
  });
  const pid_t process = wait_for_rank(program_of("restore"), mark, 0);
  ASSERT_GT(process, 0);
  std::this_thread::sleep_for(1s);
  EXPECT_EQ(kill(process, SIGTERM), 0);
  const ParallelEnding ending = running.get();
  EXPECT_EQ(ending.rank_statuses, (std::vector{4, 4})) << ending.text();
  const std::size_t frames = frames_of(folder_.read("out.y4m")).size();
  EXPECT_GT(frames, 0U);
  EXPECT_LT(frames, 4000U);
  EXPECT_EQ(lines_with(ending.errors, "tessera-restore: a signal has ended the series after " +
                                          std::to_string(frames) + " of ")
                .size(),
            1U)
      << ending.errors;
}

}  // namespace
}  // namespace tessera::app_test
