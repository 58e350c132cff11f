// SPDX-License-Identifier: BSD-3-Clause
// tessera-chain as users start it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>

#include "sample_images.hpp"

namespace tessera::app_test {
namespace {

using Words = std::vector<std::string>;

constexpr const char* two_steps =
    "steps:\n"
    "  half: {multiply: input, value: 0.5}\n"
    "  bright: {expression: 'clamp(2 * half - 3, 0, 200)', type: uint8}\n";

class ChainTest : public testing::Test {
 protected:
  ChainTest() {
    write_sample(folder_, "image.h5", {"uint8", 133, 97});
    write_sample(folder_, "colour.h5", {"uint8", 61, 40, 3});
    folder_.write("c.yaml", two_steps);
  }

  ParallelEnding run(int ranks, Words words) const {
    words.emplace_back("threads=1");
    return run_on_ranks(program_of("chain"), ranks, folder_, words);
  }
  StoredResult result(int ranks, Words words, const std::string& dataset) const {
    words.insert(words.end(), {"output.file=o.h5"});
    const ParallelEnding ending = run(ranks, words);
    EXPECT_EQ(ending.status, 0) << ending.text();
    StoredResult stored = read_result(folder_ / "o.h5", dataset);
    std::filesystem::remove(folder_ / "o.h5");
    EXPECT_FALSE(stored.bytes.empty());
    return stored;
  }
  void expect_refused(const Words& words, const std::string& line) const {
    for (const int ranks : {1, 3}) {
      const ParallelEnding ending = run(ranks, words);
      EXPECT_EQ(ending.errors, "tessera-chain: error: " + line + "\n") << ending.text();
      EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 2));
    }
  }
  std::string output(const Words& words) const {
    const ParallelEnding ending = run(1, words);
    EXPECT_EQ(ending.status, 0) << ending.text();
    return ending.output;
  }

  Folder folder_;
};

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
  EXPECT_NE(output({"c.yaml", "--help"}).find("half, bright"), std::string::npos);
  EXPECT_NE(output({"--help"}).find("--write-cpp FILE"), std::string::npos);
  output({"c.yaml", "input.file=image.h5", "output.file=o.h5", "--report", "r.json"});
  EXPECT_NE(folder_.read("r.json").find("\"half\""), std::string::npos);
}

TEST_F(ChainTest, HelpIsPrintedEvenIfTheDeckHasAnError) {
  folder_.write("bad.yaml", "steps: {a: {invrt: input}}\n");
  EXPECT_NE(output({"bad.yaml", "--help"}).find("\n  steps"), std::string::npos);
}

TEST_F(ChainTest, NoDeckIsOverwritten) {
  expect_refused(
      {"c.yaml", "--write-cpp", "./c.yaml"},
      "command line: --write-cpp names './c.yaml', which is a deck of this run: name another file");
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
  EXPECT_EQ(output(words).substr(0, line.size()), line);
}

TEST_F(ChainTest, SeveralResultsAndSeveralInputs) {
  Words words{"c.yaml", "input.file=image.h5", "output.stages=[half]"};
  EXPECT_EQ(result(3, words, "half"),
            result(1, {"c.yaml", "input.file=image.h5", "output.step=half"}, "half"));
  folder_.write("two.yaml",
                "inputs: {dark: {file: image.h5}}\n"
                "steps: {difference: {expression: 'input - dark'}}\n");
  const StoredResult zero = result(2, {"two.yaml", "input.file=image.h5"}, "difference");
  EXPECT_EQ(zero.bytes, std::string(zero.bytes.size(), '\0'));
  expect_refused(
      {"two.yaml", "input.file=colour.h5", "output.file=o.h5"},
      "two.yaml:1:23: 'inputs.dark.file': the image is [0, 133) x [0, 97) of uint8, but that of input.file "
      "[0, 61) x [0, 40) x [0, 3) of uint8: give one like it");
}

// Results that the output does not need are computed, too, and are whole, as are lists of numbers.
TEST_F(ChainTest, ResultsThatTheOutputDoesNotNeed) {
  folder_.write("many.yaml",
                "steps:\n"
                "  large: {resize: input, size: [200, 150]}\n"
                "  part: {crop: large, size: [20, 10]}\n"
                "  smooth: {gaussian: input}\n"
                "  counts: {histogram: input}\n"
                "output: {step: part, stages: [large, smooth, counts]}\n"
                "input: {file: image.h5}\n");
  using Extents = std::vector<hsize_t>;
  const std::map<std::string, Extents> expected = {
      {"large", {150, 200}}, {"part", {10, 20}}, {"smooth", {97, 133}}, {"counts", {256}}};
  for (const int ranks : {1, 3})
    for (const auto& [name, extents] : expected)
      EXPECT_EQ(result(ranks, {"many.yaml"}, name).extents, extents) << name;
  folder_.write("one.yaml", "steps: {smooth: {gaussian: input}}\ninput: {file: image.h5}\n");
  EXPECT_EQ(result(2, {"many.yaml"}, "smooth"), result(1, {"one.yaml"}, "smooth"));
  // A stage of a step that the output does not need has the rows beyond the image that the step reads.
  EXPECT_EQ(result(2, {"many.yaml", "output.stages=[smooth_x]"}, "smooth_x").extents, (Extents{105, 133}));
}

// A step of which only an inner stage is asked for is no output, and is computed where it is needed.
TEST_F(ChainTest, InnerStagesHaveThePointsThatAreNeeded) {
  folder_.write("inner.yaml",
                "steps:\n"
                "  large: {resize: input, size: [200, 150]}\n"
                "  part: {crop: large, size: [20, 10]}\n"
                "input: {file: image.h5}\n"
                "schedule: {large: {compute: tile}, large_x: {compute: rank}}\n");
  using Extents = std::vector<hsize_t>;
  EXPECT_EQ(result(2, {"inner.yaml", "output.stages=[large_x]"}, "large_x").extents[1], 20U);
  EXPECT_EQ(result(2, {"inner.yaml", "output.stages=[large_x, large]"}, "large_x").extents,
            (Extents{97, 200}));
  const std::string plan = output({"inner.yaml", "output.file=o.h5", "output.stages=[large_x]", "--explain"});
  EXPECT_EQ(lines_with(plan, "stage large: tile of uint8").size(), 1U) << plan;
}

// The schedule of a deck holds for whatever is written, and outputs are computed by their owners.
TEST_F(ChainTest, ScheduledStepsCanBecomeOutputs) {
  folder_.write("tiles.yaml", std::string(two_steps) + "input: {file: image.h5}\n");
  const StoredResult expected = result(1, {"tiles.yaml", "output.step=half"}, "half");
  for (const char* way : {"tile", "window", "rank", "replicated"}) {
    const std::string word = std::string("schedule.half.compute=") + way;
    EXPECT_EQ(result(2, {"tiles.yaml", word, "output.step=half"}, "half"), expected) << way;
    EXPECT_EQ(result(2, {"tiles.yaml", word, "output.stages=[half]"}, "half"), expected) << way;
  }
}

TEST_F(ChainTest, ResultsThatCannotBeWrittenAreRefusedWithTheReason) {
  folder_.write("spots.yaml",
                "inputs: {dark: {file: image.h5}}\n"
                "steps:\n"
                "  smooth: {gaussian: input}\n"
                "  most: {greatest: u}\n"
                "  spots: {expression: 'u - smooth - dark'}\n"
                "repeat: {u: {begin: input, turns: 2, steps: {v: {gaussian: u}}}}\n"
                "input: {file: image.h5}\n"
                "output: {file: o.h5, step: spots}\n");
  const auto refused = [&](const std::string& stage, const std::string& reason,
                           const std::string& deck = "spots.yaml") {
    const std::string word = "output.stages=[" + stage + "]";
    expect_refused({deck, word}, "command line: '" + word + "': 'output.stages': " + reason);
  };
  const std::string of_loop =
      " changes in each turn of the loop 'u': name a step outside the loop instead, such as 'last: "
      "{expression: u}'";
  const std::string without = ": leave it out, or name some of smooth_x, smooth";
  refused("spots", "'spots' is the output, which is written anyway" + without);
  refused("most", "'most' is a number, which the run prints and reports" + without);
  refused("dark", "'dark' is an input, which is not written" + without);
  refused("u", "'u'" + of_loop);
  refused("v", "'v'" + of_loop);
  refused("v_x", "'v_x'" + of_loop);
  refused("smoth", "there is no step or stage 'smoth'; did you mean 'smooth'?");
  // The stage of inputs of types that no operator takes, which this image does not need.
  refused("input_float32", "there is no step or stage 'input_float32'; there are smooth_x, smooth");
  folder_.write("loop.yaml",
                "repeat: {u: {begin: input, turns: 2, steps: {v: {gaussian: u}}}}\n"
                "input: {file: image.h5}\noutput: {file: o.h5}\n");
  refused("u", "'u' is the output, which is written anyway: leave it out", "loop.yaml");
  refused("v", "'v'" + of_loop, "loop.yaml");
  refused("w", "there is no step or stage 'w', nor another one that can be written: leave it out",
          "loop.yaml");
}

TEST_F(ChainTest, ConvertedInputsCanBeWritten) {
  write_sample(folder_, "double.h5", {"float64", 33, 20});
  const StoredResult stored =
      result(2, {"c.yaml", "input.file=double.h5", "output.stages=[input_float32]"}, "input_float32");
  EXPECT_EQ(stored.type, "float32");
  EXPECT_EQ(stored.extents, (std::vector<hsize_t>{20, 33}));
}

TEST_F(ChainTest, NumbersThatNoStepReadsAreReported) {
  folder_.write("n.yaml",
                "steps:\n"
                "  middle: {mean: input}\n"
                "  same: {expression: 'input + middle - middle', type: uint8}\n"
                "  far: {distance: [input, same], metric: greatest}\n"
                "output: {step: same}\n");
  for (const int ranks : {1, 3}) {
    const ParallelEnding ending = run(ranks, {"n.yaml", "input.file=image.h5", "output.file=o.h5"});
    EXPECT_EQ(lines_with(ending.output, "far 0").size(), 1U) << ending.text();
    EXPECT_TRUE(lines_with(ending.output, "middle ").empty()) << ending.text();
  }
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
  EXPECT_NE(
      list.find("  Erodes and then dilates, which removes what is brighter and smaller than the window.\n"),
      std::string::npos)
      << list;
  EXPECT_NE(list.find("  One channel of an image, as an image of (x, y).\n"), std::string::npos) << list;
  EXPECT_EQ(list.find("<name>"), std::string::npos) << list;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 110U) << line;
  EXPECT_NE(output({"--operators", "multiply"}).find("Example:\n"), std::string::npos);
  EXPECT_NE(output({"--operators", "expression"}).find("clamp(a, low, high)"), std::string::npos);
  expect_refused({"--operators", "mutliply"}, "there is no operator 'mutliply'; did you mean 'multiply'?");
}

TEST_F(ChainTest, MistakesAreToldInOneLine) {
  const Words files{"input.file=image.h5", "output.file=o.h5"};
  const auto refused = [&](const std::string& deck, const std::string& line) {
    folder_.write("bad.yaml", deck);
    Words words{"bad.yaml"};
    words.insert(words.end(), files.begin(), files.end());
    expect_refused(words, line);
  };
  refused("stepz: {a: {invert: input}}\n", "bad.yaml:1:1: unknown key 'stepz'; did you mean 'steps'?");
  refused("memory: 1G\n",
          "bad.yaml: the key 'steps' is required: give it in the deck, or steps=VALUE on the command line");
  refused("steps:\n  a: {invrt: input}\n",
          "bad.yaml:2:7: step 'a': there is no operator 'invrt'; did you mean 'invert'?");
  refused("steps: {a: {invert: input}}\nschedule: {b: {compute: tile}}\n",
          "bad.yaml:2:12: no stage matches 'b'; the names are input, input_float32, a");
  expect_refused({"c.yaml", "input.file=image.h5", "output.file=o.h5", "steps.half.value=two"},
                 "command line: 'steps.half.value=two': step 'half': 'value' is two: it must be a number, as "
                 "[3, 5] is a "
                 "pair and [1, 2, 1] a list");
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
