// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "deck_test_support.hpp"
#include "messages.hpp"
#include "tessera/deck/glob.hpp"

namespace tessera::deck {
namespace {

using test::expect_message;

TEST(Glob, Matches) {
  EXPECT_TRUE(glob_matches("out*", "out"));
  EXPECT_TRUE(glob_matches("out*", "output"));
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("*a*b*", "xaxxbx"));
  EXPECT_TRUE(glob_matches("gauss[3-9]", "gauss4"));
  EXPECT_TRUE(glob_matches("[!a]?c", "bbc"));
  EXPECT_TRUE(glob_matches("[a-]", "-"));
  EXPECT_TRUE(glob_matches("[]]", "]"));
  EXPECT_FALSE(glob_matches("gauss[3-9]", "gauss10"));
  EXPECT_FALSE(glob_matches("[!a]", "a"));
  EXPECT_FALSE(glob_matches("b", "bh"));
  EXPECT_FALSE(glob_matches("[a", "a"));
  EXPECT_FALSE(glob_matches("?", ""));
}

TEST(Glob, ManyStarsTakeNoExponentialTime) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  EXPECT_FALSE(glob_matches(pattern + "b", std::string(1000, 'a')));
}

TEST(DeckPatterns, LaterWins) {
  const Deck deck = load_sample(
      minimal + "schedule:\n  bh: {tile: [1, 1]}\n  b?: {tile: [2, 2]}\n  b[v]: {tile: [3, 3]}\n");
  EXPECT_EQ(deck.get<TileValue>("schedule.bh.tile").host, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(deck.get<TileValue>("schedule.bv.tile").host, (std::vector<std::int64_t>{3, 3}));
  EXPECT_EQ(deck.location("schedule.bh.tile"), "d.yaml:4:14");
}

TEST(DeckPatterns, ApplyWhereTheKeyAndTheChoiceExist) {
  const Deck deck = load_sample(minimal + "schedule: {'*': {compute: rank, tile: [8, 8]}}\n");
  EXPECT_EQ(deck.get<std::string>("schedule.bh.compute"), "rank");
  EXPECT_EQ(deck.get<std::string>("schedule.bv.compute"), "distributed");
  EXPECT_FALSE(deck.is_set("schedule.bv.compute"));
  EXPECT_TRUE(deck.is_set("schedule.bv.tile"));
}

TEST(DeckPatterns, MustApplyToOneName) {
  expect_message(load_error(minimal + "schedule:\n  bhh: {compute: rank}\n"),
                 {"d.yaml:3:3:", "'bhh'", "mean 'bh'?"});
  expect_message(load_error(minimal + "schedule:\n  inptu[1-3]: {grid: [1]}\n"),
                 {"d.yaml:3:3:", "'inptu[1-3]'", "mean 'input'?"});
  expect_message(load_error(minimal + "schedule:\n  b[v-h]: {compute: rank}\n"),
                 {"d.yaml:3:3:", "'b[v-h]'", "runs backwards"});
  expect_message(load_error(minimal + "schedule:\n  'b[h': {compute: rank}\n"),
                 {"d.yaml:3:3:", "stage matches", "'b[h'"});
  expect_message(load_error(minimal + "schedule: {'*': {compute: rnk}}\n"),
                 {"d.yaml:2:27:", "'schedule.*.compute'", "mean 'rank'?"});
}

TEST(DeckPatterns, UnknownKeysBelowAName) {
  expect_message(load_error(minimal + "schedule:\n  input: {compute: rank}\n"),
                 {"d.yaml:3:11:", "'schedule.input.compute'", "keys here"});
  expect_message(load_error(minimal + "schedule:\n  bh: {tiel: auto}\n"),
                 {"d.yaml:3:8:", "'schedule.bh.tiel'", "mean 'schedule.bh.tile'?"});
  expect_message(load_error(minimal + "schedule:\n  b*: {compute: rank}\n  bh: rank\n"),
                 {"d.yaml:4:7:", "'schedule.bh'", "got 'rank'"});
}

TEST(DeckPatterns, NinetyNineStagesNeedFewLines) {
  std::vector<std::string> names;
  for (int i = 0; i < 99; ++i) names.push_back("level" + std::to_string(i));
  Schema schema;
  schema.names("stage", names)
      .add({.name = "schedule.<stage>.compute",
            .type = ValueType::choice,
            .default_text = "distributed",
            .choices = {"distributed", "rank"}});
  const Deck deck =
      load(schema, {{"d.yaml", "schedule:\n  level?: {compute: rank}\n  level[3-9]*: {compute: rank}\n"}});
  EXPECT_EQ(deck.get<std::string>("schedule.level2.compute"), "rank");
  EXPECT_EQ(deck.get<std::string>("schedule.level20.compute"), "distributed");
  EXPECT_EQ(deck.get<std::string>("schedule.level98.compute"), "rank");
}

}  // namespace
}  // namespace tessera::deck
