// SPDX-License-Identifier: BSD-3-Clause
// The program of docs/tutorials/reductions.md, against a plain program.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "io/plain_hdf5.hpp"
#include "io/plain_png.hpp"
#include "program_runs.hpp"

namespace tessera::app_test {
namespace {

constexpr int width = 31;
constexpr int height = 23;
constexpr std::size_t pixels = width * height;

std::uint8_t channel(int x, int y, int c) {
  return static_cast<std::uint8_t>((x * x * (3 + c) + y * (11 - 5 * c) + x * y) % 251);
}

struct Clusters {
  std::vector<std::array<float, 3>> colours;
  std::vector<std::size_t> labels;
  int turns = 0;
  bool are_final = false;

  explicit Clusters(int count) : labels(pixels, 0) {
    for (int k = 0; k < count; ++k) {
      const float grey = (static_cast<float>(k) + 0.5f) * 255.0f / static_cast<float>(count);
      colours.push_back({grey, grey, grey});
    }
    while (!are_final) turn();
  }

  void turn() {
    std::vector<std::array<std::uint64_t, 3>> sums(colours.size(), {0, 0, 0});
    std::vector<std::uint64_t> counts(colours.size(), 0);
    for (std::size_t i = 0; i < pixels; ++i) {
      labels[i] = nearest(i);
      ++counts[labels[i]];
      for (int c = 0; c < 3; ++c) sums[labels[i]][static_cast<std::size_t>(c)] += value(i, c);
    }
    const auto before = colours;
    for (std::size_t k = 0; k < colours.size(); ++k)
      for (std::size_t c = 0; c < 3 && counts[k] > 0; ++c)
        colours[k][c] = static_cast<float>(static_cast<double>(sums[k][c]) / static_cast<double>(counts[k]));
    ++turns;
    are_final = colours == before;
  }

  static std::uint8_t value(std::size_t pixel, int c) {
    const auto i = static_cast<int>(pixel);
    return channel(i % width, i / width, c);
  }
  std::size_t nearest(std::size_t pixel) const {
    std::size_t found = 0;
    float least = std::numeric_limits<float>::max();
    for (std::size_t k = 0; k < colours.size(); ++k) {
      float distance = 0;
      for (int c = 0; c < 3; ++c) {
        const float difference =
            static_cast<float>(value(pixel, c)) - colours[k][static_cast<std::size_t>(c)];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        found = k;
      }
    }
    return found;
  }
};

class PaletteTest : public testing::Test {
 protected:
  PaletteTest() {
    io_test::write_plain_png(
        folder_ / "image.png",
        io_test::make_png(width, height, PNG_COLOR_TYPE_RGB, 8, [](auto x, auto y, int c) {
          return channel(static_cast<int>(x), static_cast<int>(y), c);
        }));
  }

  /// Runs the program, and compares its result and its turns.
  void expect_clusters(const Clusters& clusters, int ranks, std::vector<std::string> words) const {
    words.insert(words.begin(), {"input.file=image.png", "output.file=o.h5",
                                 "colours=" + std::to_string(clusters.colours.size())});
    const ParallelEnding ending = run_on_ranks(TESSERA_PALETTE, ranks, folder_, words);
    ASSERT_EQ(ending.status, 0) << ending.text();
    EXPECT_NE(ending.output.find("lloyd: " + std::to_string(clusters.turns) + " turns"), std::string::npos)
        << ending.text();
    const auto values =
        io_test::read_plain_hdf5<std::uint8_t>(folder_ / "o.h5", "result", H5T_NATIVE_UINT8).values;
    ASSERT_EQ(values.size(), 3 * pixels);
    int wrong = 0;
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < pixels; ++i)
        wrong +=
            static_cast<float>(values[c * pixels + i]) != std::round(clusters.colours[clusters.labels[i]][c]);
    EXPECT_EQ(wrong, 0) << words.back();
  }

  Folder folder_;
};

TEST_F(PaletteTest, FindsTheSameColoursWithEverySchedule) {
  const Clusters clusters(6);
  EXPECT_GT(clusters.turns, 4);
  expect_clusters(clusters, 1, {});
  expect_clusters(clusters, 2, {"schedule.place.compute=tile"});
  expect_clusters(clusters, 3, {"grid=[auto,auto,1]", "loops.lloyd.turns_per_test=4"});
  expect_clusters(clusters, 2,
                  {"threads=2", "schedule.means_inputs.tile=[7,3]", "schedule.place.compute=rank"});
  expect_clusters(clusters, 4, {"schedule.means.tile=[5,5]", "schedule.label.compute=replicated"});
}

TEST_F(PaletteTest, ColoursMayHaveNoPixels) { expect_clusters(Clusters(200), 2, {}); }

}  // namespace
}  // namespace tessera::app_test
