// SPDX-License-Identifier: BSD-3-Clause
// The program of docs/tutorials/loops.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "io/plain_hdf5.hpp"
#include "io/plain_png.hpp"
#include "program_runs.hpp"

namespace tessera::app_test {
namespace {

constexpr int width = 37;
constexpr int height = 29;

/// A plane, which the mean of four neighbours leaves as it is, with holes in its middle.
int plane(int x, int y) { return 40 + 3 * x + 2 * y; }
bool is_hole(int x, int y) {
  return (x > 3 && x < 9 && y > 5 && y < 20) || (x - 22) * (x - 22) + (y - 14) * (y - 14) < 30;
}

class InpaintTest : public testing::Test {
 protected:
  InpaintTest() {
    io_test::write_plain_png(
        folder_ / "holes.png",
        io_test::make_png(width, height, PNG_COLOR_TYPE_GRAY, 8, [](auto px, auto py, int) {
          const int x = static_cast<int>(px), y = static_cast<int>(py);
          return static_cast<std::uint8_t>(is_hole(x, y) ? 0 : plane(x, y));
        }));
  }

  ParallelEnding inpaint(int ranks, std::vector<std::string> words) const {
    words.insert(words.begin(), {"input.file=holes.png", "output.file=o.h5"});
    return run_on_ranks(TESSERA_INPAINT, ranks, folder_, words);
  }
  std::vector<std::uint8_t> result() const {
    return io_test::read_plain_hdf5<std::uint8_t>(folder_ / "o.h5", "result", H5T_NATIVE_UINT8).values;
  }
  /// "fill: 57 turns, change ..."
  static std::string loop_line(const Ending& ending) {
    const auto lines = lines_with(ending.output, "fill: ");
    return lines.size() == 1 ? lines.front() : "no line about the loop in " + ending.text();
  }

  Folder folder_;
};

TEST_F(InpaintTest, FillsHolesInAPlane) {
  const ParallelEnding ending = inpaint(2, {"tolerance=0.0001"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  EXPECT_NE(loop_line(ending).find(", converged"), std::string::npos) << loop_line(ending);
  const auto values = result();
  ASSERT_EQ(values.size(), static_cast<std::size_t>(width * height));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      EXPECT_EQ(values[static_cast<std::size_t>(y * width + x)], plane(x, y)) << "at " << x << ", " << y;
}

TEST_F(InpaintTest, HasTheSameBitsAndTurnsWithEverySchedule) {
  const ParallelEnding first = inpaint(1, {});
  EXPECT_EQ(first.status, 0) << first.text();
  const auto expected = result();
  const std::vector<std::vector<std::string>> settings = {
      {"grid=[auto,1]"},
      {"grid=[auto,auto]", "threads=2"},
      {"overlap=on"},
      {"schedule.next.tile=[5,3]"},
      {"schedule.change.tile=[8,8]", "slices=balanced"},
      {"loops.fill.turns_per_exchange=4"},
      {"loops.fill.turns_per_tile=3", "threads=2", "schedule.next.tile=[16,6]"},
      {"loops.fill.turns_per_test=7", "grid=[auto,auto]"},
      {"loops.fill.test=overlaps", "grid=[auto,auto]"},
      {"loops.fill.test=overlaps", "loops.fill.turns_per_exchange=4", "loops.fill.turns_per_test=8"},
      {"loops.fill.turns_per_exchange=6", "loops.fill.turns_per_tile=2", "loops.fill.turns_per_test=12"}};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const ParallelEnding ending = inpaint(2 + static_cast<int>(i % 3), settings[i]);
    EXPECT_EQ(ending.status, 0) << ending.text();
    EXPECT_EQ(loop_line(ending), loop_line(first));
    EXPECT_EQ(result(), expected) << settings[i].front();
  }
}

TEST_F(InpaintTest, SavedPlansHaveTheirRounds) {
  const ParallelEnding explained = inpaint(
      1, {"--explain", "--verbose", "--ranks", "2", "--save-plan", "plan.json",
          "loops.fill.turns_per_exchange=3", "loops.fill.turns_per_tile=2", "loops.fill.test=overlaps"});
  EXPECT_EQ(explained.status, 0) << explained.text();
  EXPECT_FALSE(lines_with(explained.output, "fill@rounds: repeat 3 turns").empty()) << explained.output;
  const std::string plans = folder_.read("plan.json");
  for (const char* text : {"\"name\":\"fill@rounds\"", "\"turns\": 3", "\"overlaps_test\": true"})
    EXPECT_NE(plans.find(text), std::string::npos) << text;
}

TEST_F(InpaintTest, RefusesRoundsThatCannotBe) {
  for (const int ranks : {1, 3}) {
    const ParallelEnding many = inpaint(ranks, {"loops.fill.turns_per_tile=33"});
    EXPECT_EQ(many.status, 2) << many.text();
    EXPECT_EQ(lines_with(many.errors, "loops.fill.turns_per_tile").size(), 1u) << many.errors;
    const ParallelEnding unknown = inpaint(ranks, {"loops.fil.turns_per_tile=3"});
    EXPECT_EQ(unknown.status, 2) << unknown.text();
    EXPECT_EQ(lines_with(unknown.errors, "loops.fil").size(), 1u) << unknown.errors;
  }
}

TEST_F(InpaintTest, TheMaximumIsNotConverged) {
  const ParallelEnding ending = inpaint(3, {"turns=7"});
  EXPECT_EQ(ending.rank_statuses, (std::vector<int>{3, 3, 3})) << ending.text();
  EXPECT_EQ(lines_with(ending.errors, "inpaint: the loop 'fill' has not converged after 7 turns").size(), 1u)
      << ending.errors;
  EXPECT_EQ(result().size(), static_cast<std::size_t>(width * height));
}

TEST_F(InpaintTest, ExplainsThatDifferencesAreNotKept) {
  const Ending ending = inpaint(1, {"--explain", "--verbose", "--ranks", "4"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  EXPECT_FALSE(lines_with(ending.output, ", contributes to change").empty()) << ending.output;
  const std::size_t buffer = ending.output.find(" buffer ", ending.output.find("stage 'difference'"));
  EXPECT_EQ(ending.output.find_first_not_of(' ', buffer + 8), ending.output.find("none", buffer))
      << ending.output;
}

TEST_F(InpaintTest, ReportsItsLoop) {
  const ParallelEnding ending = inpaint(2, {"turns=7", "--report", "report.json"});
  EXPECT_EQ(ending.status, 3) << ending.text();
  const std::string report = folder_.read("report.json");
  EXPECT_NE(report.find("\"loops\""), std::string::npos);
  EXPECT_NE(report.find("\"turns\": 7"), std::string::npos) << report;
}

}  // namespace
}  // namespace tessera::app_test
