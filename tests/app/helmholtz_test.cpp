// SPDX-License-Identifier: BSD-3-Clause
// The solver of Helmholtz's equation, as users start it.
#include <gtest/gtest.h>

#include <sstream>

#include "io/plain_hdf5.hpp"
#include "program_runs.hpp"

namespace tessera::app_test {
namespace {

const std::string program = TESSERA_PROGRAMS "/tessera-helmholtz";
const std::string decks = TESSERA_DECKS "/helmholtz/";

class HelmholtzTest : public testing::Test {
 protected:
  ParallelEnding solve(int ranks, std::vector<std::string> words, const char* output = "s.h5") const {
    words.push_back(std::string("output.file=") + output);
    words.push_back("threads=1");
    return run_on_ranks(program, ranks, folder_, words);
  }
  std::vector<double> stored(const std::string& name, const char* file = "s.h5") const {
    return io_test::read_plain_hdf5<double>(folder_ / file, name, H5T_NATIVE_DOUBLE).values;
  }
  /// "solve: 57 turns, residual ..."
  static std::string loop_line(const Ending& ending) {
    const auto lines = lines_with(ending.output, "solve: ");
    return lines.size() == 1 ? lines.front() : "no line about the loop in " + ending.text();
  }

  Folder folder_;
};

TEST_F(HelmholtzTest, EverySolverFindsTheSolution) {
  for (const char* solver : {"jacobi", "weighted_jacobi", "red_black", "chebyshev"}) {
    const ParallelEnding ending =
        solve(2, {"intervals.x=16", "intervals.y=12", "tolerance=1e-13", std::string("solver=") + solver});
    EXPECT_EQ(ending.status, 0) << ending.text();
    EXPECT_EQ(lines_with(ending.output, "largest_error ").size(), 1u) << ending.output;
    const auto values = stored("solution");
    ASSERT_EQ(values.size(), 17u * 13u);
    for (int j = 0; j <= 12; ++j)
      for (int i = 0; i <= 16; ++i) {
        const double x = i / 8.0 - 1, y = j / 6.0 - 1;
        EXPECT_NEAR(values[static_cast<std::size_t>(j * 17 + i)], (1 - x * x) * (1 - y * y), 1e-11)
            << solver << " at " << i << ", " << j;
      }
  }
}

TEST_F(HelmholtzTest, NoDeckOfASolverAndNoNumberOfRanksChangesABit) {
  const auto words = [](const std::string& deck) {
    return std::vector<std::string>{decks + deck, "intervals.x=31", "intervals.y=23", "tolerance=1e-5"};
  };
  const ParallelEnding first = solve(1, words("default.yaml"));
  EXPECT_EQ(first.status, 0) << first.text();
  const auto expected = stored("solution"), residuals = stored("history/solve/residual");
  int ranks = 1;
  for (const char* deck :
       {"default.yaml", "temporal.yaml", "deep_ghosts.yaml", "overlapped.yaml", "default.yaml"}) {
    const ParallelEnding ending = solve(1 + ranks++ % 4, words(deck));
    EXPECT_EQ(ending.status, 0) << ending.text();
    EXPECT_EQ(loop_line(ending), loop_line(first)) << deck;
    EXPECT_EQ(stored("solution"), expected) << deck;
    EXPECT_EQ(stored("history/solve/residual"), residuals) << deck;
  }
}

TEST_F(HelmholtzTest, IdleRanksChangeNoBit) {
  const auto run = [this](int ranks, std::vector<std::string> words) {
    words.insert(words.end(), {"intervals.x=31", "intervals.y=23", "tolerance=1e-5"});
    const ParallelEnding ending = solve(ranks, words);
    EXPECT_EQ(ending.status, 0) << ending.text();
    return std::pair{stored("solution"), stored("history/solve/residual")};
  };
  const auto alone = run(1, {});
  EXPECT_EQ(run(3, {"grid=[1,2]", "idle=allowed"}), alone);
  EXPECT_EQ(run(4, {"grid=[3,auto]", "idle=allowed", "order=[y]"}), alone);
}

TEST_F(HelmholtzTest, AllDecksConverge) {
  for (const char* deck : {"red_black.yaml", "chebyshev.yaml"}) {
    std::string line;
    for (int ranks : {1, 3, 4}) {
      const ParallelEnding ending = solve(ranks, {decks + deck});
      EXPECT_EQ(ending.status, 0) << ending.text();
      if (line.empty()) line = loop_line(ending);
      EXPECT_EQ(loop_line(ending), line);
      EXPECT_NE(line.find(", converged"), std::string::npos) << line;
    }
  }
}

TEST_F(HelmholtzTest, WritesHowTheResidualWent) {
  const ParallelEnding ending = solve(3, {"intervals.x=9", "turns=40", "output.history=h.csv",
                                          "norm=root_mean_square", "--report", "r.json"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  const auto residuals = stored("history/solve/residual");
  ASSERT_EQ(residuals.size(), 40u);
  EXPECT_EQ(stored("history/solve/turns"), std::vector<double>{40});
  std::istringstream lines(folder_.read("h.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "loop,run,turn,residual");
  for (int turn = 1; turn <= 40; ++turn) {
    std::getline(lines, line);
    const std::string start = "solve,1," + std::to_string(turn) + ",";
    ASSERT_EQ(line.substr(0, start.size()), start);
    EXPECT_EQ(std::stod(line.substr(start.size())), residuals[static_cast<std::size_t>(turn - 1)]);
    if (turn > 1) {
      EXPECT_LT(residuals[static_cast<std::size_t>(turn - 1)], residuals[static_cast<std::size_t>(turn - 2)]);
    }
  }
  EXPECT_FALSE(std::getline(lines, line));
  const std::string report = folder_.read("r.json");
  for (const char* field :
       {"\"turns\": 40", "\"points_per_second\": ", "\"largest_error\": ", "\"input\": \"none\""})
    EXPECT_NE(report.find(field), std::string::npos) << field << " in " << report;
  EXPECT_EQ(folder_.names(), (std::set<std::string>{"s.h5", "h.csv", "r.json"}));
}

TEST_F(HelmholtzTest, TellsWhenItDoesNotConverge) {
  const ParallelEnding ending = solve(2, {"turns=3", "tolerance=0"});
  EXPECT_EQ(ending.rank_statuses, (std::vector<int>{3, 3})) << ending.text();
  EXPECT_EQ(lines_with(ending.errors, "the loop 'solve' has not converged after 3 turns").size(), 1u)
      << ending.errors;
}

TEST_F(HelmholtzTest, RefusesWhatCannotBe) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"intervals.x=1", "intervals.x"},
      {"relaxation=0.5", "only weighted_jacobi and red_black have a relaxation"},
      {"solver=multigrid", "solver"},
      {"tolerance=-1", "tolerance"},
      {"turns=0", "turns"},
      {"input.file=a.png", "input"},
      {"a.png", "command line: 'a.png': an image is no deck: leave it out, as this program reads no image"},
      {"output.comparison=c.png", "output.comparison"},
      {"output.png=s.png", "PNG holds uint8, uint16 or float32, not float64"},
      {"loops.solve.turns_per_tile=64", "loops.solve.turns_per_tile"},
      {"memory=1 KiB", "memory"}};
  for (const auto& [word, reason] : cases)
    for (int ranks : {1, 3}) {
      const ParallelEnding ending = solve(ranks, {word, "turns=2"});
      EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 2))
          << word << ": " << ending.text();
      EXPECT_EQ(lines_with(ending.errors, reason).size(), 1u) << word << ": " << ending.errors;
      EXPECT_EQ(folder_.names(), std::set<std::string>{}) << word;
    }
  const ParallelEnding weighted = solve(2, {"solver=weighted_jacobi", "relaxation=1.5"});
  EXPECT_EQ(weighted.status, 2) << weighted.text();
  EXPECT_EQ(lines_with(weighted.errors, "weighted_jacobi is sure to converge up to 1 only").size(), 1u)
      << weighted.errors;
  EXPECT_EQ(solve(1, {"turns=2"}, "nowhere/s.h5").status, 2);
}

}  // namespace
}  // namespace tessera::app_test
