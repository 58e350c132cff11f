// SPDX-License-Identifier: BSD-3-Clause
// tessera-heat3d as users start it.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <sstream>

#include "io/plain_hdf5.hpp"
#include "json_support.hpp"
#include "messages.hpp"
#include "sample_images.hpp"

namespace tessera::app_test {
namespace {

using Words = std::vector<std::string>;

class Heat3dTest : public testing::Test {
 protected:
  ParallelEnding heat(int ranks, Words words) const {
    words.insert(words.begin(), "output.file=o.h5");
    return run_on_ranks(program_of("heat3d"), ranks, folder_, words);
  }
  StoredResult result() const { return read_result(folder_ / "o.h5", "temperature"); }
  std::vector<double> numbers_of(const std::string& dataset) const {
    return io_test::read_plain_hdf5<double>(folder_ / "o.h5", dataset, H5T_NATIVE_DOUBLE).values;
  }
  /// Returns a number of the report r.json.
  double reported(const std::string& number) const {
    const Json report = parse_json(folder_.read("r.json"));
    const Json* numbers = report.find("numbers");
    const Json* value = numbers == nullptr ? nullptr : numbers->find(number);
    EXPECT_NE(value, nullptr) << number;
    return value == nullptr ? std::nan("") : value->get<double>();
  }
  std::string refusal(const Words& words, int ranks = 2) const {
    const ParallelEnding ending = heat(ranks, words);
    EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 2)) << ending.text();
    EXPECT_EQ(folder_.names(), std::set<std::string>{});
    return ending.errors;
  }

  Folder folder_;
};

/// Intervals that do not divide by the ranks; 1 or 2 unknowns along y are fewer than these.
const Words box = {"intervals.x=9", "intervals.y=3", "intervals.z=7", "time=0.03"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(Heat3dTest, HasTheSameBitsOnEveryGridWithEveryDeck) {
  const std::string decks = TESSERA_DECKS "/heat3d/";
  const std::vector<std::pair<int, Words>> runs = {
      {4, {"grid=[1,1,4]"}},
      {4, {"grid=[1,2,2]", "type=float32"}},
      {4, {"grid=[2,2,1]", "overlap=on"}},
      {4, {"grid=[4,1,1]", "slices=balanced", "type=float32"}},
      {3, {decks + "default.yaml"}},
      {3, {"loops.diffuse.test=overlaps", "type=float32"}},
      {2, {decks + "deep_ghosts.yaml", "loops.diffuse.test=overlaps"}},
      {2, {decks + "pencils.yaml", "threads=2"}},
      {4, {decks + "blocks.yaml"}},
      {3, {decks + "deep_ghosts.yaml", "type=float32"}},
      {2, {decks + "temporal.yaml", "schedule.next.tile=[4,2,3]", "threads=2"}},
      {1, {decks + "temporal.yaml", "loops.diffuse.turns_per_test=5", "type=float32"}}};
  std::map<std::string, StoredResult> expected;
  for (const std::string type : {"float64", "float32"}) {
    EXPECT_EQ(heat(1, with(box, {"type=" + type})).status, 0);
    EXPECT_EQ(result().extents, (std::vector<hsize_t>{8, 4, 10}));
    EXPECT_EQ(result().type, type);
    expected[type] = result();
  }
  for (const auto& [ranks, words] : runs) {
    const ParallelEnding ending = heat(ranks, with(with({"threads=1"}, box), words));
    EXPECT_EQ(ending.status, 0) << ending.text();
    EXPECT_TRUE(result() == expected[words.back() == "type=float32" ? "float32" : "float64"])
        << words.front() << " on " << ranks;
  }
}

TEST_F(Heat3dTest, RepeatsWithAPeriodicBorder) {
  const Words cube = {"border=periodic", "intervals.x=8", "intervals.y=5", "intervals.z=3", "steps=20"};
  EXPECT_EQ(heat(1, with(cube, {"--report", "r.json"})).status, 0);
  EXPECT_LT(reported("discrete_error"), 1e-15);
  const StoredResult expected = result();
  EXPECT_EQ(expected.extents, (std::vector<hsize_t>{3, 5, 8}));
  for (const Words& words :
       {Words{"grid=[1,1,4]"}, Words{"grid=[2,2,1]", "loops.diffuse.turns_per_test=4"},
        Words{"grid=[2,2,1]", "loops.diffuse.turns_per_exchange=4", "loops.diffuse.turns_per_tile=2"}}) {
    EXPECT_EQ(heat(4, with(cube, words)).status, 0);
    EXPECT_TRUE(result() == expected) << words.front();
  }
}

TEST_F(Heat3dTest, IsTheClosedForm) {
  const ParallelEnding ending = heat(2, with(box, {"mode.x=3", "kappa=0.5", "--report", "r.json"}));
  EXPECT_EQ(ending.status, 0) << ending.text();
  EXPECT_EQ(lines_with(ending.output, "error ").size(), 1U) << ending.output;
  EXPECT_LT(reported("discrete_error"), 1e-15);
  const std::vector<double> values = numbers_of("temperature");
  ASSERT_EQ(values.size(), 8U * 4 * 10);
  const double pi = std::numbers::pi, decay = std::exp(-0.5 * pi * pi * (9 + 1 + 1) * 0.03);
  double error = 0, heat = 0;
  for (int z = 0; z <= 7; ++z)
    for (int y = 0; y <= 3; ++y)
      for (int x = 0; x <= 9; ++x) {
        const double value = values[static_cast<std::size_t>((z * 4 + y) * 10 + x)];
        const double exact = std::sin(3 * pi * x / 9) * std::sin(pi * y / 3) * std::sin(pi * z / 7) * decay;
        error = std::max(error, std::abs(value - exact));
        heat += value;
      }
  EXPECT_LT(error, 0.02) << "a tenth of what is left";
  EXPECT_NEAR(reported("error"), error, 1e-14);
  EXPECT_NEAR(reported("heat"), heat, 1e-13);
}

TEST_F(Heat3dTest, TheHistoryDecaysAsTheSchemeSays) {
  const ParallelEnding ending = heat(3, with(box, {"steps=30", "output.history=h.csv", "--report", "r.json",
                                                   "loops.diffuse.turns_per_test=4"}));
  EXPECT_EQ(ending.status, 0) << ending.text();
  const std::vector<double> residuals = numbers_of("history/diffuse/residual");
  ASSERT_EQ(residuals.size(), 30U);
  std::istringstream lines(folder_.read("h.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "loop,run,turn,residual");
  const std::string start = "diffuse,1,";
  std::size_t turn = 0;
  for (; std::getline(lines, line); ++turn) {
    const std::string begin = start + std::to_string(turn + 1) + ",";
    ASSERT_LT(turn, residuals.size());
    ASSERT_EQ(line.substr(0, begin.size()), begin);
    EXPECT_EQ(std::stod(line.substr(begin.size())), residuals[turn]);
  }
  EXPECT_EQ(turn, 30U);
  // The sum of the three ratios is 0.4.
  double factor = 1;
  for (const int n : {9, 3, 7}) {
    const double sine = std::sin(std::numbers::pi / (2 * n));
    factor -= 4 * 0.4 * n * n / (81 + 9 + 49) * sine * sine;
  }
  for (std::size_t i = 1; i < residuals.size(); ++i)
    EXPECT_NEAR(residuals[i] / residuals[i - 1], factor, 1e-11) << i;
  const Json report = parse_json(folder_.read("r.json"));
  const Json& loop = report.find("loops")->get<Json::List>().at(0);
  EXPECT_EQ(loop.find("loop")->get<std::string>(), "diffuse");
  EXPECT_EQ(loop.find("turns")->get<std::int64_t>(), 30);
  EXPECT_EQ(loop.find("residual")->get<double>(), residuals.back());
  const double seconds = loop.find("seconds")->get<double>();
  EXPECT_NEAR(loop.find("points_per_second")->get<double>() * seconds, 30 * 8 * 2 * 6, 1e-6);
}

TEST_F(Heat3dTest, EndsInASteadyStateOrHasNotConverged) {
  const ParallelEnding steady =
      heat(2, with(box, {"tolerance=1e-6", "steps=1000", "loops.diffuse.turns_per_tile=3"}));
  EXPECT_EQ(steady.rank_statuses, (std::vector<int>{0, 0})) << steady.text();
  EXPECT_EQ(lines_with(steady.output, ", converged").size(), 1U) << steady.output;
  const std::vector<double> residuals = numbers_of("history/diffuse/residual");
  ASSERT_GT(residuals.size(), 2U);
  EXPECT_LE(residuals.back(), 1e-6);
  EXPECT_GT(residuals[residuals.size() - 2], 1e-6);
  const ParallelEnding few = heat(3, with(box, {"tolerance=1e-6", "steps=7"}));
  EXPECT_EQ(few.rank_statuses, (std::vector<int>{3, 3, 3})) << few.text();
  EXPECT_EQ(lines_with(few.errors, "the loop 'diffuse' has not converged after 7 turns").size(), 1U)
      << few.errors;
  EXPECT_EQ(result().extents, (std::vector<hsize_t>{8, 4, 10}));
}

TEST_F(Heat3dTest, RefusesUnstableSteps) {
  test::expect_message(refusal({"courant=0.51"}), {"'courant':", "unstable", "more than 0.5"});
  test::expect_message(refusal({"time_step=0.0016", "intervals.x=10", "intervals.y=10", "intervals.z=12"}),
                       {"'time_step':", "unstable", "at most 0.00145348"});
  EXPECT_EQ(heat(1, with(box, {"courant=0.5"})).status, 0);
}

TEST_F(Heat3dTest, RefusesWhatCannotBe) {
  test::expect_message(refusal({"kappa=0"}, 1), {"'kappa':", "more than 0"});
  test::expect_message(refusal({"time=-1"}, 1), {"'time':", "more than 0"});
  test::expect_message(refusal({"mode.y=64"}, 3), {"'mode.y':", "64 half waves", "intervals.y"});
  test::expect_message(refusal({"border=periodic", "mode.z=3"}, 1),
                       {"'mode.z':", "a periodic border", "even number"});
  test::expect_message(refusal({"time=1e9"}, 1), {"'time':", "3.07e+13 steps", "1000000000 at most"});
  test::expect_message(refusal({"intervals.x=1"}), {"'intervals.x' expects", "from 2 to 65536"});
}

}  // namespace
}  // namespace tessera::app_test
