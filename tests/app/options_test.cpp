// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/options.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "messages.hpp"
#include "tessera/app/detail/progress.hpp"
#include "tessera/domain/error.hpp"

namespace tessera::app {
namespace {

Options parse(std::vector<const char*> words) {
  words.insert(words.begin(), "program");
  return parse_options(static_cast<int>(words.size()), words.data());
}

TEST(OptionsTest, NoneIsARun) {
  const Options options = parse({});
  EXPECT_TRUE(options.decks.empty());
  EXPECT_TRUE(options.overrides.empty());
  EXPECT_FALSE(options.help || options.version || options.explain || options.print_deck || options.quiet);
  EXPECT_EQ(options.ranks, 0);
}

TEST(OptionsTest, WordsAreDecksOrOverrides) {
  const Options options = parse({"a.yaml", "x=1", "--quiet", "b.yaml", "y.z=[2, auto]"});
  EXPECT_EQ(options.decks, (std::vector<std::string>{"a.yaml", "b.yaml"}));
  EXPECT_EQ(options.overrides, (std::vector<std::string>{"x=1", "y.z=[2, auto]"}));
  EXPECT_TRUE(options.quiet);
}

TEST(OptionsTest, ProgramsHaveOptionsOfTheirOwn) {
  const std::vector<ProgramOption> further{
      {.name = "--list", .help = "List", .value_name = "[NAME]", .text = {}},
      {.name = "--write", .help = "Write", .value_name = "FILE", .needs_value = true, .text = {}}};
  const auto given = [&](std::vector<const char*> words) {
    words.insert(words.begin(), "program");
    return parse_options(static_cast<int>(words.size()), words.data(), further).of_program;
  };
  EXPECT_TRUE(given({"a.yaml"}).empty());
  EXPECT_EQ(given({"--list"}), (std::map<std::string, std::string>{{"--list", ""}}));
  EXPECT_EQ(given({"--list", "a.yaml"}), (std::map<std::string, std::string>{{"--list", ""}}));
  EXPECT_EQ(given({"--list", "a=b"}), (std::map<std::string, std::string>{{"--list", ""}}));
  EXPECT_EQ(given({"--list", "name"}), (std::map<std::string, std::string>{{"--list", "name"}}));
  EXPECT_EQ(given({"a.yaml", "--write", "f.cpp"}),
            (std::map<std::string, std::string>{{"--write", "f.cpp"}}));
  EXPECT_THROW(given({"--write"}), InputError);
  EXPECT_THROW(given({"--other"}), InputError);
  EXPECT_NE(help_text("program", "", deck::Schema(), further).find("--write FILE"), std::string::npos);
}

std::string error_of(std::vector<const char*> words) {
  try {
    parse(std::move(words));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(OptionsTest, BlanksPartNoKeyFromItsValue) {
  test::expect_message(error_of({"a.yaml", "input.file", "=", "x"}), {"'input.file = x'", "one word"});
  test::expect_message(error_of({"input.file=", "x", "y=1"}), {"'input.file= x'", "one word"});
  test::expect_message(error_of({"x=1", "input.file", "=x"}), {"'input.file =x'", "one word"});
  // What is beside a value that is missing may be a deck.
  EXPECT_EQ(error_of({"input.file=", "a.yaml"}), "");
  EXPECT_EQ(error_of({"a.yaml", "=x"}), "");
  EXPECT_EQ(error_of({"=", "x"}), "");
  EXPECT_EQ(parse({"x=", "y=1"}).overrides, (std::vector<std::string>{"x=", "y=1"}));
}

TEST(OptionsTest, RanksGoWithExplainAndCheck) {
  EXPECT_EQ(parse({"--explain", "--ranks", "64"}).ranks, 64);
  EXPECT_EQ(parse({"--check", "--ranks", "64"}).ranks, 64);
  EXPECT_THROW(parse({"--ranks", "64"}), InputError);
  for (const char* ranks : {"0", "-1", "many", "1.5", "99999999999"})
    EXPECT_THROW(parse({"--explain", "--ranks", ranks}), InputError) << ranks;
}

TEST(OptionsTest, EstimatesHaveAMachineAndCosts) {
  const Options options = parse(
      {"--estimate", "--ranks", "64", "--machine", "m.yaml", "--costs", "r.json", "--report", "e.json"});
  EXPECT_TRUE(options.estimate && options.only_plans());
  EXPECT_EQ(options.ranks, 64);
  EXPECT_EQ(options.machine, "m.yaml");
  EXPECT_EQ(options.costs, "r.json");
  EXPECT_EQ(options.report, "e.json");
  EXPECT_EQ(parse({"--estimate", "--rank", "3"}).rank, 3);
  test::expect_message(error_of({"--machine", "m.yaml"}), {"--machine", "goes with --estimate"});
  test::expect_message(error_of({"--costs", "r.json"}), {"--costs", "goes with --estimate"});
  test::expect_message(error_of({"--ranks", "64"}), {"--ranks", "goes with --explain"});
  test::expect_message(error_of({"--rank", "1"}), {"--rank goes", "with --explain or"});
  test::expect_message(error_of({"--estimate", "--check"}), {"--estimate and --check", "one of them"});
  test::expect_message(error_of({"--estimate", "--trace", "t.json"}), {"--trace is of a run", "--estimate"});
}

TEST(OptionsTest, OptionsOfPlansAndRecords) {
  const Options explained = parse({"--explain", "--rank", "3", "--save-plan", "p.json"});
  EXPECT_EQ(explained.rank, 3);
  EXPECT_EQ(explained.save_plan, "p.json");
  EXPECT_TRUE(parse({"--explain", "--dot"}).dot);
  const Options run = parse({"--report", "-", "--trace", "t.json"});
  EXPECT_EQ(run.report, "-");
  EXPECT_EQ(run.trace, "t.json");
}

TEST(OptionsTest, OptionsThatDoNotGoTogether) {
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{"--rank", "1"},
                                             {"--check", "--explain"},
                                             {"--check", "--rank", "1"},
                                             {"--dot"},
                                             {"--save-plan", "p"},
                                             {"--explain", "--dot", "--rank", "1"},
                                             {"--explain", "--report", "r"},
                                             {"--explain", "--trace", "t"},
                                             {"--explain", "--rank", "-1"},
                                             {"--quiet", "--verbose"}})
    EXPECT_THROW(parse(words), InputError) << words.back();
}

TEST(OptionsTest, UnknownOptionsAreErrorsOfOneLine) {
  for (const char* option : {"--nonsense", "-z", "--quiet=maybe"}) {
    try {
      parse({option});
      ADD_FAILURE() << option;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
}

/// Returns what rank 0 or another one prints.
std::string progress_of(int rank, bool quiet) {
  testing::internal::CaptureStdout();
  {
    Progress progress(rank, quiet);
    progress.step(1, 2, "read image");
    progress.step(2, 2, "write image");
    progress.line("wrote it");
  }
  return testing::internal::GetCapturedStdout();
}

// Not on a terminal: no line is rewritten.
TEST(ProgressTest, PlainLinesOfRank0) {
  EXPECT_EQ(progress_of(0, false), "[1/2] read image\n[2/2] write image\nwrote it\n");
  EXPECT_EQ(progress_of(1, false), "");
  EXPECT_EQ(progress_of(0, true), "");
}

}  // namespace
}  // namespace tessera::app
