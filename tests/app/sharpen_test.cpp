// SPDX-License-Identifier: BSD-3-Clause
// The program of docs/tutorials/first_pipeline.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "blur_runs.hpp"
#include "io/plain_hdf5.hpp"
#include "io/plain_png.hpp"

namespace tessera::app_test {
namespace {

constexpr int width = 43;
constexpr int height = 31;

int pixel(int x, int y) { return (x * x * 7 + y * 53 + x * y * 3) % 199 + (x == 9 && y == 4 ? 40 : 0); }

/// Mirrored, with the edge repeated.
int mirrored(int p, int extent) { return p < 0 ? -1 - p : p >= extent ? 2 * extent - 1 - p : p; }

/// The image as the page's text says, point by point.
std::vector<float> sharpened(float strength) {
  const auto at = [](int x, int y) {
    return static_cast<float>(pixel(mirrored(x, width), mirrored(y, height)));
  };
  const auto row = [&](int x, int y) { return (at(x - 1, y) + at(x, y) + at(x + 1, y)) / 3; };
  std::vector<float> sharp;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const float blurred = (row(x, y - 1) + row(x, y) + row(x, y + 1)) / 3;
      sharp.push_back(at(x, y) + strength * (at(x, y) - blurred));
    }
  const float brightest = *std::max_element(sharp.begin(), sharp.end());
  for (float& value : sharp) value = std::clamp(value * (255 / brightest), 0.0f, 255.0f);
  return sharp;
}

Ending sharpen(int ranks, const Folder& folder, const std::vector<std::string>& words) {
  Command command{{TESSERA_MPIEXEC, TESSERA_MPIEXEC_COUNT, std::to_string(ranks), TESSERA_SHARPEN,
                   "input.file=moon.png", "output.file=o.h5"},
                  folder.path(),
                  {}};
  command.words.insert(command.words.end(), words.begin(), words.end());
  return run(command);
}

std::vector<std::uint8_t> result_of(int ranks, const Folder& folder, const std::vector<std::string>& words) {
  const Ending ending = sharpen(ranks, folder, words);
  EXPECT_EQ(ending.status, 0) << ending.text();
  return io_test::read_plain_hdf5<std::uint8_t>(folder / "o.h5", "result", H5T_NATIVE_UINT8).values;
}

class SharpenTest : public testing::Test {
 protected:
  SharpenTest() {
    io_test::write_plain_png(
        folder_ / "moon.png",
        io_test::make_png(width, height, PNG_COLOR_TYPE_GRAY, 8, [](auto x, auto y, int) {
          return static_cast<std::uint8_t>(pixel(static_cast<int>(x), static_cast<int>(y)));
        }));
  }
  Folder folder_;
};

TEST_F(SharpenTest, IsWhatThePageSays) {
  for (const double strength : {1.5, 0.25}) {
    const auto result = result_of(1, folder_, {"strength=" + std::to_string(strength)});
    const std::vector<float> expected = sharpened(static_cast<float>(strength));
    ASSERT_EQ(result.size(), expected.size());
    for (std::size_t i = 0; i < result.size(); ++i)
      EXPECT_LE(std::abs(static_cast<float>(result[i]) - expected[i]), 0.51f) << "at " << i;
    EXPECT_EQ(*std::max_element(result.begin(), result.end()), 255);
  }
}

TEST_F(SharpenTest, HasTheSameBitsWithEverySchedule) {
  folder_.write("page.yaml",
                "strength: 1.5\ngrid: [2, auto]\nschedule:\n  b[hv]: {compute: tile}\n"
                "  sharp: {compute: tile}\n");
  const auto expected = result_of(1, folder_, {});
  EXPECT_EQ(result_of(2, folder_, {"page.yaml"}), expected);
  EXPECT_EQ(result_of(4, folder_, {"page.yaml", "threads=2"}), expected);
  EXPECT_EQ(result_of(3, folder_, {"grid=[auto, 1]", "schedule.bh.compute=rank", "overlap=on"}), expected);
  EXPECT_EQ(result_of(4, folder_, {"schedule.sharp.compute=replicated", "schedule.brightest.grid=[4,1]"}),
            expected);
}

TEST_F(SharpenTest, RefusesWhatCannotBe) {
  const auto error_of = [&](const std::string& word) {
    const Ending ending = sharpen(2, folder_, {word});
    EXPECT_EQ(ending.status, 2) << ending.text();
    return ending.errors;
  };
  EXPECT_NE(error_of("strength=-1").find("strength"), std::string::npos);
  EXPECT_NE(error_of("schedule.brightest.compute=tile").find("schedule.brightest.compute"),
            std::string::npos);
  EXPECT_NE(error_of("memory=1KiB").find("'memory': a rank of 2 needs"), std::string::npos);
}

}  // namespace
}  // namespace tessera::app_test
