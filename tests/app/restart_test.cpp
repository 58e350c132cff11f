// SPDX-License-Identifier: BSD-3-Clause
// Runs that go on with a checkpoint of another, on other ranks and by other schedules.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "io/plain_hdf5.hpp"
#include "sample_images.hpp"

namespace tessera::app_test {
namespace {

using Words = std::vector<std::string>;

class RestartTest : public testing::Test {
 protected:
  RestartTest() { std::filesystem::create_directory(folder_ / "ck"); }

  ParallelEnding run(const std::string& name, int ranks, Words words, const Words& more = {}) const {
    words.insert(words.end(), more.begin(), more.end());
    words.push_back("output.file=o.h5");
    words.push_back("threads=1");
    return run_on_ranks(program_of(name), ranks, folder_, words);
  }

  /// The bytes of a data set of the result.
  std::vector<double> stored(const std::string& dataset) const {
    return io_test::read_plain_hdf5<double>(folder_ / "o.h5", dataset, H5T_NATIVE_DOUBLE).values;
  }

  static std::string deck(const std::string& name) { return TESSERA_DECKS "/helmholtz/" + name; }

  /// Removes what is there of checkpoints.
  void clear() const {
    std::filesystem::remove_all(folder_ / "ck");
    std::filesystem::create_directory(folder_ / "ck");
  }

  std::vector<std::string> checkpoints() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "ck"))
      names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }

  void truncate(const std::string& name) const {
    const std::string path = folder_ / ("ck/" + name);
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  }

  void expect_refused(int ranks, const Words& words, const Words& told,
                      test::SourceLine caller = test::SourceLine::here()) const {
    expect_refusal(run("helmholtz", ranks, words), told, caller);
  }

  Folder folder_;
  const Words small_ = {"intervals.x=21", "intervals.y=17", "tolerance=1e-2"};
};

TEST_F(RestartTest, RanksAndScheduleMayBeOthers) {
  struct Case {
    const char* before;
    int ranks_before;
    const char* after;
    int ranks_after;
  };
  Words words = small_;
  words.push_back("tolerance=1e-3");
  const ParallelEnding whole = run("helmholtz", 1, words);
  EXPECT_EQ(whole.status, 0) << whole.text();
  const auto expected = stored("solution"), residuals = stored("history/solve/residual");
  ASSERT_GT(residuals.size(), 60u);
  const std::string end = lines_with(whole.output, "solve: ").back();
  const Case cases[] = {
      {"default.yaml", 2, "temporal.yaml", 1},      {"temporal.yaml", 1, "default.yaml", 4},
      {"overlapped.yaml", 2, "overlapped.yaml", 3}, {"deep_ghosts.yaml", 2, "default.yaml", 2},
      {"default.yaml", 1, "deep_ghosts.yaml", 3},   {"temporal.yaml", 2, "overlapped.yaml", 1}};
  for (const Case& one : cases) {
    SCOPED_TRACE(std::string(one.before) + " -> " + one.after);
    clear();
    // Rounds of this many turns would not begin where the restart does.
    Words first = {deck(one.before)}, second = {deck(one.after)};
    first.insert(first.end(), words.begin(), words.end());
    second.insert(second.end(), words.begin(), words.end());
    const ParallelEnding part =
        run("helmholtz", one.ranks_before, first, {"turns=37", "checkpoint.directory=ck"});
    EXPECT_EQ(part.status, 3) << part.text();
    EXPECT_EQ(lines_with(part.output, "checkpoint ck/tessera-helmholtz-00000001.h5: after 37 turns").size(),
              1u)
        << part.text();
    const ParallelEnding rest = run("helmholtz", one.ranks_after, second, {"restart=ck"});
    EXPECT_EQ(rest.status, 0) << rest.text();
    EXPECT_EQ(lines_with(rest.output, "solve: ").back(), end);
    EXPECT_EQ(stored("solution"), expected);
    EXPECT_EQ(stored("history/solve/residual"), residuals);
  }
}

TEST_F(RestartTest, AllThatALoopCarriesIsKept) {
  folder_.write("p.rle", "x = 7, y = 3\nbo5b$3bo3b$2o2b3o!\n");
  struct Case {
    std::string program;
    std::string loop;
    Words words;
    std::string limit;
    std::string result;
    /// How the two parts of the run are scheduled.
    Words schedule = {};
  };
  const Case cases[] = {
      // A chain of two iterates, and weights that are a state.
      {"helmholtz",
       "solve: ",
       {"solver=chebyshev", "intervals.x=24", "intervals.y=20", "tolerance=1e-3"},
       "turns",
       "solution",
       {"loops.solve.turns_per_exchange=3", "loops.solve.test=overlaps"}},
      {"heat3d",
       "diffuse: ",
       {"intervals.x=9", "intervals.y=8", "intervals.z=7", "courant=0.3", "time_step=0.0005", "steps=40"},
       "steps",
       "temperature"},
      {"life",
       "generations: ",
       {"input.file=p.rle", "board.width=23", "board.height=19", "board.x=8", "board.y=8", "border=periodic",
        "period=4", "generations=40"},
       "generations",
       "board"}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.program);
    clear();
    const ParallelEnding whole = run(one.program, 1, one.words);
    const bool is_whole = whole.status == 0 || whole.status == 3;
    EXPECT_TRUE(is_whole) << whole.text();
    const auto expected = stored(one.result);
    Words words = one.words;
    words.insert(words.end(), one.schedule.begin(), one.schedule.end());
    const ParallelEnding part =
        run(one.program, 2, words, {one.limit + "=17", "checkpoint.every=11", "checkpoint.directory=ck"});
    EXPECT_FALSE(checkpoints().empty()) << part.text();
    const ParallelEnding rest = run(one.program, 3, words, {"restart=ck"});
    EXPECT_EQ(rest.status, whole.status) << rest.text();
    EXPECT_EQ(stored(one.result), expected);
    EXPECT_EQ(lines_with(rest.output, one.loop).back(), lines_with(whole.output, one.loop).back());
  }
}

TEST_F(RestartTest, TheLastTwoAreKeptAndDamagedOnesPassedOver) {
  const ParallelEnding part =
      run("helmholtz", 2, small_, {"turns=12", "checkpoint.every=3", "checkpoint.directory=ck"});
  EXPECT_EQ(part.status, 3) << part.text();
  const std::string older = "tessera-helmholtz-00000003.h5", newer = "tessera-helmholtz-00000004.h5";
  EXPECT_EQ(checkpoints(), (Words{older, newer}));
  truncate(newer);
  Words words = small_;
  words.push_back("turns=14");
  const ParallelEnding rest = run("helmholtz", 2, words, {"restart=ck", "checkpoint.directory=ck"});
  EXPECT_EQ(rest.status, 3) << rest.text();
  EXPECT_EQ(lines_with(rest.errors, "warning: ck/" + newer + ": damaged checkpoint").size(), 1u)
      << rest.text();
  EXPECT_EQ(lines_with(rest.output, "restart ck/" + older + ": after 9 turns of 'solve'").size(), 1u)
      << rest.text();
  // The damaged one does not count.
  EXPECT_EQ(checkpoints(), (Words{older, "tessera-helmholtz-00000005.h5"}));
  truncate("tessera-helmholtz-00000005.h5");
  expect_refused(2, {"restart=ck/tessera-helmholtz-00000005.h5"}, {"00000005.h5:", "damaged checkpoint"});
  truncate(older);
  // A warning says that the newer one is damaged, too.
  expect_refusal(errors_of(run("helmholtz", 3, {"restart=ck"})), {older + ":", "damaged checkpoint"});
}

TEST_F(RestartTest, OtherProblemsAreRefused) {
  const ParallelEnding part =
      run("helmholtz", 2, small_, {"turns=6", "checkpoint.directory=ck", "checkpoint.every=5"});
  EXPECT_EQ(part.status, 3) << part.text();
  Words words = small_;
  words.push_back("restart=ck");
  const std::pair<std::string, Words> cases[] = {
      {"alpha=0.5", {"'alpha: 0.8'", "this one has 'alpha: 0.5'"}},
      {"intervals.x=22", {"'intervals.x: 21'", "this one has 'intervals.x: 22'"}},
      {"turns=6", {"6 turns of the loop 'solve'", "the deck allows 6"}},
      {"restart=nowhere", {"nowhere:", "no such file"}},
      {"wall_limit=5", {"'wall_limit':", "give checkpoint.directory"}}};
  int ranks = 1;
  for (const auto& [word, told] : cases) {
    Words all = words;
    all.push_back(word);
    expect_refused(1 + ranks++ % 3, all, told);
  }
  Words anew = small_;
  anew.push_back("checkpoint.directory=ck");
  expect_refused(2, anew, {"'checkpoint.directory':", "checkpoints of another run"});
  anew.back() = "checkpoint.directory=none";
  expect_refused(2, anew, {"none/tessera-helmholtz-00000001.h5:", "cannot be written"});
  EXPECT_EQ(checkpoints().size(), 2u);
  EXPECT_EQ(run("blur", 1, {"restart=ck"}).status, 2);
}

TEST_F(RestartTest, AnEmptyFolderIsTheBeginning) {
  const ParallelEnding ending =
      run("helmholtz", 2, small_, {"turns=5", "restart=ck", "checkpoint.directory=ck"});
  EXPECT_EQ(ending.status, 3) << ending.text();
  EXPECT_EQ(lines_with(ending.output, "restart ck: no checkpoint yet, from the beginning").size(), 1u)
      << ending.text();
  EXPECT_EQ(checkpoints(), Words{"tessera-helmholtz-00000001.h5"});
}

}  // namespace
}  // namespace tessera::app_test
