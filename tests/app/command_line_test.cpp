// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <thread>

#include "blur_runs.hpp"
#include "io/plain_png.hpp"

namespace tessera::app_test {
namespace {

/// A folder with a picture of 40 x 30 and a deck that blurs it.
class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() {
    io_test::write_plain_png(folder_ / "image.png",
                             io_test::make_png(40, 30, PNG_COLOR_TYPE_RGB, 8, [](auto x, auto y, int c) {
                               return static_cast<int>(x * 5 + y * 3 + c) & 255;
                             }));
    folder_.write("run.yaml",
                  "input: {file: image.png}\noutput: {file: o.h5, png: o.png, comparison: c.png}\n"
                  "schedule: {b*: {tile: [16, 8]}, bh: {compute: tile}}\n");
    names_ = folder_.names();
  }

  /// Runs on this many ranks, and expects the run to succeed without a word on standard error.
  std::string output(int ranks, const std::vector<std::string>& words, const Environment& environment = {}) {
    const ParallelEnding ending = blur(ranks, folder_, words, environment);
    EXPECT_EQ(ending.status, 0);
    EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 0));
    EXPECT_EQ(ending.errors, "");
    return ending.output;
  }
  void expect_nothing_written() const { EXPECT_EQ(folder_.names(), names_); }

  Folder folder_;
  std::set<std::string> names_;
};

TEST_F(CommandLineTest, HelpNamesOptionsAndKeysOnce) {
  const std::string text = output(3, {"--help"});
  std::set<std::string> words;
  for (const std::string& line : lines_with(text, ""))
    if (line.starts_with("  ") && line.size() > 2 && line[2] != ' ') {
      const std::string word = line.substr(2, line.find(' ', 2) - 2);
      EXPECT_TRUE(words.insert(word).second) << word << " in\n" << text;
    }
  // docs/reference.md, which a test compares, has all of them.
  for (const char* word : {"--explain", "input.file", "output.file", "threads", "schedule.<stage>.compute"})
    EXPECT_TRUE(words.contains(word)) << word << " in\n" << text;
  for (const std::string& line : lines_with(text, "")) EXPECT_LE(line.size(), 110U) << line;
}

TEST_F(CommandLineTest, HelpComesBeforeErrors) {
  EXPECT_EQ(output(1, {"--help", "missing.yaml", "nonsense=1"}), output(1, {"--help"}));
}

TEST_F(CommandLineTest, VersionNamesWhatTheProgramStandsOn) {
  const std::string text = output(3, {"--version"});
  const std::regex pattern(
      R"(tessera-blur \d+\.\d+\.\d+ \(git (unknown|[0-9a-f]{7,40})\)
build \w+(, not optimised)?, \S.*
Kokkos \d+\.\d+\.\d+ with (\w+)(, \w+)*
MPI: \S.*
formats: HDF5 \d+\.\d+\.\d+, PNG, TIFF, JPEG, FITS(, VIDEO)?
)");
  EXPECT_TRUE(std::regex_match(text, pattern)) << text;
}

// A build from a clone that git can read knows its commit.
TEST_F(CommandLineTest, VersionHasTheGitHash) {
  const Ending git = run({{"git", "rev-parse", "HEAD"}, TESSERA_SOURCE_FOLDER, {}});
  if (git.status != 0) GTEST_SKIP() << "not in a clone: " << git.text();
  EXPECT_EQ(output(1, {"--version"}).find("git unknown"), std::string::npos);
}

TEST_F(CommandLineTest, PrintedDeckRunsAgainAsItIs) {
  const std::string printed =
      output(2, {"run.yaml", "schedule.bh.grid=[auto,1]", "threads=1", "--print-deck"});
  expect_nothing_written();
  for (const char* words : {"file: image.png", "compute: tile", "[16, 8]", "[auto, 1]", "threads: 1"})
    EXPECT_FALSE(lines_with(printed, words).empty()) << words << " in\n" << printed;
  folder_.write("printed.yaml", printed);
  EXPECT_EQ(output(2, {"printed.yaml", "--print-deck"}), printed);
  output(2, {"printed.yaml"});
  EXPECT_TRUE(folder_.names().contains("o.h5"));
}

TEST_F(CommandLineTest, ExplainTellsWhatEveryKindOfRankDoes) {
  const std::string text = output(3, {"run.yaml", "--explain", "--verbose"});
  expect_nothing_written();
  // The first and the last rank do the same, the middle one has two neighbours.
  EXPECT_EQ(lines_with(text, "2 ranks do the same as rank 0:").size(), 1U) << text;
  EXPECT_EQ(lines_with(text, "only rank 1 does this:").size(), 1U) << text;
  for (const char* rank : {"rank 0 of 3", "rank 1 of 3"})
    EXPECT_EQ(lines_with(text, rank).size(), 1U) << text;
  // Of each of the two, its input and two stages.
  for (const char* row : {"    owned ", "    required  ", "    required within the domain ", "    ghosts "})
    EXPECT_EQ(lines_with(text, row).size(), 6U) << row << " in\n" << text;
  EXPECT_EQ(lines_with(text, " redundant").size(), 6U) << text;
  EXPECT_EQ(lines_with(text, "  peak memory ").size(), 2U);
  // The middle rank has a row of 40 points of 3 channels from each neighbour, and sends as much.
  EXPECT_EQ(lines_with(text, "exchange input: sends 2 messages of 240 bytes, receives 2 of 240 bytes").size(),
            1U)
      << text;
  EXPECT_EQ(lines_with(text, "from rank 0: [0, 40) x [9, 10) x [0, 3), 120 bytes").size(), 1U) << text;
}

TEST_F(CommandLineTest, ExplainBeginsWithWhatAllRanksCost) {
  const std::string text = output(1, {"run.yaml", "--explain", "--ranks", "3", "threads=2"});
  const std::string most = R"(ranks       3 ranks x 2 threads
cost        \d+ points, at least [0-9.]+ KiB to read and write
memory      [0-9.]+ KiB per rank at most
messages    4 messages of 480 bytes in all: packed points in shared memory within a node, others by messages
redundancy  \d+ redundant points
input input: distributed of uint8 on \[1, 3\], reads 3600 points, sends 480 bytes
stage bh: tile of uint8 on \[1, 3\], computes \d+ points, \d+ of them redundant
stage bv: distributed of uint8 on \[1, 3\], computes 3600 points
2 kinds of ranks: --verbose shows the plan of one of each, --rank r that of rank r
)";
  EXPECT_TRUE(std::regex_match(text, std::regex(most))) << text;
}

TEST_F(CommandLineTest, ExplainPlansForAnyNumberOfRanks) {
  const std::string text =
      output(1, {"run.yaml", "--explain", "--verbose", "--ranks", "64", "grid=[8,auto]"});
  expect_nothing_written();
  EXPECT_LT(lines_with(text, " of 64").size(), 20U);
  EXPECT_EQ(lines_with(text, "input input: distributed of uint8 on [8, 8], ").size(), 1U);
  // On as many ranks as there are, the two ways to ask are one.
  EXPECT_EQ(output(1, {"run.yaml", "--explain", "--ranks", "3", "threads=1"}),
            output(3, {"run.yaml", "--explain", "threads=1"}));
}

TEST_F(CommandLineTest, ChecksForAnyNumberOfRanks) {
  const std::string text = output(1, {"run.yaml", "--check", "--ranks", "64", "grid=[8,auto]", "threads=2"});
  expect_nothing_written();
  EXPECT_EQ(text.rfind("checked for 64 ranks x 2 threads: ", 0), 0U) << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
  EXPECT_EQ(output(1, {"run.yaml", "--check", "--quiet"}), "");
  const Ending refused = blur_alone(folder_, {"run.yaml", "--check", "--ranks", "64", "memory=1B"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(lines_with(refused.text(), "memory").size(), 1U) << refused.text();
}

TEST_F(CommandLineTest, DecksIncludeOthersAndNameTheEnvironment) {
  folder_.write("base.yaml", "output: {file: '${TESSERA_TEST_PLACE}/second.h5'}\nthreads: 2\n");
  folder_.write("including.yaml", "include: [run.yaml, base.yaml]\nthreads: 1\n");
  const std::string place = folder_.path();
  const std::string text = output(2, {"including.yaml"}, {{"TESSERA_TEST_PLACE", place}});
  EXPECT_EQ(lines_with(text, "2 ranks x 1 thread, ").size(), 1U) << text;
  EXPECT_TRUE(folder_.names().contains("second.h5"));
  EXPECT_FALSE(folder_.names().contains("o.h5"));
  const std::string printed = output(2, {"including.yaml", "--print-deck"}, {{"TESSERA_TEST_PLACE", place}});
  EXPECT_EQ(lines_with(printed, place + "/second.h5").size(), 1U) << printed;
  const ParallelEnding overwritten =
      blur(2, folder_, {"including.yaml", "output.file=base.yaml"}, {{"TESSERA_TEST_PLACE", place}});
  EXPECT_EQ(overwritten.rank_statuses, (std::vector{2, 2})) << overwritten.text();
  EXPECT_EQ(lines_with(overwritten.text(), "base.yaml").size(), 1U) << overwritten.text();
  const ParallelEnding unset = blur(3, folder_, {"including.yaml"});
  expect_refusal(unset, {"base.yaml:1:16: 'output.file':", "'TESSERA_TEST_PLACE' is not set"});
}

TEST_F(CommandLineTest, ARunNamesWhatItWrote) {
  const std::string text = output(2, {"run.yaml"}, {{"OMP_NUM_THREADS", "3,2"}});
  EXPECT_EQ(lines_with(text, "2 ranks x 3 threads, ").size(), 1U) << text;
  EXPECT_EQ(lines_with(text, "] compute bv").size(), 1U) << text;
  for (const char* name : {"o.h5", "o.png", "c.png"})
    EXPECT_EQ(lines_with(text, std::string("wrote ") + name).size(), 1U) << text;
  names_.insert({"o.h5", "o.png", "c.png"});
  expect_nothing_written();
}

TEST_F(CommandLineTest, TheDeckGoesBeforeTheEnvironment) {
  const std::string text = output(1, {"run.yaml", "threads=2"}, {{"OMP_NUM_THREADS", "1"}});
  EXPECT_EQ(lines_with(text, "1 rank x 2 threads").size(), 1U) << text;
}

TEST_F(CommandLineTest, LaterDecksAndOverridesWin) {
  folder_.write("more.yaml", "output: {file: second.h5}\nthreads: 1\n");
  const std::string text = output(1, {"run.yaml", "more.yaml", "output.png=third.png"});
  EXPECT_EQ(lines_with(text, "wrote ").size(), 3U) << text;
  EXPECT_TRUE(folder_.names().contains("second.h5"));
  EXPECT_TRUE(folder_.names().contains("third.png"));
  EXPECT_FALSE(folder_.names().contains("o.h5"));
}

TEST_F(CommandLineTest, TheStartTellsWhereRanksRun) {
  const std::string text = output(2, {"run.yaml", "threads=1"});
  const auto places = lines_with(text, ": node ");
  ASSERT_FALSE(places.empty()) << text;
  EXPECT_TRUE(std::regex_match(
      places.front(),
      std::regex("ranks? 0(-1)?: node .*, processors? [0-9,-]+, at most [0-9.]+ KiB( each)?")))
      << places.front();
  EXPECT_EQ(lines_with(text, "Kokkos ").size(), 0U) << text;
  const std::string verbose = output(2, {"run.yaml", "threads=1", "--verbose"});
  EXPECT_EQ(lines_with(verbose, "rank 0: node ").size(), 1U) << verbose;
  EXPECT_EQ(lines_with(verbose, "rank 1: node ").size(), 1U) << verbose;
  EXPECT_EQ(lines_with(verbose, "Kokkos ").size(), 1U) << verbose;
}

constexpr std::size_t build_warnings = TESSERA_PROGRAMS_OPTIMISED ? 0 : 1;

TEST_F(CommandLineTest, TheStartTellsGridAndBuild) {
  const std::string text = output(2, {"run.yaml", "threads=1"});
  EXPECT_EQ(lines_with(text, "grid [1, 2]").size(), 1U) << text;
  EXPECT_EQ(lines_with(output(2, {"run.yaml", "grid=[2,auto]", "threads=1"}), "grid [2, 1]").size(), 1U);
  EXPECT_EQ(lines_with(text, "build ").size(), 1U + build_warnings) << text;
  EXPECT_EQ(lines_with(text, ", not optimised, ").size(), build_warnings) << text;
  EXPECT_EQ(lines_with(text, "warning: this program is compiled without optimisation").size(), build_warnings)
      << text;
}

TEST_F(CommandLineTest, ThreadsThatShareProcessorsAreWarnedOf) {
  EXPECT_EQ(lines_with(output(1, {"run.yaml", "threads=1"}), "warning: ").size(), build_warnings);
  // Both ranks may run anywhere.
  const unsigned processors = std::thread::hardware_concurrency();
  const std::string text = output(2, {"run.yaml", "threads=" + std::to_string(processors)});
  EXPECT_EQ(
      lines_with(text, "warning: " + std::to_string(2 * processors) + " threads of ranks 0-1 share processor")
          .size(),
      1U)
      << text;
}

TEST_F(CommandLineTest, QuietPrintsNothing) {
  EXPECT_EQ(output(2, {"run.yaml", "--quiet"}), "");
  EXPECT_EQ(output(1, {"run.yaml", "-q"}), "");
  EXPECT_TRUE(folder_.names().contains("o.h5"));
}

// Started by hand it is one rank.
TEST_F(CommandLineTest, RunsWithoutALauncher) {
  const Ending ending = blur_alone(folder_, {"run.yaml", "threads=1"});
  EXPECT_EQ(ending.status, 0) << ending.text();
  EXPECT_EQ(lines_with(ending.output, "1 rank x 1 thread, ").size(), 1U) << ending.output;
}

}  // namespace
}  // namespace tessera::app_test
