// SPDX-License-Identifier: BSD-3-Clause
// tessera-stereo as users start it.
#include <gtest/gtest.h>

#include <filesystem>

#include "program_runs.hpp"

namespace tessera::app_test {
namespace {

using Words = std::vector<std::string>;

constexpr int width = 61, height = 47;

/// A folder with a pair of random dots, whose right image sees all points 6 pixels further left, a third
/// image that sees them 12 pixels further left, and a smaller image.
class StereoTest : public testing::Test {
 protected:
  StereoTest() {
    for (const int shift : {0, 6, 12}) {
      std::string bytes;
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) bytes.push_back(dot(x + shift, y));
      folder_.write("image" + std::to_string(shift), bytes);
    }
  }

  static char dot(int x, int y) {
    const unsigned hash = (static_cast<unsigned>(x) * 2654435761u) ^ (static_cast<unsigned>(y) * 2246822519u);
    return static_cast<char>((hash ^ hash >> 15) * 739982445u >> 24);
  }

  ParallelEnding run(int ranks, const Words& more) const {
    Words words{TESSERA_STEREO_DECKS "/default.yaml", "input.reference=image0", "input.matches=[image6]",
                "input.raw.shape=[47, 61]",           "input.raw.type=uint8",   "threads=1"};
    words.insert(words.end(), more.begin(), more.end());
    return run_on_ranks(TESSERA_STEREO, ranks, folder_, words);
  }
  std::string result(int ranks, Words words) const {
    words.emplace_back("output.raw=o");
    const ParallelEnding ending = run(ranks, words);
    EXPECT_EQ(ending.status, 0) << ending.text();
    std::string bytes = folder_.read("o");
    std::filesystem::remove(folder_ / "o");
    return bytes;
  }
  void expect_refused(Words words, const Words& told,
                      test::SourceLine caller = test::SourceLine::here()) const {
    words.emplace_back("output.raw=o");
    expect_refusal(run(2, words), told, caller);
  }

  Folder folder_;
};

TEST_F(StereoTest, FindsTheShiftWithTheSameBitsOnAllRanks) {
  const std::string one = result(1, {});
  ASSERT_EQ(one.size(), std::size_t(width * height));
  for (int y = 0; y < height; ++y)
    for (int x = 12; x < width; ++x)
      EXPECT_EQ(int(one[static_cast<std::size_t>(y * width + x)]), 6) << x << ", " << y;
  const std::string two = result(1, {"input.matches=[image6, image12]"});
  const std::vector<Words> ways = {{},
                                   {"blocks=3", "schedule.*.tile=[16, 8]"},
                                   {"blocks=16", "schedule.*.compute=rank", "grid=[auto, auto]"},
                                   {"bands=3"}};
  // The ways take turns, so that each is tried on several numbers of ranks.
  std::size_t turn = 0;
  for (const int ranks : {1, 2, 3, 4})
    for (const char* matches : {"input.matches=[image6]", "input.matches=[image6, image12]"}) {
      Words words = ways[(turn + turn / ways.size()) % ways.size()];
      ++turn;
      words.emplace_back(matches);
      EXPECT_EQ(result(ranks, words), turn % 2 == 1 ? one : two) << ranks << words.front();
    }
  EXPECT_EQ(result(2, {"input.matches=[image12]", "baselines=[2]"}),
            result(3, {"input.matches=image12", "baselines=[2]", "blocks=2"}));
}

TEST_F(StereoTest, FractionsChecksAndDepthsHaveTheSameBitsOnAllRanks) {
  const Words words{TESSERA_STEREO_DECKS "/confident.yaml", "result=depth", "focal_length=500",
                    "distance=0.2"};
  const std::string expected = result(1, words);
  ASSERT_EQ(expected.size(), std::size_t(4 * width * height));
  for (const int ranks : {2, 3, 4}) {
    Words in_blocks = words;
    in_blocks.push_back("blocks=" + std::to_string(ranks));
    EXPECT_EQ(result(ranks, in_blocks), expected);
  }
}

TEST_F(StereoTest, AllDecksRun) {
  for (const char* deck : {"/blocks.yaml", "/paper.yaml", "/confident.yaml", "/filtered.yaml"})
    EXPECT_FALSE(result(2, {std::string(TESSERA_STEREO_DECKS) + deck}).empty());
}

TEST_F(StereoTest, BadInputGivesOneLine) {
  const std::string many = "input.matches=[a, b, c, d, e, f, g, h, i]";
  expect_refused({many}, {"'input.matches':", "it names 9 files"});
  expect_refused({"input.matches=[absent]"}, {"absent:", "no such file"});
  expect_refused({"baselines=[1, 2]"}, {"'baselines':", "it has 2 numbers"});
  expect_refused({"window=4"}, {"'window':", "window is 4", "odd"});
  expect_refused({"disparities=62"}, {"'disparities':", "disparities is 62"});
  expect_refused({"blocks=17"}, {"'blocks':", "blocks is 17", "at most disparities"});
  expect_refused({"result=depth"}, {"'result':", "depths need 'focal_length'"});
  expect_refused({"distance=1"}, {"'distance':", "disparities do not depend on it"});
  expect_refused({"widow=5"}, {"unknown key 'widow'", "'window'"});
  folder_.write("floats", std::string(4 * width * height, '\0'));
  expect_refused({"input.reference=floats", "input.matches=[floats]", "input.raw.type=float32"},
                 {"'input.reference':", "the image is 61 x 47 of float32"});
}

TEST_F(StereoTest, ImagesMustBeAlike) {
  EXPECT_EQ(run(1, {"output.png=grey.png"}).status, 0);
  const std::string deck = TESSERA_STEREO_DECKS "/default.yaml";
  const ParallelEnding ending =
      run_on_ranks(TESSERA_STEREO, 2, folder_,
                   {deck, "input.reference=grey.png", "input.matches=[grey.png, " TESSERA_PHOTOGRAPH "]",
                    "output.png=o.png"});
  EXPECT_EQ(ending.rank_statuses, (std::vector<int>{2, 2}));
  EXPECT_NE(ending.errors.find("'input.matches': the image of " TESSERA_PHOTOGRAPH " is [0, 600) x [0, 400) "
                               "of uint8, but that of input.reference [0, 61) x [0, 47) of uint8: give "
                               "one of the same extents and type\n"),
            std::string::npos)
      << ending.errors;
}

TEST_F(StereoTest, AnImageAmongTheDecksIsTheReference) {
  const ParallelEnding ending = run_on_ranks(TESSERA_STEREO, 1, folder_, {"left.png"});
  expect_refusal(ending, {"'left.png':", "no deck", "write input.reference=left.png"});
}

}  // namespace
}  // namespace tessera::app_test
