// SPDX-License-Identifier: BSD-3-Clause
// The Game of Life, with patterns whose ways are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "io/plain_png.hpp"
#include "sample_images.hpp"

namespace tessera::app_test {
namespace {

using CellSet = std::set<std::pair<int, int>>;

/// The live cells of a pattern's text.
CellSet cells_of(const std::string& text) {
  CellSet cells;
  int x = 0, y = 0, count = 0;
  const std::size_t header = text.find("x = ");
  for (std::size_t at = text.find('\n', header); at < text.size() && text[at] != '!'; ++at) {
    const char tag = text[at];
    if (tag >= '0' && tag <= '9') {
      count = 10 * count + (tag - '0');
      continue;
    }
    if (tag == '\n') continue;
    for (int i = std::max(count, 1); i > 0; --i) {
      if (tag == 'o') cells.insert({x, y});
      x = tag == '$' ? 0 : x + 1;
      y += tag == '$' ? 1 : 0;
    }
    count = 0;
  }
  return cells;
}

CellSet moved(const CellSet& cells, int dx, int dy) {
  CellSet result;
  for (const auto& [x, y] : cells) result.insert({x + dx, y + dy});
  return result;
}

CellSet without(const CellSet& cells, const CellSet& others) {
  CellSet result;
  std::ranges::set_difference(cells, others, std::inserter(result, result.end()));
  return result;
}

CellSet both(CellSet cells, const CellSet& others) {
  cells.insert(others.begin(), others.end());
  return cells;
}

std::string pattern(const std::string& name) { return std::string(TESSERA_DECKS "/life/patterns/") + name; }

class LifeTest : public testing::Test {
 protected:
  ParallelEnding life(int ranks, std::vector<std::string> words) const {
    return run_on_ranks(program_of("life"), ranks, folder_, words);
  }
  /// The board after a run that must succeed, as RLE.
  std::string board(int ranks, std::vector<std::string> words) const {
    words.emplace_back("output.rle=o.rle");
    const ParallelEnding ending = life(ranks, words);
    EXPECT_EQ(ending.status, 0) << ending.text();
    return folder_.read("o.rle");
  }
  /// "generation 3, period 3, population 48"
  static std::string numbers(const Ending& ending) {
    const auto lines = lines_with(ending.output, "generation ");
    return lines.size() == 1 ? lines.front() : "no line of numbers in " + ending.text();
  }
  void expect_refused(const std::vector<std::string>& words, const std::vector<std::string>& told,
                      test::SourceLine caller = test::SourceLine::here()) const {
    const auto before = folder_.names();
    for (const int ranks : {1, 3}) {
      expect_refusal(life(ranks, words), told, caller);
      EXPECT_EQ(folder_.names(), before);
    }
  }

  Folder folder_;
};

// It moves by one cell in both directions in 4 generations, and so comes home after 4 * lcm(16, 12).
TEST_F(LifeTest, AGliderCrossesATorusAndComesHome) {
  const std::string header = "x = 16, y = 12, rule = B3/S23\n";
  const auto after = [&](int ranks, int generations, int together) {
    return board(ranks, {"input.file=" + pattern("glider.rle"), "board.width=16", "board.height=12",
                         "border=periodic", "grid=[auto,auto]", "generations=" + std::to_string(generations),
                         "loops.generations.turns_per_exchange=" + std::to_string(together),
                         "loops.generations.turns_per_tile=" + std::to_string(together / 2 + 1)});
  };
  for (int ranks = 1; ranks <= 4; ++ranks) {
    SCOPED_TRACE(ranks);
    EXPECT_EQ(after(ranks, 4 * 9, 2 * ranks), header + "$o$bo$2o13bo!\n");
    EXPECT_EQ(after(ranks, 4 * 48, ranks), header + "4$7bo$8bo$6b3o!\n");
  }
}

// Every 30 generations there is one glider more, 60 generations after another one that was in the same phase
// and 15 cells nearer.
TEST_F(LifeTest, GospersGunShootsGliders) {
  const CellSet gun = moved(cells_of(folder_.read(pattern("gosper_glider_gun.rle"))), 2, 3);
  ASSERT_EQ(gun.size(), 36u);
  std::vector<CellSet> gliders;
  for (int shots = 1; shots <= 4; ++shots) {
    const CellSet cells = cells_of(
        board(shots, {"input.file=" + pattern("gosper_glider_gun.rle"), "board.width=90", "board.height=70",
                      "board.x=2", "board.y=3", "generations=" + std::to_string(30 * shots)}));
    EXPECT_TRUE(without(gun, cells).empty()) << shots;
    gliders.push_back(without(cells, gun));
    EXPECT_EQ(gliders.back().size(), 5u * static_cast<std::size_t>(shots));
  }
  EXPECT_TRUE(without(gliders[0], gliders[1]).empty());
  EXPECT_EQ(gliders[2], both(gliders[1], moved(gliders[0], 15, 15)));
  EXPECT_EQ(gliders[3], both(gliders[1], moved(gliders[1], 15, 15)));
}

TEST_F(LifeTest, APulsarHasPeriod3) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    SCOPED_TRACE(ranks);
    std::vector<std::string> words = {"input.file=" + pattern("pulsar.rle"),
                                      "board.width=17",
                                      "board.height=18",
                                      "output.rle=o.rle",
                                      "generations=8",
                                      "period=3"};
    const ParallelEnding ending = life(ranks, words);
    EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 0)) << ending.text();
    EXPECT_EQ(numbers(ending), "generation 3, period 3, population 48");
    EXPECT_EQ(cells_of(folder_.read("o.rle")), moved(cells_of(folder_.read(pattern("pulsar.rle"))), 2, 2));
    if (ranks % 2 == 1) continue;
    words.back() = "period=2";
    const ParallelEnding other = life(ranks, words);
    EXPECT_EQ(other.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 3)) << other.text();
    EXPECT_EQ(numbers(other).substr(0, 22), "generation 8, period 0");
    EXPECT_EQ(lines_with(other.errors, "the loop 'generations' has not converged after 8 turns").size(), 1u);
    EXPECT_FALSE(folder_.read("o.rle").empty());
  }
}

TEST_F(LifeTest, APulsarOnATorusHasPeriod3WithEveryDeck) {
  for (const char* deck : {"rounds.yaml", "in_cache.yaml", "seldom_tested.yaml"}) {
    const ParallelEnding ending =
        life(3, {std::string(TESSERA_DECKS "/life/") + deck, "input.file=" + pattern("pulsar.rle"),
                 "board.width=17", "board.height=18", "border=periodic", "generations=30", "period=3",
                 "output.rle=o.rle"});
    EXPECT_EQ(ending.status, 0) << ending.text();
    EXPECT_EQ(numbers(ending), "generation 3, period 3, population 48") << deck;
  }
}

TEST_F(LifeTest, ABlockStaysAsItIs) {
  folder_.write("block.rle", "x = 2, y = 2\n2o$2o!");
  for (const char* period : {"period=1", "period=64"})
    for (const char* border : {"border=dead", "border=periodic"}) {
      const ParallelEnding ending = life(3, {"input.file=block.rle", "board.width=6", "board.height=5",
                                             period, border, "output.rle=o.rle", "--report", "report.json"});
      EXPECT_EQ(ending.status, 0) << ending.text();
      EXPECT_EQ(numbers(ending), "generation 1, period 1, population 4");
      EXPECT_EQ(folder_.read("o.rle"), "x = 6, y = 5, rule = B3/S23\n$2b2o$2b2o!\n");
      EXPECT_EQ(lines_with(folder_.read("report.json"), "\"population\": 4").size(), 1u);
    }
}

// Ten cells in a row become a pentadecathlon, of period 15, which every schedule finds at the same
// generation.
TEST_F(LifeTest, EndsAtTheSameGenerationWithEverySchedule) {
  const std::vector<std::string> game = {"input.file=" + pattern("pentadecathlon.rle"), "board.width=21",
                                         "board.height=16", "period=20"};
  const std::string expected = board(1, game);
  const std::string line = numbers(life(1, [&] {
    auto words = game;
    words.emplace_back("output.file=o.h5");
    return words;
  }()));
  EXPECT_NE(line.find(", period 15, "), std::string::npos) << line;
  const std::vector<std::vector<std::string>> settings = {
      {"grid=[auto,1]", "loops.generations.turns_per_test=7"},
      {"loops.generations.turns_per_exchange=4", "threads=2"},
      {"loops.generations.turns_per_tile=3", "schedule.next.tile=[8,5]", "threads=2"},
      {"loops.generations.turns_per_exchange=6", "loops.generations.turns_per_tile=2",
       "loops.generations.turns_per_test=12", "grid=[auto,auto]"}};
  for (std::size_t i = 0; i < settings.size(); ++i) {
    std::vector<std::string> words = game;
    words.insert(words.end(), settings[i].begin(), settings[i].end());
    words.emplace_back("output.rle=o.rle");
    const ParallelEnding ending = life(2 + static_cast<int>(i % 3), words);
    EXPECT_EQ(ending.status, 0) << ending.text();
    EXPECT_EQ(numbers(ending), line);
    EXPECT_EQ(folder_.read("o.rle"), expected);
  }
}

TEST_F(LifeTest, WhatItWritesItReads) {
  const std::vector<std::string> game = {"input.file=" + pattern("r_pentomino.rle"), "board.width=50",
                                         "board.height=40", "generations=40"};
  auto words = game;
  words.insert(words.end(), {"alive=255", "output.png=o.png", "output.file=o.h5"});
  const std::string half = board(2, words);
  const CellSet cells = cells_of(half);
  const io_test::PlainPng picture = io_test::read_plain_png(folder_ / "o.png");
  const StoredResult stored = read_result(folder_ / "o.h5", "board");
  EXPECT_EQ(stored.type, "uint8");
  ASSERT_EQ(stored.extents, (std::vector<hsize_t>{40, 50}));
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 50; ++x) {
      const int expected = cells.contains({x, y}) ? 255 : 0;
      EXPECT_EQ(picture.sample(x, y), expected);
      EXPECT_EQ(static_cast<std::uint8_t>(stored.bytes[static_cast<std::size_t>(50 * y + x)]), expected);
    }
  folder_.write("half.rle", half);
  const std::string whole = board(3, {game[0], game[1], game[2], "generations=80"});
  for (const char* input : {"input.file=half.rle", "input.file=o.png", "input.file=o.h5"})
    EXPECT_EQ(board(2, {input, "generations=40"}), whole) << input;
}

TEST_F(LifeTest, SeriesArePatterns) {
  const std::string file = pattern("pulsar.rle");
  const ParallelEnding ending =
      life(2, {"input.files=[" + file + "]", "output.files=s.rle", "generations=2"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  EXPECT_EQ(folder_.read("s.rle"), board(1, {"input.file=" + file, "generations=2"}));
}

TEST_F(LifeTest, OtherProgramsReadPatterns) {
  const ParallelEnding ending = run_on_ranks(program_of("sobel"), 2, folder_,
                                             {"input.file=" + pattern("pulsar.rle"), "output.file=o.h5"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  const ParallelEnding refused =
      run_on_ranks(program_of("sobel"), 2, folder_,
                   {"input.file=" + pattern("pulsar.rle"), "output.file=o.h5", "output.rle=o.rle"});
  EXPECT_EQ(refused.status, 2) << refused.text();
  EXPECT_EQ(lines_with(refused.errors, "unknown key 'output.rle'").size(), 1u) << refused.errors;
}

TEST_F(LifeTest, BadPatternsAreRefused) {
  folder_.write("cut.rle", folder_.read(pattern("gosper_glider_gun.rle")).substr(0, 260));
  folder_.write("other.rle", "x = 3, y = 1, rule = B36/S23\n3o!");
  folder_.write("states.rle", "x = 3, y = 1\nACA!");
  expect_refused({"input.file=cut.rle", "output.rle=o.rle"}, {"cut.rle:", "damaged or truncated RLE"});
  expect_refused({"input.file=other.rle", "output.rle=o.rle"}, {"other.rle:", "rule 'B36/S23'"});
  expect_refused({"input.file=states.rle", "output.rle=o.rle"}, {"states.rle:", "state 'C' in line 2"});
}

TEST_F(LifeTest, BadGamesAreRefused) {
  const std::string input = "input.file=" + pattern("pulsar.rle");
  expect_refused({input}, {"nothing to write", "output.rle"});
  expect_refused({input, "output.rle=nowhere/o.rle"}, {"nowhere/o.rle:", "cannot be written"});
  expect_refused({input, "output.rle=o.rle", "board.width=12"},
                 {"'board.width':", "13 columns from 0 on", "12 wide"});
  expect_refused({input, "output.rle=o.rle", "board.height=20", "board.y=8"},
                 {"'board.y':", "13 rows from 8 on", "20 high"});
}

}  // namespace
}  // namespace tessera::app_test
