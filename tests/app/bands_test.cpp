// SPDX-License-Identifier: BSD-3-Clause
// Images computed band after band, as users start it.
#include <gtest/gtest.h>

#include "blur_runs.hpp"
#include "io/plain_png.hpp"
#include "sample_images.hpp"

namespace tessera::app_test {
namespace {

class BandsTest : public testing::Test {
 protected:
  void SetUp() override {
    io_test::write_plain_png(
        folder_ / "image.png", io_test::make_png(203, 131, PNG_COLOR_TYPE_GRAY, 16, [](auto x, auto y, int) {
          return static_cast<std::uint16_t>((x * 7919 + y * 104729 + 17) * 2654435761U >> 12);
        }));
  }

  /// The blurred image in three formats.
  struct Results {
    StoredResult hdf5;
    std::string png;
    std::string tiff;
    bool operator==(const Results&) const = default;
  };
  Results blurred(int ranks, std::vector<std::string> words) {
    words.insert(words.end(),
                 {"input.file=image.png", "output.file=o.h5", "output.png=o.png", "output.tiff=o.tif"});
    const ParallelEnding ending = blur(ranks, folder_, words);
    EXPECT_EQ(ending.status, 0) << ending.text();
    Results results{read_result(folder_ / "o.h5", "bv"), folder_.read("o.png"), folder_.read("o.tif")};
    for (const char* name : {"o.h5", "o.png", "o.tif"}) std::filesystem::remove(folder_ / name);
    return results;
  }

  void expect_refused(const ParallelEnding& ending, const std::string& reason) {
    for (const int status : ending.rank_statuses) EXPECT_EQ(status, 2) << ending.text();
    EXPECT_EQ(lines_with(ending.errors, reason).size(), 1U) << ending.text();
    EXPECT_EQ(folder_.names(), std::set<std::string>{"image.png"});
  }

  Folder folder_;
};

TEST_F(BandsTest, AllFormatsHaveTheBitsOfOneRankInCore) {
  const Results expected = blurred(1, {"bands=1"});
  ASSERT_FALSE(expected.hdf5.bytes.empty());
  EXPECT_TRUE(blurred(1, {"bands=1000"}) == expected);
  for (int ranks = 1; ranks <= 4; ++ranks)
    EXPECT_TRUE(blurred(ranks, {"bands=5"}) == expected) << ranks << " ranks";
  EXPECT_TRUE(blurred(2, {"memory=150 KiB", "grid=[2,auto]"}) == expected);
}

TEST_F(BandsTest, AreAsManyAsMemoryNeeds) {
  const std::vector<std::string> words{"input.file=image.png", "output.file=o.h5", "memory=150 KiB"};
  std::vector<std::string> check = words, explain = words;
  check.push_back("--check");
  explain.insert(explain.end(), {"--explain", "--verbose"});
  const Ending checked = blur_alone(folder_, check);
  EXPECT_EQ(checked.status, 0) << checked.text();
  EXPECT_EQ(lines_with(checked.output, "out of core, in 3 bands of rows").size(), 1U) << checked.text();
  const Ending explained = blur_alone(folder_, explain);
  EXPECT_EQ(lines_with(explained.output, "band 1 of 3 along dimension 1").size(), 1U) << explained.text();
  EXPECT_EQ(lines_with(blur_alone(folder_, {words[0], words[1], "--check"}).output, "out of core").size(),
            0U);
}

// HDF5 writes a compressed chunk anew for each band, and usually needs another place for it.
TEST_F(BandsTest, ConsistOfWholeChunksWhereTheseFit) {
  const auto size_with = [&](std::vector<std::string> words, const std::string& line) {
    words.insert(words.end(), {"input.file=image.png", "output.file=o.h5", "output.compression=1"});
    const ParallelEnding ending = blur(2, folder_, words);
    EXPECT_EQ(ending.status, 0) << ending.text();
    EXPECT_EQ(lines_with(ending.output, line).size(), 1U) << ending.text();
    const auto bytes = std::filesystem::file_size(folder_ / "o.h5");
    std::filesystem::remove(folder_ / "o.h5");
    return bytes;
  };
  const std::string chunks = "output.chunks=[64,10]";
  const auto whole = size_with({chunks, "bands=1"}, "grid");
  EXPECT_LE(size_with({chunks, "memory=60 KiB"}, "; bands of multiples of 10 rows, so that chunks are whole"),
            whole + 1000);
  EXPECT_GT(size_with({chunks, "bands=12"}, "in 12 bands of rows, two of which are in memory at a time"),
            whole + 2000);
  const std::vector<std::string> words{"input.file=image.png", "output.file=o.h5", "output.chunks=[auto,100]",
                                       "memory=100 KiB", "--check"};
  const Ending checked = blur_alone(folder_, words);
  EXPECT_EQ(lines_with(checked.output,
                       "bands of whole chunks do not fit: two bands write the same chunk of 'bv', which has "
                       "100 rows; choose chunks of fewer rows")
                .size(),
            1U)
      << checked.text();
}

// A blur reads rows of the neighbours of a band, and so parts of their chunks, wherever bands end.
TEST_F(BandsTest, ConsistOfWholeChunksOfInputsThatTheyDoNotShare) {
  const ParallelEnding stored = blur(
      1, folder_,
      {"input.file=image.png", "output.file=chunks.h5", "output.chunks=[64,10]", "output.compression=1"});
  EXPECT_EQ(stored.status, 0) << stored.text();
  for (const auto& [program, count] : {std::pair{"convert", 1U}, {"blur", 0U}}) {
    const ParallelEnding checked =
        run_on_ranks(program_of(program), 1, folder_,
                     {"input.file=chunks.h5", "output.file=o.h5", "memory=120 KiB", "--check"});
    EXPECT_EQ(lines_with(checked.output, "out of core").size(), 1U) << checked.text();
    EXPECT_EQ(lines_with(checked.output, "; bands of multiples of 10 rows, so that chunks are whole").size(),
              count)
        << program;
  }
}

TEST_F(BandsTest, ARunSaysSoAndCountsThem) {
  const ParallelEnding ending = blur(2, folder_, {"input.file=image.png", "output.file=o.h5", "bands=5"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  EXPECT_EQ(lines_with(ending.output, "out of core, in 5 bands of rows, two of which are in memory").size(),
            1U)
      << ending.text();
  for (int band = 1; band <= 5; ++band)
    EXPECT_EQ(lines_with(ending.output, "band " + std::to_string(band) + " of 5").size(), 1U)
        << ending.text();
  EXPECT_EQ(lines_with(ending.output, "compute bv").size(), 0U) << ending.text();
}

TEST_F(BandsTest, RefusesWhatCannotBe) {
  const std::vector<std::string> words{"input.file=image.png", "output.file=o.h5"};
  const auto blur_with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    return blur(2, folder_, all);
  };
  expect_refused(blur_with({"memory=1 KiB"}), "even in 131 bands, but may use 1.0 KiB");
  expect_refused(blur_with({"bands=2", "memory=10 KiB"}), "in 2 bands, but may use 10.0 KiB");
  expect_refused(blur_with({"bands=2", "output.comparison=c.png"}), "'output.comparison'");
  expect_refused(blur_with({"bands=2", "--explain", "--save-plan", "p.json"}), "--save-plan");
  expect_refused(blur_with({"bands=0"}), "'bands'");
  expect_refused(run_on_ranks(program_of("heat3d"), 3, folder_, {"output.file=o.h5", "bands=2"}),
                 "'bands': loops have no bands");
}

}  // namespace
}  // namespace tessera::app_test
