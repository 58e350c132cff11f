// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "deck_test_support.hpp"

namespace tessera::deck {
namespace {

TEST(DeckErrors, Syntax) {
  EXPECT_EQ(load_error("a: b: c\n"), "d.yaml:1:5: not YAML: illegal map value");
  EXPECT_EQ(load_error("input: {file: a.png}\ngrid: [1, 2\n"),
            "d.yaml:2:7: not YAML: end of sequence flow not found");
  EXPECT_EQ(load_error("grid: [1"), "d.yaml:1:7: not YAML: end of sequence flow not found");
  EXPECT_EQ(load_error("grid: ["), "d.yaml:1:7: not YAML: end of sequence flow not found");
}

TEST(DeckErrors, NotABlockAtTheTop) {
  EXPECT_EQ(load_error("- 3\n"), "d.yaml:1:1: a deck is a block of keys ('key: value' lines), got a list");
  EXPECT_EQ(load_error("\nblur\n"), "d.yaml:2:1: a deck is a block of keys ('key: value' lines), got 'blur'");
}

TEST(DeckErrors, SecondDocument) {
  EXPECT_EQ(load_error(minimal + "---\nthreads: 2\n"),
            "d.yaml:2:1: a deck is a single YAML document; here a second one starts");
}

TEST(DeckErrors, DuplicateKeys) {
  EXPECT_EQ(load_error("threads: 1\ninput: {file: a}\nthreads: 2\n"),
            "d.yaml:3:1: the key 'threads' is given twice (first at d.yaml:1:1)");
  EXPECT_EQ(load_error(minimal + "input.file: b.png\n"),
            "d.yaml:2:1: the key 'input.file' is given twice (first at d.yaml:1:9)");
  EXPECT_EQ(load_error("schedule:\n  'b*': {tile: auto}\n  'b*': {tile: auto}\n"),
            "d.yaml:3:3: the key 'b*' is given twice (first at d.yaml:2:3)");
}

TEST(DeckErrors, UnknownKeys) {
  EXPECT_EQ(load_error(minimal + "thraeds: 3\n"),
            "d.yaml:2:1: unknown key 'thraeds'; did you mean 'threads'?");
  EXPECT_EQ(load_error("input:\n  fiel: a.png\n"),
            "d.yaml:2:3: unknown key 'input.fiel'; did you mean 'input.file'?");
  EXPECT_EQ(load_error(minimal + "shedule: {}\n"),
            "d.yaml:2:1: unknown key 'shedule'; did you mean 'schedule'?");
  EXPECT_EQ(load_error(minimal + "file: a.png\n"),
            "d.yaml:2:1: unknown key 'file'; did you mean 'input.file'?");
  EXPECT_EQ(load_error(minimal + "compute: rank\n"),
            "d.yaml:2:1: unknown key 'compute'; did you mean 'schedule.<stage>.compute'?");
  EXPECT_EQ(
      load_error(minimal + "zzz: 1\n"),
      "d.yaml:2:1: unknown key 'zzz'; the keys here are input, output, threads, size, sigma, overlap, grid, "
      "schedule");
  EXPECT_EQ(load_error(minimal + "threads.x: 1\n"),
            "d.yaml:2:1: unknown key 'threads.x': 'threads' is not a block of keys");
  EXPECT_EQ(load_error(minimal + "schedule: {bh: {tile: {hots: [1, 1]}}}\n"),
            "d.yaml:2:24: unknown key 'hots' in 'schedule.bh.tile'; did you mean 'host'?");
}

TEST(DeckErrors, StrangeKeys) {
  EXPECT_EQ(load_error("? [a, b]\n: 3\n"),
            "d.yaml:1:3: a key is a word, not a list; is a bracket left open?");
  EXPECT_EQ(load_error("~: 3\n"), "d.yaml:1:1: a key without a name");
  EXPECT_EQ(load_error("input..file: 3\n"), "d.yaml:1:1: the key 'input..file' has an empty part");
  EXPECT_EQ(load_error(std::string(300, 'k') + ": 3\n"),
            "d.yaml:1:1: the key '" + std::string(60, 'k') + "...' is too long");
}

TEST(DeckErrors, BlocksAndValuesMixedUp) {
  EXPECT_EQ(load_error("input: a.png\n"),
            "d.yaml:1:8: 'input' expects a block of keys (file, dataset), got 'a.png'");
  EXPECT_EQ(load_error("input:\n  - a.png\n"),
            "d.yaml:2:3: 'input' expects a block of keys (file, dataset), got a list");
  EXPECT_EQ(load_error("input:\n  file: {name: a.png}\n"),
            "d.yaml:2:9: 'input.file' expects a path, got a block of keys");
}

TEST(DeckErrors, WrongTypes) {
  EXPECT_EQ(load_error(minimal + "threads: many\n"),
            "d.yaml:2:10: 'threads' expects an integer from 1 to 4096, got 'many'");
  EXPECT_EQ(load_error(minimal + "threads: 1.5\n"),
            "d.yaml:2:10: 'threads' expects an integer from 1 to 4096, got '1.5'");
  EXPECT_EQ(load_error(minimal + "threads: \"2\"\n"),
            "d.yaml:2:10: 'threads' expects an integer from 1 to 4096, got \"2\"");
  EXPECT_EQ(load_error(minimal + "sigma: wide\n"),
            "d.yaml:2:8: 'sigma' expects a number from 0 to 10, got 'wide'");
  EXPECT_EQ(load_error(minimal + "overlap: 3\n"), "d.yaml:2:10: 'overlap' expects true or false, got '3'");
  EXPECT_EQ(load_error(minimal + "input.dataset: [a]\n"),
            "d.yaml:2:16: 'input.dataset' expects text, got a list");
}

TEST(DeckErrors, WrongGridsAndTiles) {
  const std::string grid =
      "'grid' expects a list such as [1, auto] (at most 2 entries, each auto or an integer from 1 to "
      "2147483647)";
  EXPECT_EQ(load_error(minimal + "grid: 4\n"), "d.yaml:2:7: " + grid + ", got '4'");
  EXPECT_EQ(load_error(minimal + "grid: [1, 0]\n"), "d.yaml:2:11: " + grid + ", got '0'");
  EXPECT_EQ(load_error(minimal + "grid: [1, most]\n"), "d.yaml:2:11: " + grid + ", got 'most'");
  EXPECT_EQ(load_error(minimal + "grid: []\n"), "d.yaml:2:7: " + grid + ", got a list without entries");
  EXPECT_EQ(load_error(minimal + "grid: [1, 1, 1]\n"), "d.yaml:2:7: " + grid + ", got a list of 3 entries");
  EXPECT_EQ(load_error(minimal + "grid: [1, 2147483648]\n"), "d.yaml:2:11: " + grid + ", got '2147483648'");
  const std::string tile =
      "'schedule.bh.tile' expects auto, a list such as [4096, 32] (at most 2 integers from 1 to 2147483647), "
      "or "
      "{host: "
      "[4096, 32], device: auto}";
  EXPECT_EQ(load_error(minimal + "schedule:\n  bh:\n    tile: abc\n"),
            "d.yaml:4:11: " + tile + ", got 'abc'");
  EXPECT_EQ(load_error(minimal + "schedule.bh.tile: [8, auto]\n"), "d.yaml:2:23: " + tile + ", got 'auto'");
  EXPECT_EQ(load_error(minimal + "schedule.bh.tile: {host: 8}\n"), "d.yaml:2:26: " + tile + ", got '8'");
}

TEST(DeckErrors, OutOfRange) {
  EXPECT_EQ(load_error(minimal + "size: -3\n"),
            "d.yaml:2:7: 'size' expects an integer of at least 1 (pixels), got '-3'");
  EXPECT_EQ(load_error(minimal + "threads: 4097\n"),
            "d.yaml:2:10: 'threads' expects an integer from 1 to 4096, got '4097'");
  EXPECT_EQ(load_error(minimal + "threads: 99999999999999999999\n"),
            "d.yaml:2:10: 'threads' expects an integer from 1 to 4096, got '99999999999999999999'");
  EXPECT_EQ(load_error(minimal + "sigma: 10.5\n"),
            "d.yaml:2:8: 'sigma' expects a number from 0 to 10, got '10.5'");
  EXPECT_EQ(load_error(minimal + "sigma: nan\n"),
            "d.yaml:2:8: 'sigma' expects a number from 0 to 10, got 'nan'");
  EXPECT_EQ(load_error(minimal + "sigma: 1e999\n"),
            "d.yaml:2:8: 'sigma' expects a number from 0 to 10, got '1e999'");
}

TEST(DeckErrors, NotOneOfTheChoices) {
  EXPECT_EQ(
      load_error(minimal + "schedule.bh.compute: rnk\n"),
      "d.yaml:2:22: 'schedule.bh.compute' expects one of distributed, rank, replicated, tile, got 'rnk'; did "
      "you mean 'rank'?");
  EXPECT_EQ(load_error(minimal + "schedule.bv.compute: rank\n"),
            "d.yaml:2:22: 'schedule.bv.compute' expects distributed, got 'rank'");
  EXPECT_EQ(
      load_error(minimal + "schedule.bh.compute: [rank]\n"),
      "d.yaml:2:22: 'schedule.bh.compute' expects one of distributed, rank, replicated, tile, got a list");
}

TEST(DeckErrors, MissingAndEmpty) {
  EXPECT_EQ(load_error("threads: 2\n"),
            "d.yaml: the key 'input.file' is required: give it in the deck, or input.file=VALUE on the "
            "command line");
  EXPECT_EQ(error_of([] { load(sample_schema(), {}); }),
            "command line: the key 'input.file' is required: give it in the deck, or input.file=VALUE on the "
            "command "
            "line");
  EXPECT_EQ(load_error(minimal + "threads:\n"),
            "d.yaml:2:1: 'threads' has no value; it expects an integer from 1 to 4096");
  EXPECT_EQ(load_error("input: {file: }\n"), "d.yaml:1:9: 'input.file' has no value; it expects a path");
  EXPECT_EQ(load_error("input: {file: ''}\n"), "d.yaml:1:15: 'input.file' expects a path, got \"\"");
}

}  // namespace
}  // namespace tessera::deck
