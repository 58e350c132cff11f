// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "deck_test_support.hpp"
#include "messages.hpp"

namespace tessera::deck {
namespace {

using test::expect_message;

TEST(DeckValues, EveryTypeIsReadBack) {
  const Deck deck = load_sample(R"(
input:
  file: photographs/a b.png
  dataset: "123"
threads: +16
sigma: 2.5e-1
overlap: no
grid: [2, auto]
schedule:
  bh:
    compute: rank
    tile: [4096, 32]
)");
  EXPECT_EQ(deck.get<std::string>("input.file"), "photographs/a b.png");
  EXPECT_EQ(deck.get<std::string>("input.dataset"), "123");
  EXPECT_EQ(deck.get<std::int64_t>("threads"), 16);
  EXPECT_EQ(deck.get<double>("sigma"), 0.25);
  EXPECT_FALSE(deck.get<bool>("overlap"));
  EXPECT_EQ(deck.get<GridValue>("grid"), (GridValue{{2, std::nullopt}}));
  EXPECT_EQ(deck.get<std::string>("schedule.bh.compute"), "rank");
  EXPECT_EQ(deck.get<TileValue>("schedule.bh.tile"), (TileValue{{4096, 32}, {4096, 32}}));
}

TEST(DeckValues, DefaultsHoldWhereNothingIsGiven) {
  const Deck deck = load_sample(minimal);
  EXPECT_EQ(deck.get<std::string>("output.file"), "blurred.h5");
  EXPECT_EQ(deck.get<GridValue>("grid"), (GridValue{{1, std::nullopt}}));
  EXPECT_EQ(deck.get<TileValue>("schedule.bv.tile"), TileValue{});
  EXPECT_FALSE(deck.is_set("output.file"));
  EXPECT_TRUE(deck.is_set("input.file"));
}

TEST(DeckValues, OptionalKeysMayHaveNoValue) {
  const Deck deck = load_sample(minimal);
  EXPECT_EQ(deck.find("size"), nullptr);
  EXPECT_FALSE(deck.is_set("size"));
  EXPECT_THROW(deck.get<std::int64_t>("size"), InternalError);
}

TEST(DeckValues, TilesPerBackend) {
  const auto tile = [](const std::string& text) {
    return load_sample(minimal, {"schedule.bh.tile=" + text}).get<TileValue>("schedule.bh.tile");
  };
  EXPECT_EQ(tile("auto"), TileValue{});
  EXPECT_EQ(tile("{host: [4096, 32], device: [64, 8]}"), (TileValue{{4096, 32}, {64, 8}}));
  EXPECT_EQ(tile("{device: [64, 8]}"), (TileValue{{}, {64, 8}}));
  EXPECT_EQ(tile("{host: [8], device: auto}"), (TileValue{{8}, {}}));
}

TEST(DeckValues, WordsForYesAndNoAreTheSameInAllKeys) {
  Schema schema;
  schema.add({.name = "wait", .type = ValueType::choice, .choices = {"auto", "on", "off"}})
      .add({.name = "keep", .type = ValueType::choice, .choices = {"yes", "no"}})
      .add({.name = "mode", .type = ValueType::choice, .choices = {"fast", "on"}});
  const auto value = [&](const std::string& key, const std::string& text) {
    return load(schema, {{"d.yaml", key + ": " + text + "\n"}}, {}).get<std::string>(key);
  };
  for (const char* yes : {"true", "yes", "on"}) {
    EXPECT_EQ(value("wait", yes), "on");
    EXPECT_EQ(value("keep", yes), "yes");
  }
  for (const char* no : {"false", "no", "off"}) {
    EXPECT_EQ(value("wait", no), "off");
    EXPECT_EQ(value("keep", no), "no");
    expect_message(error_of([&] { value("mode", no); }), {"d.yaml:1:7", "'mode' expects", no});
  }
  EXPECT_EQ(value("wait", "auto"), "auto");
}

TEST(DeckValues, SomeOfAListOfChoices) {
  Schema schema;
  schema.add({.name = "stages", .type = ValueType::choices, .choices = {"bh", "bv", "true"}});
  const auto values = [&](const std::string& text) {
    return load(schema, {}, {"stages=" + text}).get<std::vector<std::string>>("stages");
  };
  EXPECT_EQ(values("[bv]"), (std::vector<std::string>{"bv"}));
  EXPECT_EQ(values("['true', bh]"), (std::vector<std::string>{"true", "bh"}));
  EXPECT_EQ(to_yaml(values("['true', bh]")), "[\"true\", bh]");
  const auto error = [&](const std::string& text) { return error_of([&] { values(text); }); };
  expect_message(error("bh"), {"'stages=bh'", "'stages' expects", "got 'bh'"});
  expect_message(error("[]"), {"'stages=[]'", "'stages' expects", "without entries"});
  expect_message(error("[bb]"), {"'stages=[bb]'", "got 'bb'", "mean 'bh'?"});
  expect_message(error("[bh, bh]"), {"'stages=[bh, bh]'", "'stages' expects", "'bh' again"});
  expect_message(error("[[bh]]"), {"command line", "'stages=[[bh]]'", "'stages' expects"});
}

TEST(DeckValues, AListWithADefaultMayBeEmpty) {
  Schema schema;
  schema.add({.name = "stages", .type = ValueType::choices, .default_text = "[bv]", .choices = {"bh", "bv"}});
  const auto values = [&](const std::vector<std::string>& words) {
    return load(schema, {}, words).get<std::vector<std::string>>("stages");
  };
  EXPECT_EQ(values({}), std::vector<std::string>{"bv"});
  EXPECT_EQ(values({"stages=[]"}), std::vector<std::string>{});
  EXPECT_EQ(to_yaml(values({"stages=[]"})), "[]");
}

TEST(DeckValues, ValuesThatAreRefusedWithAReason) {
  Schema schema;
  schema.add({.name = "stages",
              .type = ValueType::choices,
              .choices = {"bh"},
              .refusals = {{"bv", "'bv' is the output: leave it out"}}});
  const auto error = [&](const std::string& text) {
    return error_of([&] { load(schema, {}, {"stages=" + text}); });
  };
  expect_message(error("[bh, bv]"), {"command line", "'stages=[bh, bv]'", "leave it out"});
  expect_message(error("[bw]"), {"'stages=[bw]'", "got 'bw'", "mean 'bh'?"});
}

TEST(DeckValues, AListOfAnyNames) {
  Schema schema;
  schema.add({.name = "stages", .type = ValueType::choices});
  const auto values = [&](const std::string& text) {
    return load(schema, {}, {"stages=" + text}).get<std::vector<std::string>>("stages");
  };
  EXPECT_EQ(values("[bv, 'true']"), (std::vector<std::string>{"bv", "true"}));
  const auto error = [&](const std::string& text) { return error_of([&] { values(text); }); };
  expect_message(error("bh"), {"'stages=bh'", "'stages' expects", "got 'bh'"});
  expect_message(error("[bh, bh]"), {"'stages=[bh, bh]'", "'stages' expects", "'bh' again"});
}

TEST(DeckValues, IntegersReachTheEndsOf64Bits) {
  Schema schema;
  schema.add({.name = "n", .type = ValueType::integer});
  const auto value = [&](const std::string& text) {
    return load(schema, {}, {"n=" + text}).get<std::int64_t>("n");
  };
  EXPECT_EQ(value("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(value("-9223372036854775808"), INT64_MIN);
  expect_message(error_of([&] { value("9223372036854775808"); }),
                 {"command line", "'n=9223372036854775808'", "'n' expects"});
}

TEST(DeckValues, NumbersMayNameTheirUnit) {
  Schema schema;
  schema.add({.name = "limit", .type = ValueType::real, .unit = "s"});
  schema.add({.name = "size", .type = ValueType::integer, .unit = "pixels"});
  schema.add({.name = "plain", .type = ValueType::real});
  const auto value = [&](const std::string& key, const std::string& text) {
    return load(schema, {{"d.yaml", key + ": " + text + "\n"}}).get<double>(key);
  };
  EXPECT_EQ(value("limit", "300"), 300);
  EXPECT_EQ(value("limit", "5 min"), 300);
  EXPECT_EQ(value("limit", "+250 ms"), 0.25);
  EXPECT_EQ(value("limit", "2 h"), 7200);
  EXPECT_EQ(load(schema, {}, {"size=3 pixels"}).get<std::int64_t>("size"), 3);
  const auto error = [&](const std::string& argument) {
    return error_of([&] { load(schema, {}, {argument}); });
  };
  for (const char* text : {"2 GiB", "2 S", "min", "2 h s", "1e400 s"})
    expect_message(error(std::string("limit=") + text),
                   {"'limit=" + std::string(text), "'limit' expects", "number (s)"});
  expect_message(error("size=3 MiB"), {"'size=3 MiB'", "'size' expects", "integer (pixels)"});
  expect_message(error("plain=3 s"), {"command line", "'plain=3 s'", "'plain' expects"});
}

TEST(DeckValues, SizesNameTheirUnit) {
  Schema schema;
  schema.add({.name = "memory", .type = ValueType::bytes});
  const auto bytes = [&](const std::string& text) {
    return load(schema, {{"d.yaml", "memory: " + text + "\n"}}).get<ByteSize>("memory").bytes;
  };
  for (const char* text : {"64M", "64 M", "64m", "64MiB", "64 MiB", "0.0625 GiB", "65536 K", "67108864 B",
                           "\"64 MiB\"", "6.4e1M"})
    EXPECT_EQ(bytes(text), 64 << 20) << text;
  EXPECT_EQ(bytes("64 MB"), 64000000);
  EXPECT_EQ(bytes("2 kB"), 2000);
  EXPECT_EQ(bytes("1.5GB"), 1500000000);
  EXPECT_EQ(bytes("1.5 G"), std::int64_t{3} << 29);
  EXPECT_EQ(bytes("2 TiB"), std::int64_t{1} << 41);
  EXPECT_EQ(bytes("1 TB"), 1000000000000);
  EXPECT_EQ(bytes("0.5 B"), 0);
  for (const char* text :
       {"64", "0", "MiB", "64 s", "64 MiB s", "64 P", "64 Mi", "-1M", "nan M", "1e30 T", ""})
    expect_message(error_of([&] { bytes(std::string("'") + text + "'"); }),
                   {"d.yaml:1:9:", "'memory' expects", std::string("got \"") + text});
  expect_message(error_of([&] { load(schema, {}, {"memory=64"}); }),
                 {"'memory=64'", "'memory' expects", "2 GB"});
}

// The printed deck runs again, with the same size.
TEST(DeckValues, SizesArePrintedExactly) {
  for (const auto& [bytes, text] : std::vector<std::pair<std::int64_t, std::string>>{{0, "0 B"},
                                                                                     {1000, "1000 B"},
                                                                                     {150 << 10, "150 KiB"},
                                                                                     {96 << 20, "96 MiB"},
                                                                                     {3LL << 29, "1536 MiB"},
                                                                                     {5LL << 50, "5120 TiB"}})
    EXPECT_EQ(to_yaml(ByteSize{bytes}), text);
}

TEST(DeckValues, DottedNamesAreBlocks) {
  const Deck deck = load_sample("input.file: a.png\nschedule.bh: {compute: tile}\n");
  EXPECT_EQ(deck.get<std::string>("input.file"), "a.png");
  EXPECT_EQ(deck.get<std::string>("schedule.bh.compute"), "tile");
}

TEST(DeckValues, EmptyDecksAndBlocksGiveNothing) {
  EXPECT_EQ(load_sample("", {"input.file=a.png"}), load_sample(minimal));
  EXPECT_EQ(load_sample("# nothing\n", {"input.file=a.png"}), load_sample(minimal));
  EXPECT_EQ(load_sample(minimal + "output:\nschedule:\n  bh:\n"), load_sample(minimal));
}

TEST(DeckValues, LaterDecksWin) {
  const Deck deck =
      load(sample_schema(), {{"a.yaml", minimal + "threads: 2"}, {"b.yaml", "threads: 3\nsigma: 1"}});
  EXPECT_EQ(deck.get<std::int64_t>("threads"), 3);
  EXPECT_EQ(deck.get<std::string>("input.file"), "a.png");
  EXPECT_EQ(deck.location("input.file"), "a.yaml:1:15");
  EXPECT_EQ(deck.location("threads"), "b.yaml:1:10");
}

TEST(DeckValues, LocationsPointToTheValue) {
  const Deck deck = load_sample(minimal + "grid:\n  - 2\n  - 2\n", {"threads=2"});
  EXPECT_EQ(deck.location("grid"), "d.yaml:3:3");
  EXPECT_EQ(deck.location("threads"), "command line: 'threads=2'");
  EXPECT_EQ(deck.location("sigma"), "d.yaml (default)");
}

TEST(DeckValues, LaterChecksFailAtTheLineOfTheKey) {
  const Deck deck = load_sample(minimal + "grid: [3, 1]\n", {"threads=2"});
  const auto failure = [&](const char* key) {
    return error_of([&] { deck.fail(key, "3 ranks wanted, there are 2"); });
  };
  expect_message(failure("grid"), {"d.yaml:2:7:", "'grid'", "ranks wanted"});
  expect_message(failure("threads"), {"command line", "'threads=2'", "ranks wanted"});
  expect_message(failure("sigma"), {"d.yaml (default)", "'sigma'", "ranks wanted"});
}

TEST(DeckValues, MisuseByTheProgramIsAnInternalError) {
  const Deck deck = load_sample(minimal);
  EXPECT_THROW(deck.get<std::int64_t>("undeclared"), InternalError);
  EXPECT_THROW(deck.get<double>("threads"), InternalError);
  EXPECT_THROW(deck.is_set("undeclared"), InternalError);
  EXPECT_THROW(deck.fail("undeclared", "x"), InternalError);
}

}  // namespace
}  // namespace tessera::deck
