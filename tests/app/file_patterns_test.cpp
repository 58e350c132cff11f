// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/file_patterns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "messages.hpp"
#include "tessera/domain/error.hpp"

namespace tessera::app {
namespace {

TEST(NaturalOrder, ComparesNumbersAsNumbers) {
  const std::vector<std::string> sorted{"",     "01", "1",    "2",     "10",  "a",    "a1",   "a1b",
                                        "a01c", "a2", "a2.5", "a2.10", "a10", "a10a", "a100", "b"};
  for (std::size_t i = 0; i < sorted.size(); ++i)
    for (std::size_t k = 0; k < sorted.size(); ++k)
      EXPECT_EQ(is_before(sorted[i], sorted[k]), i < k) << sorted[i] << " " << sorted[k];
}

TEST(NaturalOrder, IsAnOrder) {
  std::mt19937 random(7);
  const auto name = [&] {
    std::string text;
    for (auto length = random() % 6; length > 0; --length) text += "0129a."[random() % 6];
    return text;
  };
  for (int trial = 0; trial < 20000; ++trial) {
    const std::string a = name(), b = name(), c = name();
    EXPECT_FALSE(is_before(a, a));
    EXPECT_NE(is_before(a, b) || is_before(b, a), a == b) << a << " " << b;
    EXPECT_FALSE(is_before(a, b) && is_before(b, a));
    if (is_before(a, b) && is_before(b, c)) {
      EXPECT_TRUE(is_before(a, c)) << a << " " << b << " " << c;
    }
  }
}

TEST(NaturalOrder, HugeNumbersHaveAPlace) {
  EXPECT_TRUE(is_before("f99999999999999999999999", "f100000000000000000000000"));
  EXPECT_FALSE(is_before("f100000000000000000000000", "f99999999999999999999999"));
}

constexpr std::string_view fields[] = {"row", "col"};

TEST(NamePatterns, ReplaceTheirFields) {
  const auto name = [](const char* text) { return NamePattern(text, fields).name({"4", "a"}); };
  EXPECT_EQ(name("{row}/x{col}{row:3}.tif"), "4/xa004.tif");
  EXPECT_EQ(name("{col:2}"), "0a");
  EXPECT_EQ(name("plain}"), "plain}");
  EXPECT_EQ(NamePattern("{row}_{row:2}", fields).count(0), 2);
  EXPECT_EQ(NamePattern("{row}_{row:2}", fields).count(1), 0);
}

TEST(NamePatterns, FindTheNumbersInNames) {
  const NamePattern pattern("t_r{row:2}_c{col}.tif", fields);
  using Numbers = std::vector<std::int64_t>;
  EXPECT_EQ(pattern.match("t_r03_c4.tif"), (Numbers{3, 4}));
  EXPECT_EQ(pattern.match("t_r123_c4.tif"), (Numbers{123, 4}));
  for (const char* name : {"", "t_r3_c4.tif", "t_r003_c4.tif", "t_r03_c04.tif", "t_r03_c4.tiff",
                           "t_r03_c.tif", "t_r03_cx.tif", "at_r03_c4.tif"})
    EXPECT_EQ(pattern.match(name), std::nullopt) << name;
  EXPECT_EQ(NamePattern("{row:2}{col:2}", fields).match("1203"), (Numbers{12, 3}));
  EXPECT_EQ(NamePattern("{row:2}7{col}", fields).match("1274"), (Numbers{12, 4}));
}

TEST(NamePatterns, AreRefusedWhenTheyAreMalformed) {
  const auto error = [](const char* text) -> std::string {
    try {
      const NamePattern pattern(text, fields);
    } catch (const InputError& found) {
      return found.what();
    }
    return "";
  };
  test::expect_message(error("a{row"), {"'{' in", "no '}'"});
  test::expect_message(error("a{line}"), {"{line}", "{row} or {col}"});
  for (const char* text : {"{row:0}", "{row:}", "{row:x}", "{row:19}"})
    test::expect_message(error(text), {std::string(text), "digits, from 1"});
}

}  // namespace
}  // namespace tessera::app
