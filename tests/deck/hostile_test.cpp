// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>

#include "deck_test_support.hpp"
#include "messages.hpp"
#include "tessera/deck/deck.hpp"

namespace tessera::deck {
namespace {

using test::expect_message;

std::string repeated(std::string_view unit, std::size_t size) {
  std::string text;
  while (text.size() + unit.size() <= size) text += unit;
  return text;
}

TEST(HostileDecks, AnchorsAliasesAndTags) {
  expect_message(load_error("a: &x [1]\nb: [*x, *x]\n"), {"d.yaml:1:4:", "anchors or aliases", "'&'"});
  expect_message(load_error("schedule:\n  *: {compute: rank}\n"),
                 {"d.yaml:2:3:", "anchors or aliases", "'&'"});
  expect_message(load_error("schedule:\n  *h : {compute: rank}\n"),
                 {"d.yaml:2:3:", "anchors or aliases", "'&'"});
  expect_message(load_error("threads: !!int 3\n"), {"d.yaml:1:10:", "put a word", "'!'"});
}

TEST(HostileDecks, BytesThatAreNoText) {
  using namespace std::string_literals;
  expect_message(load_error("threads: 1\nsize: \0 3\n"s), {"d.yaml:2:7:", "byte 0x00", "UTF-8 text"});
  expect_message(load_error("input: {file: \xff}\n"), {"d.yaml:1:15:", "byte 0xff", "UTF-8 text"});
  expect_message(load_error("a: \xc0\xaf\n"), {"d.yaml:1:4:", "byte 0xc0", "UTF-8 text"});
  expect_message(load_error("a: \xed\xa0\x80\n"), {"d.yaml:1:4:", "byte 0xed", "UTF-8 text"});
  expect_message(load_error("a: \xe2\x82"), {"d.yaml:1:4:", "byte 0xe2", "UTF-8 text"});
  expect_message(load_error("input: {file: \"a\\0b\"}\n"), {"d.yaml:1:15:", "control character", "value"});
  EXPECT_EQ(load_sample("\xef\xbb\xbfinput: {file: \xc3\xa4.png}\r\n").get<std::string>("input.file"),
            "\xc3\xa4.png");
}

TEST(HostileDecks, MessagesAreShortAndOnOneLine) {
  expect_message(load_error(minimal + "threads: " + std::string(5000, 'x') + "\n"),
                 {"d.yaml:2:10:", "'threads'", "got 'xxx"});
  expect_message(load_error(minimal + "threads: \"a\\nb\"\n"),
                 {"d.yaml:2:10:", "'threads'", "got \"a\\nb\""});
  expect_message(load_error(minimal + "threads: " + repeated("\xc3\xa4", 201) + "\n"),
                 {"d.yaml:2:10:", "'threads'", "got '\xc3\xa4"});
}

TEST(HostileDecks, DeepNesting) {
  expect_message(load_error("a: " + std::string(40, '[') + std::string(40, ']')),
                 {"d.yaml:1:35:", "nested deeper", "32 levels"});
  for (const char* unit : {"[", "{a: ", "- ", "? ", "[a, ", "{[", "!a [", "a:\n "})
    EXPECT_NE(load_error(repeated(unit, 100000)), "no error") << unit;
}

TEST(HostileDecks, SizeLimit) {
  expect_message(load_error(minimal + "#" + std::string(1 << 20, ' ')), {"d.yaml", "1 MiB", "may have"});
  EXPECT_EQ(load_error(minimal + "#" + std::string((1 << 20) - 1 - minimal.size(), ' ')), "no error");
}

/// One random change of a few bytes, biased towards what means something in YAML.
void mutate(std::string& text, std::mt19937& random) {
  static constexpr std::string_view pieces[] = {
      "[", "]",  "{",  "}",    ":",     ": ", "- ",   "\n", "  ",
      "'", "\"", "*",  "&a",   "*a",    "!",  "|",    ">",  "#",
      "?", "%",  ",",  "~",    "---\n", "\t", "auto", "-1", "99999999999999999999",
      ".", "\\", "\r", "\xff", "<<"};
  const std::size_t at = random() % (text.size() + 1),
                    length = std::min<std::size_t>(random() % 6, text.size() - at);
  switch (random() % 4) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, pieces[random() % std::size(pieces)]);
      break;
    case 2:
      text.insert(at, text.substr(random() % (text.size() + 1), random() % 20));
      break;
    default:
      text.insert(at, 1, static_cast<char>(random() % 256));
  }
}

TEST(HostileDecks, RandomMutationsFailCleanlyOrLoad) {
  const std::string valid =
      "input:\n  file: a.png  # comment\n  dataset: \"x\\ny\"\nthreads: 4\nsigma: 1.5e-3\noverlap: off\n"
      "grid: [2, auto]\nschedule:\n  'b*': {compute: rank, tile: auto}\n  bh:\n"
      "    tile: {host: [4096, 32], device: [64, 8]}\n    grid:\n      - 1\n      - auto\n  b[a-h]:\n    "
      "tile: [8, 8]\n";
  std::mt19937 random(20240229);
  int loaded = 0;
  for (int i = 0; i < 10000; ++i) {
    std::string text = valid;
    for (unsigned n = random() % 4 + 1; n > 0; --n) mutate(text, random);
    const std::string error = error_of([&] {
      const Deck deck = load_sample(text);
      EXPECT_EQ(load_sample(print(deck)), deck) << text;
      ++loaded;
    });
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
  EXPECT_GT(loaded, 300);
}

TEST(HostileDecks, RandomOverridesFailCleanlyOrLoad) {
  std::mt19937 random(7);
  for (int i = 0; i < 5000; ++i) {
    std::string argument = "schedule.b[a-h].tile={host: [8, 8]}";
    for (unsigned n = random() % 4 + 1; n > 0; --n) mutate(argument, random);
    const std::string error = load_error(minimal, {argument});
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace tessera::deck
