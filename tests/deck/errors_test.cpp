// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "deck_test_support.hpp"
#include "messages.hpp"

namespace tessera::deck {
namespace {

using test::expect_message;

TEST(DeckErrors, Syntax) {
  expect_message(load_error("a: b: c\n"), {"d.yaml:1:5:", "illegal map", "value"});
  expect_message(load_error("input: {file: a.png}\ngrid: [1, 2\n"),
                 {"d.yaml:2:7:", "sequence flow", "found"});
  expect_message(load_error("grid: [1"), {"d.yaml:1:7:", "sequence flow", "found"});
  expect_message(load_error("grid: ["), {"d.yaml:1:7:", "sequence flow", "found"});
}

TEST(DeckErrors, NotABlockAtTheTop) {
  expect_message(load_error("- 3\n"), {"d.yaml:1:1:", "block of keys", "'key: value'"});
  expect_message(load_error("\nblur\n"), {"d.yaml:2:1:", "'key: value'", "got 'blur'"});
}

TEST(DeckErrors, SecondDocument) {
  expect_message(load_error(minimal + "---\nthreads: 2\n"),
                 {"d.yaml:2:1:", "single YAML document", "second one starts"});
}

TEST(DeckErrors, DuplicateKeys) {
  expect_message(load_error("threads: 1\ninput: {file: a}\nthreads: 2\n"),
                 {"d.yaml:3:1:", "'threads'", "given twice"});
  expect_message(load_error(minimal + "input.file: b.png\n"), {"d.yaml:2:1:", "'input.file'", "given twice"});
  expect_message(load_error("schedule:\n  'b*': {tile: auto}\n  'b*': {tile: auto}\n"),
                 {"d.yaml:3:3:", "'b*'", "given twice"});
}

TEST(DeckErrors, UnknownKeys) {
  expect_message(load_error(minimal + "thraeds: 3\n"), {"d.yaml:2:1:", "'thraeds'", "mean 'threads'?"});
  expect_message(load_error("input:\n  fiel: a.png\n"),
                 {"d.yaml:2:3:", "'input.fiel'", "mean 'input.file'?"});
  expect_message(load_error(minimal + "shedule: {}\n"), {"d.yaml:2:1:", "'shedule'", "mean 'schedule'?"});
  expect_message(load_error(minimal + "file: a.png\n"), {"d.yaml:2:1:", "'file'", "mean 'input.file'?"});
  expect_message(load_error(minimal + "compute: rank\n"),
                 {"d.yaml:2:1:", "'compute'", "mean 'schedule.<stage>.compute'?"});
  expect_message(load_error(minimal + "zzz: 1\n"), {"d.yaml:2:1:", "'zzz'", "keys here"});
  expect_message(load_error(minimal + "threads.x: 1\n"), {"d.yaml:2:1:", "unknown key", "'threads.x'"});
  expect_message(load_error(minimal + "schedule: {bh: {tile: {hots: [1, 1]}}}\n"),
                 {"d.yaml:2:24:", "'hots'", "mean 'host'?"});
}

TEST(DeckErrors, StrangeKeys) {
  expect_message(load_error("? [a, b]\n: 3\n"), {"d.yaml:1:3:", "bracket", "left open?"});
  expect_message(load_error("~: 3\n"), {"d.yaml:1:1:", "key without", "name"});
  expect_message(load_error("input..file: 3\n"), {"d.yaml:1:1:", "'input..file'", "empty part"});
  expect_message(load_error(std::string(300, 'k') + ": 3\n"), {"d.yaml:1:1:", "kkk...'", "too long"});
}

TEST(DeckErrors, BlocksAndValuesMixedUp) {
  expect_message(load_error("input: a.png\n"), {"d.yaml:1:8:", "'input'", "got 'a.png'"});
  expect_message(load_error("input:\n  - a.png\n"), {"d.yaml:2:3:", "'input'", "block of keys"});
  expect_message(load_error("input:\n  file: {name: a.png}\n"),
                 {"d.yaml:2:9:", "'input.file'", "block of keys"});
}

TEST(DeckErrors, WrongTypes) {
  expect_message(load_error(minimal + "threads: many\n"), {"d.yaml:2:10:", "'threads'", "got 'many'"});
  expect_message(load_error(minimal + "threads: 1.5\n"), {"d.yaml:2:10:", "'threads'", "got '1.5'"});
  expect_message(load_error(minimal + "threads: \"2\"\n"), {"d.yaml:2:10:", "'threads'", "got \"2\""});
  expect_message(load_error(minimal + "sigma: wide\n"), {"d.yaml:2:8:", "'sigma'", "got 'wide'"});
  expect_message(load_error(minimal + "overlap: 3\n"), {"d.yaml:2:10:", "'overlap'", "expects true"});
  expect_message(load_error(minimal + "input.dataset: [a]\n"),
                 {"d.yaml:2:16:", "'input.dataset'", "expects text"});
}

TEST(DeckErrors, WrongGridsAndTiles) {
  expect_message(load_error(minimal + "grid: 4\n"), {"d.yaml:2:7:", "'grid'", "got '4'"});
  expect_message(load_error(minimal + "grid: [1, 0]\n"), {"d.yaml:2:11:", "'grid'", "got '0'"});
  expect_message(load_error(minimal + "grid: [1, most]\n"), {"d.yaml:2:11:", "'grid'", "got 'most'"});
  expect_message(load_error(minimal + "grid: []\n"), {"d.yaml:2:7:", "'grid'", "without entries"});
  expect_message(load_error(minimal + "grid: [1, 1, 1]\n"), {"d.yaml:2:7:", "'grid'", "3 entries"});
  expect_message(load_error(minimal + "grid: [1, 2147483648]\n"),
                 {"d.yaml:2:11:", "'grid'", "got '2147483648'"});
  expect_message(load_error(minimal + "schedule:\n  bh:\n    tile: abc\n"),
                 {"d.yaml:4:11:", "'schedule.bh.tile'", "got 'abc'"});
  expect_message(load_error(minimal + "schedule.bh.tile: [8, auto]\n"),
                 {"d.yaml:2:23:", "'schedule.bh.tile'", "list such"});
  expect_message(load_error(minimal + "schedule.bh.tile: {host: 8}\n"),
                 {"d.yaml:2:26:", "'schedule.bh.tile'", "list such"});
}

TEST(DeckErrors, OutOfRange) {
  expect_message(load_error(minimal + "size: -3\n"), {"d.yaml:2:7:", "'size'", "least 1 (pixels)"});
  expect_message(load_error(minimal + "threads: 4097\n"), {"d.yaml:2:10:", "'threads'", "got '4097'"});
  expect_message(load_error(minimal + "threads: 99999999999999999999\n"),
                 {"d.yaml:2:10:", "'threads'", "got '99999999999999999999'"});
  expect_message(load_error(minimal + "sigma: 10.5\n"), {"d.yaml:2:8:", "'sigma'", "got '10.5'"});
  expect_message(load_error(minimal + "sigma: nan\n"), {"d.yaml:2:8:", "'sigma'", "got 'nan'"});
  expect_message(load_error(minimal + "sigma: 1e999\n"), {"d.yaml:2:8:", "'sigma'", "got '1e999'"});
}

TEST(DeckErrors, NotOneOfTheChoices) {
  expect_message(load_error(minimal + "schedule.bh.compute: rnk\n"),
                 {"d.yaml:2:22:", "'schedule.bh.compute'", "mean 'rank'?"});
  expect_message(load_error(minimal + "schedule.bv.compute: rank\n"),
                 {"d.yaml:2:22:", "'schedule.bv.compute'", "expects distributed"});
  expect_message(load_error(minimal + "schedule.bh.compute: [rank]\n"),
                 {"d.yaml:2:22:", "'schedule.bh.compute'", "got a list"});
}

TEST(DeckErrors, MissingAndEmpty) {
  expect_message(load_error("threads: 2\n"), {"d.yaml", "'input.file'", "input.file=VALUE"});
  expect_message(error_of([] { load(sample_schema(), {}); }),
                 {"command line: the key", "'input.file'", "is required"});
  expect_message(load_error(minimal + "threads:\n"), {"d.yaml:2:1:", "'threads'", "expects an integer"});
  expect_message(load_error("input: {file: }\n"), {"d.yaml:1:9:", "'input.file'", "expects a path"});
  expect_message(load_error("input: {file: ''}\n"), {"d.yaml:1:15:", "'input.file'", "got \"\""});
}

}  // namespace
}  // namespace tessera::deck
