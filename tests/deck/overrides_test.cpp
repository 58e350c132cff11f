// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "deck_test_support.hpp"
#include "messages.hpp"

namespace tessera::deck {
namespace {

using test::expect_message;

TEST(DeckOverrides, LaterWins) {
  const Deck deck = load_sample(minimal + "threads: 2\n", {"threads=3", "threads=4", "grid=[2, auto]"});
  EXPECT_EQ(deck.get<std::int64_t>("threads"), 4);
  EXPECT_EQ(deck.get<GridValue>("grid"), (GridValue{{2, std::nullopt}}));
}

TEST(DeckOverrides, OnlyTheFirstEqualsSignSeparates) {
  EXPECT_EQ(load_sample("", {"input.file=a=b.png"}).get<std::string>("input.file"), "a=b.png");
}

TEST(DeckOverrides, ValuesAreYaml) {
  const Deck deck =
      load_sample("", {"input={file: a.png, dataset: 'x: y'}", "schedule.bh={compute: rank, tile: [8, 8]}"});
  EXPECT_EQ(deck.get<std::string>("input.file"), "a.png");
  EXPECT_EQ(deck.get<std::string>("input.dataset"), "x: y");
  EXPECT_EQ(deck.get<std::string>("schedule.bh.compute"), "rank");
  EXPECT_EQ(load_sample("", {"input.file=---"}).get<std::string>("input.file"), "---");
}

TEST(DeckOverrides, PathsAndTextsStandAsTheyAre) {
  for (const char* text : {"a #b.h5", " a.h5", "a.h5 ", "run 12: 30/o.h5", "~", "&a *b.h5", "[1].png",
                           "{x}.png", "- a", "'tis.png", "null", "a\\b"}) {
    const Deck deck =
        load_sample("", {std::string("input.file=") + text, std::string("input.dataset=") + text});
    EXPECT_EQ(deck.get<std::string>("input.file"), text);
    EXPECT_EQ(deck.get<std::string>("input.dataset"), text);
    EXPECT_EQ(load_sample(print(deck)), deck) << text;
  }
  EXPECT_EQ(load_sample("", {"input.file='a b'"}).get<std::string>("input.file"), "a b");
  expect_message(load_error("", {"input.file=\x01.png"}), {"command line", "0x01", "UTF-8"});
  expect_message(load_error("", {"input.file="}), {"command line", "'input.file='", "value after"});
}

TEST(DeckOverrides, PatternsWork) {
  const Deck deck = load_sample(minimal, {"schedule.*.grid=[4, 1]"});
  EXPECT_EQ(deck.get<GridValue>("schedule.input.grid"), (GridValue{{4, 1}}));
  EXPECT_EQ(deck.get<GridValue>("schedule.bv.grid"), (GridValue{{4, 1}}));
}

TEST(DeckOverrides, WrongForms) {
  expect_message(load_error(minimal, {"threads"}), {"command line", "'threads'", "expected key=value"});
  expect_message(load_error(minimal, {"threads=1\nsize: 3"}),
                 {"command line", "'threads=1\\nsize: 3'", "expected key=value"});
  expect_message(load_error(minimal, {"=3"}), {"command line", "'=3'", "expected key=value"});
  expect_message(load_error(minimal, {"threads="}), {"command line", "'threads='", "value after"});
  expect_message(load_error(minimal, {"threads=~"}), {"command line", "'threads=~'", "value after"});
  expect_message(load_error(minimal, {"grid=[1"}), {"command line", "'grid=[1'", "sequence flow"});
}

TEST(DeckOverrides, ErrorsQuoteTheArgument) {
  expect_message(load_error(minimal, {"threads=abc"}), {"'threads=abc'", "'threads' expects", "got 'abc'"});
  expect_message(load_error(minimal, {"thread=3"}), {"'thread=3'", "key 'thread'", "mean 'threads'?"});
  expect_message(load_error(minimal, {"input=a.png"}), {"'input=a.png'", "'input' expects", "got 'a.png'"});
  expect_message(load_error(minimal, {"schedule.x*.grid=[2]"}),
                 {"command line", "'schedule.x*.grid=[2]'", "matches 'x*'"});
  expect_message(load_error(minimal, {"threads=" + std::string(100, '1')}),
                 {"command line:", "'threads' expects", "11...'"});
}

}  // namespace
}  // namespace tessera::deck
