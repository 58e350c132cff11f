// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/processor_grid.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "domain/random.hpp"
#include "messages.hpp"
#include "tessera/domain/block_distribution.hpp"
#include "tessera/domain/error.hpp"

namespace {

using namespace tessera;
using test::expect_message;

ProcessorGrid grid_of(const std::vector<int>& sizes) {
  ProcessorGrid grid;
  for (int size : sizes) grid.size[grid.dimensions++] = size;
  return grid;
}

std::string error_of(const GridRequest& request, const Box& box, int ranks) {
  return test::message_of<InputError>([&] { resolve_grid(request, box, ranks); });
}

TEST(ProcessorGrid, DefaultSlicesAlongY) {
  EXPECT_EQ(resolve_grid({}, Box{{0, 50}, {0, 10}}, 6), grid_of({1, 6}));
  EXPECT_EQ(resolve_grid({}, Box{{0, 50}}, 6), grid_of({6}));
  EXPECT_EQ(resolve_grid({}, Box{{0, 50}, {0, 10}, {0, 3}}, 4), grid_of({1, 4}));
}

TEST(ProcessorGrid, AutoEntriesFillUp) {
  const Box box{{0, 100}, {0, 100}, {0, 100}};
  EXPECT_EQ(resolve_grid({{1, 0}}, box, 6), grid_of({1, 6}));
  EXPECT_EQ(resolve_grid({{0, 1}}, box, 6), grid_of({6, 1}));
  EXPECT_EQ(resolve_grid({{3, 0, 2}}, box, 12), grid_of({3, 2, 2}));
  EXPECT_EQ(resolve_grid({{2, 3}}, box, 6), grid_of({2, 3}));
  EXPECT_EQ(resolve_grid({{0, 0, 0}}, box, 1), grid_of({1, 1, 1}));
}

TEST(ProcessorGrid, OfEqualSurfacesTheOneThatKeepsRowsWhole) {
  EXPECT_EQ(resolve_grid({{0, 0}}, Box{{0, 64}, {0, 64}}, 2), grid_of({1, 2}));
  EXPECT_EQ(resolve_grid({{0, 0}}, Box{{0, 64}, {0, 64}}, 4), grid_of({2, 2}));
  EXPECT_EQ(resolve_grid({{0, 0}}, Box{{0, 64}, {0, 64}}, 8), grid_of({2, 4}));
}

TEST(ProcessorGrid, LongBoxesAreCutAcross) {
  EXPECT_EQ(resolve_grid({{0, 0}}, Box{{0, 4000}, {0, 10}}, 4), grid_of({4, 1}));
  EXPECT_EQ(resolve_grid({{0, 0}}, Box{{0, 10}, {0, 4000}}, 4), grid_of({1, 4}));
}

/// Idle ranks, then points that blocks grown by one read beyond themselves, then slices along x.
using Cost = std::tuple<int, std::int64_t, int, int>;

Cost cost_of(const ProcessorGrid& grid, const Box& box) {
  const BlockDistribution blocks(box, box, grid);
  int idle = 0;
  std::int64_t ghosts = 0;
  for (int rank = 0; rank < blocks.rank_count(); ++rank) {
    const Box owned = blocks.owned(rank);
    idle += owned.empty();
    if (owned.empty()) continue;
    Box grown = owned;
    for (int d = 0; d < grid.dimensions; ++d)
      grown[d] = intersection({owned[d].begin - 1, owned[d].end + 1}, box[d]);
    ghosts += grown.size() - owned.size();
  }
  return {idle, ghosts, grid.size[0], grid.size[1]};
}

Cost best_cost(const Box& box, int ranks) {
  Cost best{1 << 30, 0, 0, 0};
  for (int x = 1; x <= ranks; ++x)
    for (int y = 1; y <= ranks; ++y) {
      if (ranks % (x * y) != 0 || (box.dimensions == 2 && x * y != ranks)) continue;
      ProcessorGrid grid = box.dimensions == 2 ? grid_of({x, y}) : grid_of({x, y, ranks / (x * y)});
      best = std::min(best, cost_of(grid, box));
    }
  return best;
}

TEST(ProcessorGrid, AllAutoIsTheBestOfAllGrids) {
  test::Random random(11);
  for (int i = 0; i < 400; ++i) {
    const Box box = random.box(random.small(2, 3), -5, 5, 20);
    const int ranks = random.small(1, 24);
    GridRequest request;
    request.entries.assign(static_cast<std::size_t>(box.dimensions), 0);
    const ProcessorGrid grid = resolve_grid(request, box, ranks);
    EXPECT_EQ(grid.rank_count(), ranks);
    EXPECT_EQ(cost_of(grid, box), best_cost(box, ranks))
        << grid.text() << " for " << to_string(box) << " on " << ranks;
  }
}

TEST(ProcessorGrid, IdleRanksAreAvoidedBeforeSurface) {
  // [4, 2] cuts 3 * 8 + 9 = 33 points, [2, 4] 8 + 3 * 9 = 35; but 9 points in slices of ceil(9 / 4) = 3 leave
  // the fourth column of ranks idle.
  EXPECT_EQ(resolve_grid({{0, 0}}, Box{{0, 9}, {0, 8}}, 8), grid_of({2, 4}));
}

TEST(ProcessorGrid, MoreRanksThanPointsIsLegal) {
  EXPECT_EQ(resolve_grid({{1, 0}}, Box{{0, 5}, {0, 30}}, 32), grid_of({1, 32}));
}

TEST(ProcessorGrid, ThatDoesNotMultiplyIsAnError) {
  const Box box{{0, 64}, {0, 64}};
  expect_message(error_of({{2, 2}}, box, 3), {"processor grid", "3 ranks", "'idle'"});
  expect_message(error_of({{4, 0}}, box, 6), {"processor grid", "6 ranks", "'idle'"});
  expect_message(error_of({{2}}, box, 1), {"processor grid [2]", "start another", "'idle'"});
  EXPECT_NE(error_of({{-1, 0}}, box, 4).find("does not multiply"), std::string::npos);
}

TEST(ProcessorGrid, RanksMayBeIdleWhereTheRequestAllowsForIt) {
  const Box box{{0, 64}, {0, 64}};
  const auto resolved = [&box](const std::vector<int>& entries, int ranks) {
    return resolve_grid({entries, {}, true}, box, ranks);
  };
  EXPECT_EQ(resolved({2, 2}, 7), grid_of({2, 2}));
  EXPECT_EQ(resolved({2, 2}, 4), grid_of({2, 2}));
  EXPECT_EQ(resolved({3, 0}, 8), grid_of({3, 2}));
  EXPECT_EQ(resolved({0, 0}, 7), grid_of({1, 7}));
  EXPECT_EQ(resolved({3, 0}, 1'000'003), grid_of({3, 333'334}));
  expect_message(test::message_of<InputError>([&] {
                   resolved({2, 2}, 3);
                 }),
                 {"processor grid", "start more"});
  EXPECT_THROW(resolved({-2, 0}, 3), InputError);
  // Levels of the machine are followed where all ranks are in the grid.
  GridTarget machine;
  machine.levels = {2, 3};
  EXPECT_EQ(resolve_grid({{1, 0}, {}, true}, box, 6, machine).digits.size(), 4U);
  EXPECT_EQ(resolve_grid({{2, 2}, {}, true}, box, 6, machine), grid_of({2, 2}));
}

TEST(ProcessorGrid, RanksAreNumberedInTheOrderOfTheRequest) {
  const Box box{{0, 64}, {0, 64}};
  const ProcessorGrid along_y = resolve_grid({{2, 3}, {1}}, box, 6);
  EXPECT_EQ(along_y.position(1), (ProcessorGrid::Position{0, 1}));
  EXPECT_EQ(along_y.position(3), (ProcessorGrid::Position{1, 0}));
  EXPECT_EQ(along_y.order_text(), " numbered along dimension 1 first");
  EXPECT_EQ(resolve_grid({{2, 3}}, box, 6).order_text(), "");
  EXPECT_EQ(resolve_grid({{6, 1}, {1}}, box, 6).order_text(), "");
  EXPECT_EQ(resolve_grid({{1, 6}, {1}}, box, 6).order_text(), "");
  // The grid has no third dimension.
  EXPECT_EQ(resolve_grid({{2, 3}, {2, 1}}, box, 6), along_y);
  EXPECT_EQ(resolve_grid({{2, 3}, {0, 1}}, box, 6), grid_of({2, 3}));
  EXPECT_EQ(resolve_grid({{2, 3}, {0, 2}}, box, 6), grid_of({2, 3}));
  EXPECT_THROW(resolve_grid({{2, 3}, {1, 1}}, box, 6), InputError);
}

TEST(ProcessorGrid, WithMoreEntriesThanDimensionsIsAnError) {
  expect_message(error_of({{1, 1, 2}}, Box{{0, 64}, {0, 64}}, 2), {"processor grid", "leave some"});
}

TEST(ProcessorGrid, TextIsThatOfADeck) {
  EXPECT_EQ((GridRequest{{1, 0}}.text()), "[1, auto]");
  EXPECT_EQ(GridRequest{}.text(), "[]");
  EXPECT_EQ(grid_of({2, 3}).text(), "[2, 3]");
}

}  // namespace
