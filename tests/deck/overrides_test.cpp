// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "deck_test_support.hpp"

namespace tessera::deck {
namespace {

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

TEST(DeckOverrides, PatternsWork) {
  const Deck deck = load_sample(minimal, {"schedule.*.grid=[4, 1]"});
  EXPECT_EQ(deck.get<GridValue>("schedule.input.grid"), (GridValue{{4, 1}}));
  EXPECT_EQ(deck.get<GridValue>("schedule.bv.grid"), (GridValue{{4, 1}}));
}

TEST(DeckOverrides, WrongForms) {
  EXPECT_EQ(load_error(minimal, {"threads"}), "command line: 'threads': expected key=value");
  EXPECT_EQ(load_error(minimal, {"threads=1\nsize: 3"}),
            "command line: 'threads=1\\nsize: 3': expected key=value on one line");
  EXPECT_EQ(load_error(minimal, {"=3"}), "command line: '=3': expected key=value, got no key");
  EXPECT_EQ(load_error(minimal, {"threads="}), "command line: 'threads=': no value after '='");
  EXPECT_EQ(load_error(minimal, {"threads=~"}), "command line: 'threads=~': no value after '='");
  EXPECT_EQ(load_error(minimal, {"grid=[1"}),
            "command line: 'grid=[1': not YAML: end of sequence flow not found");
}

TEST(DeckOverrides, ErrorsQuoteTheArgument) {
  EXPECT_EQ(load_error(minimal, {"threads=abc"}),
            "command line: 'threads=abc': 'threads' expects an integer from 1 to 4096, got 'abc'");
  EXPECT_EQ(load_error(minimal, {"thread=3"}),
            "command line: 'thread=3': unknown key 'thread'; did you mean 'threads'?");
  EXPECT_EQ(load_error(minimal, {"input=a.png"}),
            "command line: 'input=a.png': 'input' expects a block of keys (file, dataset), got 'a.png'");
  EXPECT_EQ(load_error(minimal, {"schedule.x*.grid=[2]"}),
            "command line: 'schedule.x*.grid=[2]': no stage matches 'x*'; the names are input, bh, bv");
  EXPECT_EQ(load_error(minimal, {"threads=" + std::string(100, '1')}),
            "command line: 'threads=" + std::string(52, '1') +
                "...': 'threads' expects an integer from 1 to 4096, got '" + std::string(60, '1') + "...'");
}

}  // namespace
}  // namespace tessera::deck
