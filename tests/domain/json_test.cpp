// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "domain/random.hpp"
#include "json_support.hpp"

namespace {

using namespace tessera;

Json sample() {
  Json json;
  json["z"] = Json::List{1, -2.5, true, Json(), "text", Json::List(), Json::Object()};
  json["a"] = Json::Object{{"y", 1}, {"x", 2}};
  return json;
}

TEST(Json, TextsKeepTheOrder) {
  Json json = sample();
  EXPECT_EQ(to_text(json), R"({"z":[1,-2.5,true,null,"text",[],{}],"a":{"y":1,"x":2}})");
  json["z"] = false;
  json["m"];
  EXPECT_EQ(to_text(json), R"({"z":false,"a":{"y":1,"x":2},"m":null})");
  EXPECT_EQ(to_text(Json::Object{{"b", Json::List{1, 2}}, {"a", Json::List()}}, 2),
            "{\n  \"b\": [\n    1,\n    2\n  ],\n  \"a\": []\n}");
}

TEST(Json, ParsedObjectsAreSorted) {
  const std::string text = R"({"a":{"x":2,"y":1},"z":[1,-2.5,true,null,"text",[],{}]})";
  EXPECT_EQ(to_text(sorted(sample())), text);
  EXPECT_EQ(to_text(parse_json(to_text(sample(), 3))), text);
  EXPECT_EQ(parse_json(to_text(sample())), sorted(sample()));
  EXPECT_NE(parse_json(to_text(sample())), sample());
  EXPECT_EQ(to_text(parse_json(R"({"b":1,"a":2,"b":[3],"":4,"b":{"c":5}})")), R"({"":4,"a":2,"b":{"c":5}})");
}

/// A value whose lists and objects have few elements.
Json random_json(test::Random& random, int levels) {
  const int kind = random.small(0, levels > 0 ? 7 : 5);
  if (kind == 0) return {};
  if (kind == 1) return random.small(0, 1) == 1;
  if (kind == 2) return random.small(-1000000, 1000000);
  if (kind == 3) return std::numeric_limits<std::uint64_t>::max() - random.bits() % 1000;
  if (kind == 4) return std::ldexp(random.small(-1000000, 1000000) / 3.0, random.small(-900, 900));
  if (kind == 5) return std::string(static_cast<std::size_t>(random.small(0, 3)), '\x1f') + "\u00e9\"\\/";
  Json::List list;
  Json::Object object;
  for (int i = random.small(0, 4); i > 0; --i) list.push_back(random_json(random, levels - 1));
  for (const Json& element : list) object.emplace_back(std::to_string(to_text(element).size() % 5), element);
  return kind == 6 ? Json(list) : Json(object);
}

TEST(Json, RandomDocumentsComeBack) {
  test::Random random(17);
  for (int i = 0; i < 2000; ++i) {
    const Json json = sorted(random_json(random, 4));
    EXPECT_EQ(parse_json(to_text(json)), json);
    EXPECT_EQ(parse_json(to_text(json, 1)), json);
  }
}

template <class T>
void expect_number(T number, const std::string& text) {
  EXPECT_EQ(to_text(number), text);
  const Json read = parse_json(text);
  ASSERT_NE(read.get_if<T>(), nullptr) << text;
  EXPECT_EQ(read.get<T>(), number);
}

TEST(Json, Numbers) {
  expect_number(std::numeric_limits<std::int64_t>::min(), "-9223372036854775808");
  expect_number(std::numeric_limits<std::int64_t>::max(), "9223372036854775807");
  expect_number(std::uint64_t(1) << 63, "9223372036854775808");
  expect_number(std::numeric_limits<std::uint64_t>::max(), "18446744073709551615");
  expect_number(std::int64_t(0), "0");
  EXPECT_EQ(Json(std::uint64_t(7)), Json(7));
  // As few digits as tell them apart.
  expect_number(0.0, "0.0");
  expect_number(1.0, "1.0");
  expect_number(0.1, "0.1");
  expect_number(1.0 / 3, "0.3333333333333333");
  expect_number(1e22, "1e+22");
  expect_number(std::numeric_limits<double>::denorm_min(), "5e-324");
  expect_number(std::numeric_limits<double>::max(), "1.7976931348623157e+308");
  EXPECT_TRUE(std::signbit(parse_json(to_text(-0.0)).get<double>()));
  EXPECT_NE(Json(1), Json(1.0));
  EXPECT_EQ(to_text(Json::List{std::nan(""), std::numeric_limits<double>::infinity()}), "[null,null]");
}

TEST(Json, TextsOfEveryAlphabet) {
  const std::string text = "\u00e9 \u20ac \U0001f600 \" \\ \n\t\x01";
  EXPECT_EQ(to_text(text), "\"\u00e9 \u20ac \U0001f600 \\\" \\\\ \\n\\t\\u0001\"");
  EXPECT_EQ(parse_json(to_text(text)), text);
  EXPECT_EQ(parse_json(R"("\u00e9 \u20ac \ud83d\ude00 \" \\ \n\t\u0001")"), text);
  EXPECT_EQ(to_text(std::string("a\xff") + "b\xc3"), "\"a\ufffdb\ufffd\"");
  EXPECT_EQ(to_text(Json::Object{{"\xff", 1}}), "{\"\ufffd\":1}");
}

TEST(Json, MembersOfWhatHasNone) {
  Json json = sample();
  EXPECT_EQ(*json.find("a")->find("x"), 2);
  EXPECT_EQ(json.find("b"), nullptr);
  EXPECT_EQ(json.find("z")->find("a"), nullptr);
  EXPECT_EQ(Json().find("a"), nullptr);
  EXPECT_THROW(json["z"]["a"], std::bad_variant_access);
  EXPECT_THROW(json["z"].get<bool>(), std::bad_variant_access);
}

JsonError error_of(const std::string& text) {
  try {
    parse_json(text);
  } catch (const JsonError& error) {
    return error;
  }
  ADD_FAILURE() << "no error in " << text.substr(0, 100);
  return {"none", 0};
}

TEST(Json, TextsThatAreNoJson) {
  const JsonError error = error_of("{\"a\": 1,\n \"b\": tru}");
  EXPECT_EQ(error.byte, 19U);
  EXPECT_NE(std::string(error.what()).find("parse error at line 2, column 10"), std::string::npos)
      << error.what();
  EXPECT_EQ(error_of("[\n1e999, 2]").byte, 7U);
  for (const char* text : {"", " ", "{", "[1,]", "{\"a\"}", "{a:1}", "'a'", "[1] 2", "01", "1e999", "nan",
                           "\"\xff\"", "\"\\ud800\"", "\"a\nb\"", "/**/1"})
    EXPECT_EQ(std::string(error_of(text).what()).find("nested"), std::string::npos) << text;
}

std::string repeated(const std::string& word, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += word;
  return text;
}

TEST(Json, DeepNesting) {
  const auto lists = [](std::size_t levels) { return repeated("[", levels) + repeated("]", levels); };
  const auto objects = [](std::size_t levels) {
    return repeated("{\"a\":", levels - 1) + "{}" + repeated("}", levels - 1);
  };
  for (const std::string& text : {lists(most_json_levels), objects(most_json_levels)}) {
    const Json json = parse_json(text);
    EXPECT_EQ(to_text(json), text);
    EXPECT_EQ(sorted(json), json);
  }
  for (const std::string& text :
       {lists(most_json_levels + 1), objects(most_json_levels + 1), lists(1 << 20), repeated("[", 1 << 20)})
    EXPECT_STREQ(error_of(text).what(), "nested too deeply");
}

}  // namespace
