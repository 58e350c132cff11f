// SPDX-License-Identifier: BSD-3-Clause
// The restoration as users start it.
#include <gtest/gtest.h>

#include "io/plain_hdf5.hpp"
#include "io/plain_png.hpp"
#include "sample_images.hpp"

namespace tessera::app_test {
namespace {

constexpr int width = 71;
constexpr int height = 58;

int clean_pixel(int x, int y) { return 20 + 2 * x + y / 2 + ((x / 9 + y / 7) % 2) * 40; }
/// 60 of a hundred are noise.
int noisy_pixel(int x, int y) {
  const auto hash = static_cast<std::uint32_t>(x * 7919 + y * 104729 + 5) * 2654435761U >> 12;
  return hash % 100 < 60 ? (hash >> 10) % 2 * 255 : static_cast<std::uint32_t>(clean_pixel(x, y));
}

class RestoreTest : public testing::Test {
 protected:
  RestoreTest() {
    write("noisy.png", noisy_pixel);
    write("clean.png", clean_pixel);
  }

  template <class Pixel>
  void write(const std::string& name, const Pixel& pixel) const {
    io_test::write_plain_png(
        folder_ / name, io_test::make_png(width, height, PNG_COLOR_TYPE_GRAY, 8, [&](auto x, auto y, int) {
          return pixel(static_cast<int>(x), static_cast<int>(y));
        }));
  }
  ParallelEnding restore(int ranks, std::vector<std::string> words) const {
    words.insert(words.begin(), {"input.file=noisy.png", "output.file=o.h5"});
    return run_on_ranks(program_of("restore"), ranks, folder_, words);
  }
  std::vector<std::uint8_t> result() const {
    return io_test::read_plain_hdf5<std::uint8_t>(folder_ / "o.h5", "restored", H5T_NATIVE_UINT8).values;
  }
  /// The line about the loop, and that of the numbers.
  static std::string lines_of(const Ending& ending) {
    const auto loop = lines_with(ending.output, "restore: "),
               numbers = lines_with(ending.output, ", ssim 0.");
    EXPECT_EQ(loop.size(), 1u) << ending.text();
    EXPECT_EQ(numbers.size(), 1u) << ending.text();
    return loop.empty() || numbers.empty() ? "" : loop.front() + "; " + numbers.front();
  }
  void expect_refused(int ranks, const std::vector<std::string>& words, const std::vector<std::string>& told,
                      test::SourceLine caller = test::SourceLine::here()) const {
    expect_refusal(restore(ranks, words), told, caller);
    EXPECT_FALSE(folder_.names().contains("o.h5"));
  }

  Folder folder_;
};

TEST_F(RestoreTest, ImprovesTheImageAndKeepsItsCleanPixels) {
  const ParallelEnding ending = restore(2, {"clean.file=clean.png"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  EXPECT_NE(lines_of(ending).find(", converged"), std::string::npos);
  const auto values = result();
  ASSERT_EQ(values.size(), static_cast<std::size_t>(width * height));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const int noisy = noisy_pixel(x, y);
      if (noisy != 0 && noisy != 255) {
        EXPECT_EQ(values[static_cast<std::size_t>(y * width + x)], noisy) << "at " << x << ", " << y;
      }
    }
}

TEST_F(RestoreTest, HasTheSameBitsTurnsAndNumbersWithEverySchedule) {
  const ParallelEnding first = restore(1, {"clean.file=clean.png", "threads=1"});
  EXPECT_EQ(first.status, 0) << first.text();
  const auto expected = result();
  const std::string decks = TESSERA_DECKS "/restore/";
  const std::vector<std::vector<std::string>> settings = {
      {decks + "default.yaml", "threads=2"},
      {decks + "default.yaml", "grid=[auto,auto]"},
      {decks + "redundant.yaml", "overlap=on"},
      {decks + "rounds.yaml"},
      {"loops.restore.turns_per_exchange=3", "loops.restore.turns_per_tile=2", "schedule.next.tile=[16,6]"},
      {"loops.restore.turns_per_test=4", "grid=[auto,1]", "threads=2"}};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    std::vector<std::string> words = settings[i];
    words.push_back("clean.file=clean.png");
    const ParallelEnding ending = restore(2 + static_cast<int>(i % 3), words);
    EXPECT_EQ(ending.status, 0) << ending.text();
    EXPECT_EQ(lines_of(ending), lines_of(first)) << settings[i].front();
    EXPECT_EQ(result(), expected) << settings[i].front();
  }
}

TEST_F(RestoreTest, TheLastCycleIsNotConverged) {
  const ParallelEnding ending = restore(3, {"cycles=3"});
  EXPECT_EQ(ending.rank_statuses, (std::vector<int>{3, 3, 3})) << ending.text();
  EXPECT_EQ(lines_with(ending.errors, "the loop 'restore' has not converged after 3 turns").size(), 1u)
      << ending.errors;
  EXPECT_EQ(result().size(), static_cast<std::size_t>(width * height));
  EXPECT_TRUE(lines_with(ending.output, "psnr").empty()) << "without a clean image";
}

TEST_F(RestoreTest, ReportsItsNumbers) {
  const ParallelEnding ending = restore(2, {"clean.file=clean.png", "--report", "report.json"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  const std::string report = folder_.read("report.json");
  for (const char* word : {"\"psnr\": 29.3", "\"ssim\": 0.87", "\"loop\": \"restore\""})
    EXPECT_NE(report.find(word), std::string::npos) << word << " in " << report;
}

TEST_F(RestoreTest, ReducesChangesWithTheTurnThatMakesThem) {
  const Ending ending = restore(1, {"--explain", "--verbose", "--ranks", "4"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  EXPECT_FALSE(lines_with(ending.output, ", contributes to change").empty()) << ending.output;
}

TEST_F(RestoreTest, RefusesBadInput) {
  write_sample(folder_, "colours.h5", {"uint8", width, height, 3});
  write_sample(folder_, "float.h5", {"float32", width, height});
  write_sample(folder_, "larger.h5", {"uint8", width + 1, height});
  for (const int ranks : {1, 3}) {
    expect_refused(ranks, {"input.file=colours.h5"},
                   {"'input.file':", "71 x 58 x 3 of uint8", "without planes"});
    expect_refused(ranks, {"input.file=float.h5"}, {"'input.file':", "71 x 58 of float32", "without planes"});
    expect_refused(ranks, {"clean.file=larger.h5"},
                   {"'clean.file':", "[0, 72) x [0, 58)", "that of input.file"});
  }
  expect_refused(2, {"cycles=0"}, {"'cycles' expects", "got '0'"});
  expect_refused(2, {"alpha=0.9"}, {"'alpha' expects", "got '0.9'"});
  expect_refused(2, {"beta=61"}, {"'beta' expects", "got '61'"});
  expect_refused(2, {"tolerance=-1"}, {"'tolerance' expects", "got '-1'"});
}

}  // namespace
}  // namespace tessera::app_test
