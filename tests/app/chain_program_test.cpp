// SPDX-License-Identifier: BSD-3-Clause
// tessera-chain as users start it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>

#include "chain_runs.hpp"

namespace tessera::app_test {
namespace {

/// The decks that come with the program, and the names of their results.
const std::vector<std::pair<std::string, std::string>> decks = {
    {TESSERA_DECKS "/chain/edges.yaml", "bright"},
    {TESSERA_DECKS "/chain/stars.yaml", "edges"},
    {TESSERA_DECKS "/chain/vignetting.yaml", "corrected"}};

// The ways take turns, so that each is tried on every number of ranks.
TEST_F(ChainTest, SameBitsOnAllRanksBySchedulesAndInBands) {
  const std::vector<Words> ways = {{},
                                   {"schedule.*.compute=distributed"},
                                   {"schedule.*.compute=tile", "schedule.*.tile=[16, 8]"},
                                   {"schedule.*.compute=rank", "grid=[auto, auto]"},
                                   {"bands=3"}};
  std::size_t turn = 0;
  for (const auto& [deck, dataset] : decks)
    for (const char* image : {"image.h5", "colour.h5"}) {
      const std::string input = std::string("input.file=") + image;
      const StoredResult expected = result(1, {deck, input}, dataset);
      for (const int ranks : {1, 2, 3, 4})
        for (int k = 0; k < 2; ++k) {
          Words words = ways[turn++ % ways.size()];
          words.insert(words.begin(), {deck, input});
          EXPECT_TRUE(result(ranks, words, dataset) == expected) << deck << ranks << words.back();
        }
    }
}

TEST_F(ChainTest, CannysEdgesHaveTheSameBitsOnAllRanks) {
  const std::string deck = TESSERA_DECKS "/chain/canny.yaml";
  for (const char* image : {"image.h5", "colour.h5"}) {
    const std::string input = std::string("input.file=") + image;
    const StoredResult expected = result(1, {deck, input}, "marked");
    EXPECT_EQ(result(3, {deck, input, "grid=[auto, auto]"}, "marked"), expected);
    EXPECT_EQ(result(2, {deck, input, "loops.edges.turns_per_exchange=5"}, "marked"), expected);
    EXPECT_EQ(result(4, {deck, input, "loops.edges.test=overlaps", "schedule.thin.compute=rank"}, "marked"),
              expected);
  }
}

TEST_F(ChainTest, WhatImageProgramsHave) {
  EXPECT_EQ(output({"c.yaml", "input.file=image.h5", "output.file=o.h5", "--check"}).find("error"),
            std::string::npos);
  EXPECT_NE(output({"c.yaml", "input.file=image.h5", "output.file=o.h5", "--explain"}).find("half"),
            std::string::npos);
  EXPECT_NE(
      output({"c.yaml", "input.file=image.h5", "output.file=o.h5", "--explain", "--dot"}).find("digraph"),
      std::string::npos);
  EXPECT_NE(output({"--help"}).find("--write-cpp FILE"), std::string::npos);
  output({"c.yaml", "input.file=image.h5", "output.file=o.h5", "--report", "r.json"});
  EXPECT_NE(folder_.read("r.json").find("\"half\""), std::string::npos);
}

TEST_F(ChainTest, HelpIsPrintedEvenIfTheDeckHasAnError) {
  folder_.write("bad.yaml", "steps: {a: {invrt: input}}\n");
  EXPECT_NE(output({"bad.yaml", "--help"}).find("\n  steps"), std::string::npos);
}

TEST_F(ChainTest, NoDeckIsOverwritten) {
  expect_refused({"c.yaml", "--write-cpp", "./c.yaml"},
                 {"--write-cpp names './c.yaml'", "a deck of this run"});
  EXPECT_EQ(folder_.read("c.yaml"), two_steps);
}

TEST_F(ChainTest, ImagesOfOtherTypesAreConverted) {
  write_sample(folder_, "short.h5", {"int16", 33, 20});
  const Words words{"c.yaml", "input.file=short.h5", "output.file=o.h5", "--explain"};
  const std::vector<std::string> lines = lines_with(output(words), "input_float32");
  ASSERT_FALSE(lines.empty());
  for (const std::string& line : lines) EXPECT_EQ(line.find("distributed"), std::string::npos) << line;
  EXPECT_EQ(result(2, {"c.yaml", "input.file=short.h5", "schedule.input_float32.compute=tile"}, "bright"),
            result(1, {"c.yaml", "input.file=short.h5"}, "bright"));
}

TEST_F(ChainTest, LoopsAndStagesOfChainsThatNeedFourChannelsAreKnown) {
  write_sample(folder_, "rgba.h5", {"uint8", 33, 20, 4});
  folder_.write("rgba.yaml",
                "steps: {alpha: {channel: input, index: 3}, most: {greatest: u}}\n"
                "repeat: {u: {begin: alpha, turns: 2, steps: {v: {invert: u}}}}\n"
                "output: {step: u, stages: [alpha]}\n"
                "input: {file: rgba.h5}\n");
  const StoredResult expected = result(1, {"rgba.yaml"}, "alpha");
  EXPECT_EQ(result(2, {"rgba.yaml", "loops.u.turns_per_exchange=2"}, "u"), expected);
  EXPECT_EQ(lines_with(output({"rgba.yaml", "output.file=o.h5"}), "most 255").size(), 1U);
}

TEST_F(ChainTest, ThePrintedDeckRunsAgain) {
  const std::string printed =
      output({"c.yaml", "input.file=image.h5", "steps.half.value=0.25", "--print-deck"});
  EXPECT_NE(printed.find("steps:\n  half: {multiply: input, value: 0.25}\n  bright: {expression: "),
            std::string::npos)
      << printed;
  folder_.write("printed.yaml", printed);
  EXPECT_EQ(result(1, {"printed.yaml"}, "bright"),
            result(1, {"c.yaml", "input.file=image.h5", "steps.half.value=0.25"}, "bright"));
}

TEST_F(ChainTest, DecksAndTheCommandLineChangeSteps) {
  const StoredResult expected =
      result(1, {"c.yaml", "input.file=image.h5", "steps.half.value=0.25"}, "bright");
  EXPECT_FALSE(result(1, {"c.yaml", "input.file=image.h5"}, "bright") == expected);
  folder_.write("other.yaml", "include: c.yaml\nsteps: {half: {value: 0.25}}\n");
  EXPECT_EQ(result(1, {"other.yaml", "input.file=image.h5"}, "bright"), expected);
  // Another step is written, and those that it does not need are not computed.
  EXPECT_EQ(result(2, {"c.yaml", "input.file=image.h5", "output.step=half"}, "half").type, "uint8");
  const std::string line = "not computed, as nothing that is written needs them: bright\n";
  const Words words{"c.yaml", "input.file=image.h5", "output.file=o.h5", "output.step=half"};
  EXPECT_NE(output(words).find("\n" + line), std::string::npos);
}

TEST_F(ChainTest, ASeries) {
  std::filesystem::create_directory(folder_ / "frames");
  for (const char* name : {"a", "b"})
    std::filesystem::copy_file(folder_ / "image.h5", folder_ / (std::string("frames/") + name + ".h5"));
  const ParallelEnding ending =
      run(2, {"c.yaml", "input.files=[frames/a.h5, frames/b.h5]", "output.files=out/{name}.h5"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  const StoredResult expected = result(1, {"c.yaml", "input.file=image.h5"}, "bright");
  EXPECT_EQ(read_result(folder_ / "out/a.h5", "bright"), expected);
  EXPECT_EQ(read_result(folder_ / "out/b.h5", "bright"), expected);
}

TEST_F(ChainTest, FurtherImagesOfASeries) {
  write_sample(folder_, "a.h5", {"uint8", 133, 97});
  write_sample(folder_, "b.h5", {"uint8", 133, 97, 0, 200});
  write_sample(folder_, "dark.h5", {"uint8", 133, 97, 0, 90});
  folder_.write("flat.yaml", "inputs: {dark: {}}\nsteps:\n  clean: {expression: 'abs(2 * input - dark)'}\n");
  const Words deck{"flat.yaml", "input.files=[a.h5, b.h5]", "output.files=out/{name}.h5"};
  const auto run_series = [&](int ranks, const Words& more) {
    Words words = deck;
    words.insert(words.end(), more.begin(), more.end());
    const ParallelEnding ending = run(ranks, words);
    EXPECT_EQ(ending.status, 0) << ending.text();
    return read_result(folder_ / "out/b.h5", "clean");
  };
  std::filesystem::copy(folder_ / "dark.h5", folder_ / "dark0.h5");
  write_sample(folder_, "dark1.h5", {"uint8", 133, 97, 0, 40});
  const StoredResult expected =
      result(1, {"flat.yaml", "input.file=b.h5", "inputs.dark.file=dark.h5"}, "clean");
  const StoredResult expected_of_own =
      result(1, {"flat.yaml", "input.file=b.h5", "inputs.dark.file=dark1.h5"}, "clean");
  for (const int ranks : {1, 2})
    for (const char* across : {"items.across=rank", "items.across=ranks"}) {
      EXPECT_EQ(run_series(ranks, {"inputs.dark.file=dark.h5", across}), expected) << across;
      EXPECT_EQ(run_series(ranks, {"inputs.dark.files=dark[01].h5", across}), expected_of_own) << across;
    }
  const auto refused = [&](const Words& more, const Words& told) {
    Words words = deck;
    words.insert(words.end(), more.begin(), more.end());
    expect_refused(words, told);
  };
  refused({}, {"'inputs.dark.file'"});
  refused({"inputs.dark.file=dark.h5", "inputs.dark.files=dark[01].h5"},
          {"'inputs.dark.file':", "give one of them"});
  refused({"inputs.dark.files=dark.h5"}, {"'inputs.dark.files':", "give the same number of files"});
  for (const char* across : {"items.across=rank", "items.across=ranks"})
    refused({"inputs.dark.file=colour.h5", across}, {"'inputs.dark.file':", "give one of the same extents"});
  expect_refused({"flat.yaml", "input.file=a.h5", "inputs.dark.files=dark[01].h5", "output.file=o.h5"},
                 {"inputs.dark"});
}

TEST_F(ChainTest, ALoopInRoundsAndRestarted) {
  folder_.write("loop.yaml",
                "repeat: {u: {type: float32, turns: 9, steps: {v: {expression: 'u / 2 + 1'}}}}\n"
                "input: {file: image.h5}\n");
  const StoredResult expected = result(1, {"loop.yaml"}, "u");
  EXPECT_EQ(result(3, {"loop.yaml", "loops.u.turns_per_exchange=2"}, "u"), expected);
  std::filesystem::create_directory(folder_ / "ck");
  const ParallelEnding first =
      run(2, {"loop.yaml", "output.file=first.h5", "checkpoint.directory=ck", "checkpoint.every=4"});
  EXPECT_EQ(first.status, 0) << first.text();
  EXPECT_EQ(lines_with(first.output, "after 4 turns").size(), 1U) << first.text();
  // The first of the two checkpoints, after which there are turns left.
  EXPECT_EQ(result(3, {"loop.yaml", "restart=ck/tessera-chain-00000001.h5"}, "u"), expected);
}

TEST_F(ChainTest, TheOperatorsAreListedAndExplained) {
  const std::string list = output({"--operators"});
  EXPECT_NE(list.find("\n  invert "), std::string::npos) << list;
  EXPECT_NE(list.find("\n  expression "), std::string::npos) << list;
  EXPECT_NE(list.find("  Erodes and then dilates, which removes bright details smaller than the window.\n"),
            std::string::npos)
      << list;
  EXPECT_NE(list.find("  One channel of an image, as an image of (x, y).\n"), std::string::npos) << list;
  EXPECT_EQ(list.find("<name>"), std::string::npos) << list;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 110U) << line;
  EXPECT_NE(output({"--operators", "multiply"}).find("Example:\n"), std::string::npos);
  EXPECT_NE(output({"--operators", "expression"}).find("clamp(a, low, high)"), std::string::npos);
  expect_refused({"--operators", "mutliply"}, {"no operator 'mutliply'", "'multiply'?"});
}

TEST_F(ChainTest, MistakesAreToldInOneLine) {
  const Words files{"input.file=image.h5", "output.file=o.h5"};
  const auto refused = [&](const std::string& deck, const Words& told) {
    folder_.write("bad.yaml", deck);
    Words words{"bad.yaml"};
    words.insert(words.end(), files.begin(), files.end());
    expect_refused(words, told);
  };
  refused("stepz: {a: {invert: input}}\n", {"bad.yaml:1:1:", "unknown key 'stepz'", "'steps'?"});
  refused("memory: 1G\n", {"bad.yaml:", "the key 'steps'", "is required"});
  refused("steps:\n  a: {invrt: input}\n", {"bad.yaml:2:7: step 'a':", "no operator 'invrt'"});
  refused("steps: {a: {invert: input}}\nschedule: {b: {compute: tile}}\n",
          {"bad.yaml:2:12:", "no stage matches 'b'"});
  expect_refused({"c.yaml", "input.file=image.h5", "output.file=o.h5", "steps.half.value=two"},
                 {"step 'half':", "'value' is two", "a number"});
}

/// The page of the tutorial.
std::string tutorial() {
  std::ostringstream page;
  page << std::ifstream(TESSERA_CHAIN_TUTORIAL).rdbuf();
  return page.str();
}

/// The decks on the page of the tutorial.
std::vector<std::string> tutorial_decks() {
  const std::string text = tutorial(), begin = "```yaml\n", end = "```";
  std::vector<std::string> found;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1))
    found.push_back(text.substr(at + begin.size(), text.find(end, at + begin.size()) - at - begin.size()));
  return found;
}

TEST_F(ChainTest, TheDecksOfTheTutorialRun) {
  std::filesystem::copy_file(folder_ / "image.h5", folder_ / "dark.h5");
  const std::vector<std::string> found = tutorial_decks();
  ASSERT_EQ(found.size(), 6U);
  for (const std::string& deck : found) {
    folder_.write("tutorial.yaml", deck);
    const ParallelEnding ending = run(2, {"tutorial.yaml", "input.file=image.h5", "output.file=o.h5"});
    EXPECT_EQ(ending.status, 0) << deck << ending.text();
  }
}

/// The words of a command after the name of the program. Words may be in quotes.
Words words_of(const std::string& command) {
  Words words;
  std::istringstream rest(
      command.substr(command.find("tessera-chain") + std::string("tessera-chain").size()));
  for (std::string word; rest >> std::quoted(word, '\'');) words.push_back(word);
  return words;
}

TEST_F(ChainTest, TheCommandsOfTheTutorialRun) {
  folder_.write("edges.yaml", tutorial_decks().front());
  const std::vector<std::string> commands = lines_with(tutorial(), "bin/tessera-chain edges.yaml");
  EXPECT_EQ(commands.size(), 5U);
  for (const std::string& command : commands) {
    Words words = words_of(command);
    std::ranges::replace(words, std::string("input.file=image.png"), std::string("input.file=image.h5"));
    const ParallelEnding ending = run(2, words);
    EXPECT_EQ(ending.status, 0) << command << ending.text();
  }
}

TEST_F(ChainTest, WrittenProgramsGiveTheSameBits) {
  // The program was written from the deck, and compiled, when the tests were built.
  const StoredResult expected =
      result(1, {std::string(TESSERA_DECKS) + "/chain/edges.yaml", "input.file=colour.h5"}, "bright");
  for (const int ranks : {1, 2}) {
    const ParallelEnding ending = run_on_ranks(TESSERA_WRITTEN_CHAIN, ranks, folder_,
                                               {"input.file=colour.h5", "output.file=w.h5", "threads=1"});
    EXPECT_EQ(ending.status, 0) << ending.text();
    EXPECT_EQ(read_result(folder_ / "w.h5", "bright"), expected);
  }
}

}  // namespace
}  // namespace tessera::app_test
