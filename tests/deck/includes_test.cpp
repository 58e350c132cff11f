// SPDX-License-Identifier: BSD-3-Clause
// Decks that include others, and paths that name environment variables.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "deck_test_support.hpp"
#include "messages.hpp"

namespace tessera::deck {
namespace {

using test::expect_message;

class Includes : public testing::Test {
 protected:
  Includes()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("tessera-includes-" + std::to_string(std::random_device{}()))) {
    std::filesystem::create_directories(folder_ / "sub");
  }
  ~Includes() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  /// The names of the decks that are read for this one, without the folder.
  std::vector<std::string> order(const std::string& name) const {
    std::vector<std::string> names;
    for (const Source& source : read_sources(path(name)))
      names.push_back(std::filesystem::relative(source.name, folder_).string());
    return names;
  }
  std::string error(const std::string& name) const {
    return test::replaced(error_of([&] { read_sources(path(name)); }), folder_.string(), "FOLDER");
  }
  Deck loaded(const std::string& name) const { return load(sample_schema(), read_sources(path(name))); }

 private:
  std::filesystem::path folder_;
};

using Names = std::vector<std::string>;

TEST_F(Includes, ComeBeforeTheDeckThatIncludesThem) {
  write("base.yaml", minimal + "threads: 2\nsigma: 3\n");
  write("sub/more.yaml", "include: ../base.yaml\nsigma: 4\noverlap: off\n");
  write("run.yaml", "overlap: on\ninclude: sub/more.yaml\n");
  EXPECT_EQ(order("run.yaml"), (Names{"base.yaml", "sub/more.yaml", "run.yaml"}));
  const Deck deck = loaded("run.yaml");
  EXPECT_EQ(deck.get<std::int64_t>("threads"), 2);
  EXPECT_EQ(deck.get<double>("sigma"), 4);
  EXPECT_TRUE(deck.get<bool>("overlap"));
  EXPECT_EQ(deck.location("sigma"), path("sub/more.yaml") + ":2:8");
}

TEST_F(Includes, MayBeSeveralAndTheSameTwice) {
  write("a.yaml", minimal + "threads: 2\nsigma: 3\n");
  write("b.yaml", "include: a.yaml\nsigma: 5\n");
  write("list.yaml", "include: [b.yaml, a.yaml, \"sub/../b.yaml\"]\n");
  EXPECT_EQ(order("list.yaml"), (Names{"a.yaml", "b.yaml", "a.yaml", "a.yaml", "b.yaml", "list.yaml"}));
  EXPECT_EQ(loaded("list.yaml").get<double>("sigma"), 5);
  write("none.yaml", "include: []\n" + minimal);
  EXPECT_EQ(order("none.yaml"), Names{"none.yaml"});
  EXPECT_EQ(loaded("none.yaml").get<std::int64_t>("threads"), 1);
}

TEST_F(Includes, ThatAreWrongAreBlamedOnTheirPlace) {
  write("missing.yaml", minimal + "include: nothing.yaml\n");
  expect_message(error("missing.yaml"), {"FOLDER/missing.yaml:2:10:", "'include'", "cannot open"});
  write("folder.yaml", "include: [sub]\n");
  expect_message(error("folder.yaml"), {"FOLDER/folder.yaml:1:11:", "'include'", "FOLDER/sub"});
  write("broken.yaml", "a: b: c\n");
  write("of_broken.yaml", "include: broken.yaml\n");
  expect_message(error("of_broken.yaml"), {"FOLDER/broken.yaml:1:5:", "illegal map", "value"});
  for (const auto& [text, place, got] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"include:\n", "1:1", "nothing"},
           {"include: ''\n", "1:10", "\"\""},
           {"include: {a: b}\n", "1:10", "a block of keys"},
           {"include: [a.yaml, [b]]\n", "1:19", "a list"}}) {
    write("strange.yaml", text);
    expect_message(error("strange.yaml"),
                   {"FOLDER/strange.yaml:" + place + ":", "'include' expects", "got " + got});
    expect_message(load_error(text), {"d.yaml:" + place + ":", "'include' expects", "got " + got});
  }
  expect_message(load_error(minimal, {"include=a.yaml"}),
                 {"'include=a.yaml'", "decks include decks", "file itself"});
  expect_message(load_error("input: {include: a.yaml}\n"), {"d.yaml:1:9:", "'input.include'", "keys here"});
}

TEST_F(Includes, AreSoughtInBlocksOfKeysOnly) {
  for (const char* text : {"- a\n- b\n", "word\n", "", "~\n", "3: {include: a}\n"}) {
    write("strange.yaml", text);
    EXPECT_EQ(order("strange.yaml"), Names{"strange.yaml"}) << text;
  }
  write("list.yaml", "- a\n- b\n");
  expect_message(test::replaced(error_of([&] { loaded("list.yaml"); }), path(""), ""),
                 {"list.yaml:1:1:", "block of keys", "'key: value'"});
}

TEST_F(Includes, EndAtThemselvesAndAtSixtyFour) {
  write("self.yaml", "include: self.yaml\n");
  expect_message(error("self.yaml"), {"FOLDER/self.yaml:1:10:", "'include'", "'FOLDER/self.yaml' would"});
  write("one.yaml", "include: sub/two.yaml\n");
  write("sub/two.yaml", "include: ../sub/../one.yaml\n");
  expect_message(error("one.yaml"), {"FOLDER/sub/two.yaml:1:10:", "'include'", "include itself"});
  // Each includes the next one twice: 2^20 in all, if nothing ended it.
  for (int i = 0; i < 20; ++i) write(fmt::format("n{}", i), fmt::format("include: [n{0}, n{0}]\n", i + 1));
  write("n20", minimal);
  EXPECT_NE(error("n0").find("'include': more than 64 decks"), std::string::npos) << error("n0");
}

TEST_F(Includes, NameEnvironmentVariables) {
  setenv("TESSERA_TEST_FOLDER", path("sub").c_str(), 1);
  unsetenv("TESSERA_TEST_NOTHING");
  write("sub/base.yaml", minimal);
  write("run.yaml", "include: ${TESSERA_TEST_FOLDER}/base.yaml\n");
  EXPECT_EQ(read_sources(path("run.yaml")).size(), 2u);
  write("unset.yaml", "include: ${TESSERA_TEST_NOTHING}/base.yaml\n");
  expect_message(error("unset.yaml"),
                 {"FOLDER/unset.yaml:1:10:", "'include'", "variable 'TESSERA_TEST_NOTHING'"});
}

TEST(DeckEnvironment, StandsInPaths) {
  const Environment environment = {{"DATA", "/data"}, {"N_2", "7"}, {"NONE", ""}};
  const auto file = [&](const std::string& text) {
    return load(sample_schema(), {{"d.yaml", "input.file: " + text + "\n"}}, {}, environment)
        .get<std::string>("input.file");
  };
  EXPECT_EQ(file("${DATA}/sky.h5"), "/data/sky.h5");
  EXPECT_EQ(file("'a${N_2}${N_2}${NONE}b'"), "a77b");
  EXPECT_EQ(file("$DATA/$5}"), "$DATA/$5}");
  const Deck deck = load(sample_schema(), {}, {"input.file=${DATA}/x", "input.dataset=${DATA}"}, environment);
  EXPECT_EQ(deck.get<std::string>("input.file"), "/data/x");
  EXPECT_EQ(deck.get<std::string>("input.dataset"), "${DATA}") << "not a path";
}

TEST(DeckEnvironment, IsCheckedWhereItIsUsed) {
  const auto error = [](const std::string& text) {
    return error_of([&] {
      load(sample_schema(), {{"d.yaml", "input.file: " + text + "\n"}}, {},
           {{"NEST", "a${DATA}"}, {"NONE", ""}, {"LINES", "a\nb"}, {"BYTES", "a\xff"}, {"DOLLAR", "$"}});
    });
  };
  expect_message(error("a/${HERE}"), {"d.yaml:1:13:", "'input.file'", "variable 'HERE'"});
  expect_message(error("a/${HERE"), {"d.yaml:1:13:", "'input.file'", "'${' without '}'"});
  expect_message(error("a/${}"), {"d.yaml:1:13:", "'input.file'", "'${}' names"});
  expect_message(error("a/${1x}"), {"d.yaml:1:13:", "'input.file'", "'${1x}' names"});
  expect_message(error("${NEST}"), {"d.yaml:1:13:", "'input.file'", "variables make"});
  expect_message(error("${DOLLAR}{NONE}"), {"d.yaml:1:13:", "'input.file'", "variables make"});
  EXPECT_EQ(error("${DOLLAR}/x$"), "no error");
  expect_message(error("${NONE}"), {"d.yaml:1:13:", "'input.file'", "got '${NONE}'"});
  for (const char* name : {"LINES", "BYTES"})
    expect_message(error(std::string("${") + name + "}"),
                   {"d.yaml:1:13:", "'" + std::string(name) + "'", "UTF-8 text"});
}

TEST(DeckEnvironment, IsTakenAsFarAsItIsNamed) {
  setenv("TESSERA_TEST_A", "1", 1);
  setenv("TESSERA_TEST_B", "2", 1);
  unsetenv("TESSERA_TEST_NOTHING");
  EXPECT_EQ(environment_of("x ${TESSERA_TEST_A} ${TESSERA_TEST_NOTHING} ${ TESSERA_TEST_B TESSERA_TEST_B}${"),
            (Environment{{"TESSERA_TEST_A", "1"}}));
  EXPECT_EQ(environment_of("${TESSERA_TEST_B}${TESSERA_TEST_A}"),
            (Environment{{"TESSERA_TEST_A", "1"}, {"TESSERA_TEST_B", "2"}}));
}

}  // namespace
}  // namespace tessera::deck
