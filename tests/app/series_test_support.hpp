// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/plain_png.hpp"
#include "rank_processes.hpp"
#include "sample_images.hpp"

namespace tessera::app_test {

using Words = std::vector<std::string>;

/// A test has a folder `frames` for the images f0.png, f1.png and so on.
class SeriesTest : public testing::Test {
 protected:
  SeriesTest() { std::filesystem::create_directory(folder_ / "frames"); }

  static std::string frame(int number) { return "frames/f" + std::to_string(number) + ".png"; }

  /// Writes images of three sizes. The smallest one has width x height points. The value at x and y
  /// is value(x, y, number of the image).
  template <class Value>
  void write_images(int count, int width, int height, const Value& value) const {
    for (int number = 0; number < count; ++number)
      io_test::write_plain_png(
          folder_ / frame(number),
          io_test::make_png(width + number % 3 * 17, height + number % 3, PNG_COLOR_TYPE_GRAY, 8,
                            [&](auto x, auto y, int) { return static_cast<int>(value(x, y, number)); }));
  }

  void write_frames(int count) const {
    write_images(count, 31, 23, [](auto x, auto y, int number) {
      return (x * 37 + y * y * 11 + static_cast<std::int64_t>(number) * 5) % 251;
    });
  }

  /// Writes images with noise that the restoration has to remove.
  void write_noisy_frames(int count) const {
    write_images(count, 101, 83, [](auto x, auto y, int number) {
      const auto noise =
          static_cast<std::uint32_t>((x * 7919 + y * 104729 + number * 31) * 2654435761LL) >> 12;
      return noise % 10 < 4 ? static_cast<int>(noise >> 8) % 2 * 255
                            : static_cast<int>((3 * x + 2 * y + 5 * number) % 200) + 20;
    });
  }

  ParallelEnding run(const std::string& program, int ranks, const Words& words) const {
    return run_on_ranks(program_of(program), ranks, folder_, words);
  }

  /// Returns the result that a run of the program on one image writes.
  std::string result_of(const std::string& program, const std::string& file) const {
    const ParallelEnding ending = run(program, 1, {"input.file=" + file, "output.png=single.png"});
    EXPECT_EQ(ending.status, 0) << ending.text();
    return folder_.read("single.png");
  }

  /// Returns the line about a loop that a run on one image prints when two turns do not suffice.
  std::string line_about_two_turns(const std::string& file) const {
    const ParallelEnding ending =
        run("restore", 1, {"input.file=" + file, "output.png=single.png", "cycles=2"});
    EXPECT_EQ(ending.status, 3) << ending.text();
    const Words lines = lines_with(ending.errors, "tessera-restore: the loop");
    EXPECT_EQ(lines.size(), 1U) << ending.errors;
    return lines.empty() ? "" : lines.front().substr(std::string("tessera-restore: ").size());
  }

  void expect_refused(const Words& words, const Words& told, int ranks = 2,
                      test::SourceLine caller = test::SourceLine::here()) const {
    expect_refusal(run("sobel", ranks, words), told, caller);
  }

  Folder folder_;
};

}  // namespace tessera::app_test
