// SPDX-License-Identifier: BSD-3-Clause
// Decks that include others, and paths that name environment variables.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "deck_test_support.hpp"

namespace tessera::deck {
namespace {

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
    return error_of([&] { read_sources(path(name)); });
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
  EXPECT_EQ(error("missing.yaml"), path("missing.yaml") + ":2:10: 'include': " + path("nothing.yaml") +
                                       ": cannot open the deck: No such file or directory");
  write("folder.yaml", "include: [sub]\n");
  EXPECT_EQ(error("folder.yaml"),
            path("folder.yaml") + ":1:11: 'include': " + path("sub") + ": a directory, not a deck");
  write("broken.yaml", "a: b: c\n");
  write("of_broken.yaml", "include: broken.yaml\n");
  EXPECT_EQ(error("of_broken.yaml"), path("broken.yaml") + ":1:5: not YAML: illegal map value");
  const std::string expected = ": 'include' expects the path of a deck, or a list of them, got ";
  for (const auto& [text, place, got] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"include:\n", "1:1", "nothing"},
           {"include: ''\n", "1:10", "\"\""},
           {"include: {a: b}\n", "1:10", "a block of keys"},
           {"include: [a.yaml, [b]]\n", "1:19", "a list"}}) {
    write("strange.yaml", text);
    EXPECT_EQ(error("strange.yaml"), path("strange.yaml") + ":" + place + expected + got);
    EXPECT_EQ(load_error(text), "d.yaml:" + place + expected + got);
  }
  EXPECT_EQ(load_error(minimal, {"include=a.yaml"}),
            "command line: 'include=a.yaml': only decks include decks: name the file itself, before the keys "
            "that it sets");
  EXPECT_EQ(load_error("input: {include: a.yaml}\n"),
            "d.yaml:1:9: unknown key 'input.include'; the keys here are file, dataset");
}

TEST_F(Includes, AreSoughtInBlocksOfKeysOnly) {
  for (const char* text : {"- a\n- b\n", "word\n", "", "~\n", "3: {include: a}\n"}) {
    write("strange.yaml", text);
    EXPECT_EQ(order("strange.yaml"), Names{"strange.yaml"}) << text;
  }
  write("list.yaml", "- a\n- b\n");
  EXPECT_EQ(error_of([&] { loaded("list.yaml"); }),
            path("list.yaml") + ":1:1: a deck is a block of keys ('key: value' lines), got a list");
}

TEST_F(Includes, EndAtThemselvesAndAtSixtyFour) {
  write("self.yaml", "include: self.yaml\n");
  EXPECT_EQ(error("self.yaml"),
            path("self.yaml") + ":1:10: 'include': '" + path("self.yaml") + "' would include itself");
  write("one.yaml", "include: sub/two.yaml\n");
  write("sub/two.yaml", "include: ../sub/../one.yaml\n");
  EXPECT_EQ(error("one.yaml"), path("sub/two.yaml") + ":1:10: 'include': '" + path("sub/../sub/../one.yaml") +
                                   "' would include itself");
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
  EXPECT_EQ(error("unset.yaml"),
            path("unset.yaml") +
                ":1:10: 'include': the environment variable 'TESSERA_TEST_NOTHING' is not "
                "set: set it, or write its value");
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
  EXPECT_EQ(
      error("a/${HERE}"),
      "d.yaml:1:13: 'input.file': the environment variable 'HERE' is not set: set it, or write its value");
  EXPECT_EQ(error("a/${HERE"), "d.yaml:1:13: 'input.file': '${' without '}'");
  EXPECT_EQ(error("a/${}"), "d.yaml:1:13: 'input.file': '${}' names no environment variable");
  EXPECT_EQ(error("a/${1x}"), "d.yaml:1:13: 'input.file': '${1x}' names no environment variable");
  EXPECT_EQ(
      error("${NEST}"),
      "d.yaml:1:13: 'input.file': the values of its environment variables make up the name of another one");
  EXPECT_EQ(
      error("${DOLLAR}{NONE}"),
      "d.yaml:1:13: 'input.file': the values of its environment variables make up the name of another one");
  EXPECT_EQ(error("${DOLLAR}/x$"), "no error");
  EXPECT_EQ(error("${NONE}"), "d.yaml:1:13: 'input.file' expects a path, got '${NONE}'");
  for (const char* name : {"LINES", "BYTES"})
    EXPECT_EQ(error(std::string("${") + name + "}"),
              std::string("d.yaml:1:13: 'input.file': the value of the environment variable '") + name +
                  "' is not a line of UTF-8 text");
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
