// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/block_distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "domain/random.hpp"

namespace {

using tessera::RankSearch;
namespace test = tessera::test;

/// The ranks that a search finds in a set, in rising order, and the ranges that it asks for.
struct Outcome {
  std::vector<int> found;
  int questions = 0;
};

Outcome search_for(RankSearch& search, const std::vector<int>& wanted) {
  Outcome outcome;
  search.find(
      [&](int first, int last) {
        ++outcome.questions;
        const auto next = std::lower_bound(wanted.begin(), wanted.end(), first);
        return next != wanted.end() && *next < last;
      },
      [&](int rank) { outcome.found.push_back(rank); });
  return outcome;
}

TEST(RankSearch, BisectsOnlyRangesThatMayHold) {
  RankSearch search(1 << 20);
  const Outcome outcome = search_for(search, {777});
  EXPECT_EQ(outcome.found, std::vector{777});
  EXPECT_LE(outcome.questions, 2 * 20 + 1);
}

TEST(RankSearch, AsksAboutLikeSetsHalfAsOften) {
  RankSearch search(1 << 20);
  // The neighbours of a block in a grid of 1024 x 1024.
  std::vector<int> neighbours;
  for (const int row : {411, 412, 413})
    for (const int column : {99, 100, 101}) neighbours.push_back(1024 * row + column);
  const int questions = search_for(search, neighbours).questions;
  for (int i = 0; i < 3; ++i) {
    const Outcome outcome = search_for(search, neighbours);
    EXPECT_EQ(outcome.found, neighbours);
    EXPECT_EQ(outcome.questions, (questions + 1) / 2) << "all but the ranges that are bisected";
  }
}

TEST(RankSearch, FindsFewAfterManyWithoutAskingAboutMany) {
  RankSearch search(1 << 12);
  std::vector<int> all(1 << 12);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(search_for(search, all).found, all);
  EXPECT_LE(search_for(search, {777}).questions, 2 * 12 + 1);
  EXPECT_EQ(search_for(search, {}).questions, 13) << "the rank, and what else its ranges were bisected to";
  EXPECT_EQ(search_for(search, {}).questions, 1);
}

TEST(RankSearch, FindsAnySetAfterAnyOther) {
  test::Random random(55);
  for (int i = 0; i < 300; ++i) {
    const int ranks = random.small(0, 70);
    RankSearch search(ranks);
    for (int k = 0; k < 12; ++k) {
      std::vector<int> wanted;
      const int one_in = random.small(1, 20);
      for (int rank = 0; rank < ranks; ++rank)
        if (random.small(1, one_in) == 1) wanted.push_back(rank);
      ASSERT_EQ(search_for(search, wanted).found, wanted) << ranks << " ranks, search " << k;
    }
  }
}

/// Ranges may hold though no rank of them does: hulls are larger than what they hold.
TEST(RankSearch, TakesAnswersThatAreTooWide) {
  test::Random random(56);
  for (int i = 0; i < 300; ++i) {
    const int ranks = random.small(1, 70);
    RankSearch search(ranks);
    for (int k = 0; k < 12; ++k) {
      const int wanted = random.small(0, ranks - 1), spread = random.small(0, 9);
      std::vector<int> found;
      search.find(
          [&](int first, int last) {
            const int margin = last - first == 1 ? 0 : spread;
            return first - margin <= wanted && wanted < last + margin;
          },
          [&](int rank) { found.push_back(rank); });
      ASSERT_EQ(found, std::vector{wanted}) << ranks << " ranks, search " << k;
    }
  }
}

TEST(RankSearch, GoesOnAfterAQuestionThrew) {
  RankSearch search(100);
  search_for(search, {3, 50});
  int questions = 0;
  EXPECT_THROW(
      search.find([&](int, int) -> bool { return ++questions < 4 ? true : throw std::range_error("no"); },
                  [](int) {}),
      std::range_error);
  EXPECT_EQ(search_for(search, {2, 97}).found, (std::vector{2, 97}));
}

}  // namespace
