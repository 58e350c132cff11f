// SPDX-License-Identifier: BSD-3-Clause
// The Game of Life against its definition, cell by cell, and what ends it against all boards of a game.
#include "apps/life/stages.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/array_source.hpp"
#include "pipeline/random_schedule.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/pipeline/planner/make_plan.hpp"
#include "tessera/pipeline/run/rehearsal.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"

namespace {

using namespace tessera;
using Cells = test::WholeArray<std::uint8_t>;

#ifdef TESSERA_TEST_FEWER
constexpr int games = 60;
#else
constexpr int games = 300;
#endif

/// Looks at the eight neighbours of each cell.
Cells next_of(const Cells& cells, bool is_periodic) {
  const std::int64_t width = cells.box[0].size(), height = cells.box[1].size();
  Cells next(cells.box);
  test::for_each_point(cells.box, [&](const Point& p) {
    int neighbours = 0;
    for (int dy : {-1, 0, 1})
      for (int dx : {-1, 0, 1}) {
        if (dx == 0 && dy == 0) continue;
        std::int64_t x = p[0] + dx, y = p[1] + dy;
        if (is_periodic) {
          x = (x + width) % width;
          y = (y + height) % height;
        }
        if (x >= 0 && x < width && y >= 0 && y < height && cells.at({x, y}) != 0) ++neighbours;
      }
    const bool survives = cells.at(p) != 0 && neighbours == 2;
    next.at(p) = survives || neighbours == 3 ? 1 : 0;
  });
  return next;
}

/// A random pattern somewhere on a board.
struct Sample {
  life::Game game;
  bool is_periodic;
  Cells pattern;
  /// All generations, up to the last that there may be.
  std::vector<Cells> boards;

  explicit Sample(test::Random& random) : is_periodic(random.chance(50)) {
    const int largest = random.one_of<int>({2, 5, 8, 10, 12, 30});
    game.board = {{0, random.small(largest / 2, largest)}, {0, random.small(largest / 2, largest)}};
    if (random.chance(10)) game.board = {{0, 1}, {0, 1}};
    if (random.chance(10)) game.board = {{0, 2}, {0, 3}};
    const auto extent = [&](int d) {
      return random.chance(60) ? game.board[d].size() : random.between(1, game.board[d].size());
    };
    pattern = Cells({{0, extent(0)}, {0, extent(1)}});
    for (auto& cell : pattern.values)
      cell = static_cast<std::uint8_t>(random.chance(40) ? random.small(1, 255) : 0);
    game.left = static_cast<int>(random.between(0, game.board[0].size() - pattern.box[0].size()));
    game.top = static_cast<int>(random.between(0, game.board[1].size() - pattern.box[1].size()));
    if (is_periodic) game.border = Boundary::periodic;
    game.generations = random.between(1, largest < 20 ? 150 : 60);
    game.greatest_period = random.one_of<std::int64_t>({0, 1, 2, 3, 4, 6, 8, 15, 64});
    game.alive = random.one_of<std::uint8_t>({1, 255});
    play();
  }

  void play() {
    Cells cells(game.board);
    test::for_each_point(pattern.box, [&](const Point& p) {
      cells.at({p[0] + game.left, p[1] + game.top}) = pattern.at(p) != 0 ? 1 : 0;
    });
    boards.push_back(cells);
    for (std::int64_t turn = 0; turn < game.generations; ++turn)
      boards.push_back(next_of(boards.back(), is_periodic));
  }

  const Cells& board(std::int64_t generation) const { return boards[static_cast<std::size_t>(generation)]; }
  std::string text() const {
    return to_string(pattern.box) + " on " + to_string(game.board) + (is_periodic ? " periodic" : " dead") +
           ", period " + std::to_string(game.greatest_period) + ", " + std::to_string(game.generations) +
           " generations";
  }
};

struct End {
  std::int64_t generation = 0, period = 0;
};

/// The first generation m that comes again, q later, says when a game ends: at p * ceil(m / p) + q, where q
/// is not greater than p.
End end_of(const Sample& sample) {
  const std::int64_t p = sample.game.greatest_period, last = sample.game.generations;
  for (std::int64_t m = 0; m < last && p > 0; ++m)
    for (std::int64_t q = 1; m + q <= last; ++q) {
      if (!sample.board(m).same_bits(sample.board(m + q))) continue;
      const std::int64_t end = (m + p - 1) / p * p + q;
      return q <= p && end <= last ? End{end, q} : End{last, 0};
    }
  return {last, 0};
}

template <class T>
struct Number {
  test::ArraySink<T> sink{Box{{0, 1}}};
  T value() const { return sink.array.values.front(); }
};

/// The results of a run.
struct Results {
  test::ArraySink<std::uint8_t> board;
  Number<std::int64_t> generation, period;
  Number<std::uint64_t> population;

  explicit Results(const Sample& sample, const Schedule& schedule, const Target& target, int ranks)
      : board(sample.game.board) {
    const Rounds rounds = in_rounds(life::make_pipeline(sample.pattern.box, sample.game), schedule);
    test::ArraySource<std::uint8_t> source(sample.pattern);
    Bindings bindings{
        {{"input", &source}},
        {{"board", &board}, {"generation", &generation.sink}, {"population", &population.sink}}};
    if (sample.game.greatest_period > 0) bindings.sinks.emplace("period", &period.sink);
    Rehearsal(rounds.pipeline, make_plans(rounds.pipeline, rounds.schedule, target, ranks)).run(bindings);
  }
};

void expect_end(const Sample& sample, const Results& results, const End& end, const std::string& text) {
  EXPECT_EQ(results.generation.value(), end.generation) << text;
  EXPECT_EQ(results.period.value(), end.period) << text;
  const Cells& cells = sample.board(end.generation);
  EXPECT_EQ(results.population.value(), static_cast<std::uint64_t>(std::ranges::count(cells.values, 1)))
      << text;
  EXPECT_TRUE(results.board.every_point_written_once()) << text;
  Cells shown = cells;
  for (auto& cell : shown.values) cell = static_cast<std::uint8_t>(cell * sample.game.alive);
  EXPECT_TRUE(results.board.array.same_bits(shown)) << text;
}

TEST(Life, IsTheSameWithEverySchedule) {
  test::Random random(701);
  int ended = 0, longer = 0, went_on = 0;
  for (int i = 0; i < games; ++i) {
    const Sample sample(random);
    const Pipeline pipeline = life::make_pipeline(sample.pattern.box, sample.game);
    Schedule schedule = test::random_schedule(random, pipeline);
    if (random.chance(60)) test::add_random_rounds(random, pipeline, schedule);
    Target target;
    target.threads = random.small(1, 2);
    target.device = random.chance(20);
    const int ranks = test::random_rank_count(random);
    const End end = end_of(sample);
    ended += end.period > 0 ? 1 : 0;
    longer += end.period > 1 ? 1 : 0;
    went_on += sample.game.greatest_period > 0 && end.period == 0 ? 1 : 0;
    expect_end(sample, Results(sample, schedule, target, ranks), end,
               sample.text() + "; " + test::to_string(schedule) + " on " + std::to_string(ranks));
  }
  EXPECT_GT(ended, games / 10);
  EXPECT_GT(longer, games / 50);
  EXPECT_GT(went_on, games / 50);
}

/// Three cells in a row, which turn, and a block, which does not: period 2 from the beginning.
TEST(Life, ThePeriodIsTheShortest) {
  for (const std::int64_t greatest : {1, 2, 3, 4, 5, 64}) {
    test::Random random(1);
    Sample sample(random);
    sample.game = {.board = {{0, 12}, {0, 7}}, .generations = 200, .greatest_period = greatest};
    sample.is_periodic = false;
    sample.pattern = Cells(sample.game.board);
    for (const Point& p :
         {Point{2, 3}, Point{3, 3}, Point{4, 3}, Point{8, 2}, Point{9, 2}, Point{8, 3}, Point{9, 3}})
      sample.pattern.at(p) = 1;
    sample.boards.clear();
    sample.play();
    for (const int ranks : {1, 5, 64})
      expect_end(sample, Results(sample, {}, {}, ranks), greatest == 1 ? End{200, 0} : End{2, 2},
                 std::to_string(greatest) + " on " + std::to_string(ranks));
  }
}

}  // namespace
