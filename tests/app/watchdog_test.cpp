// SPDX-License-Identifier: BSD-3-Clause
// Runs that stand still.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <future>
#include <thread>

#include "io/plain_png.hpp"
#include "messages.hpp"
#include "rank_processes.hpp"

namespace tessera::app_test {
namespace {

using Words = std::vector<std::string>;
using namespace std::chrono_literals;

const std::string helmholtz = TESSERA_PROGRAMS "/tessera-helmholtz";

/// Stops a process of a run, which the watchdogs of the others are to end, and returns how the run ended.
ParallelEnding ending_after_stopping(pid_t process, std::future<ParallelEnding>& run) {
  EXPECT_EQ(kill(process, SIGSTOP), 0);
  const bool has_ended = run.wait_for(60s) == std::future_status::ready;
  kill(process, SIGKILL);
  ParallelEnding ending = run.get();
  EXPECT_TRUE(has_ended);
  EXPECT_EQ(ending.status, 6) << ending.text();
  return ending;
}

TEST(WatchdogTest, EndsARunWhoseRankStandsStill) {
  const Folder folder;
  const std::string mark = std::to_string(getpid());
  // Days of work.
  auto run = std::async(std::launch::async, [&] {
    return run_on_ranks(helmholtz, 3, folder,
                        Words{"intervals.x=600", "intervals.y=600", "tolerance=0", "turns=100000000",
                              "threads=1", "output.file=s.h5", "watchdog=5 s"},
                        {{rank_mark, mark}});
  });
  const pid_t process = wait_for_rank(helmholtz, mark, 1);
  ASSERT_GT(process, 0);
  // By then it computes; if it does not, the watchdog comes a little later.
  std::this_thread::sleep_for(3s);
  ASSERT_EQ(run.wait_for(0s), std::future_status::timeout) << run.get().text();
  const ParallelEnding ending = ending_after_stopping(process, run);
  for (const int rank : {0, 2})
    EXPECT_EQ(lines_with(ending.errors, "tessera-helmholtz: error: rank " + std::to_string(rank) +
                                            ": no step has ended for 5 s (watchdog), this rank is in '")
                  .size(),
              1u)
        << ending.errors;
  EXPECT_FALSE(folder.names().contains("s.h5"));
}

/// Returns the words of a run on two ranks: rank 0 computes task 'a', and rank 1 task 'b'.
Words two_tasks(const Folder& folder, const std::string& program, const std::string& second) {
  folder.write("a.json",
               R"({"format": 1, "strategy": "", "ranks": 2, "lower_bound": 0, "period": 0, "tasks": [)"
               R"({"task": "a", "ranks": [[0, 1]], "start": 0, "finish": 0},)"
               R"({"task": "b", "ranks": [[1, 2]], "start": 1, "finish": 0}]})");
  return {program,      "groups={a: [first], b: [" + second + "]}",
          "threads=1",  "program.allocation=a.json",
          "watchdog=5", "output.raw=o.raw"};
}

TEST(WatchdogTest, EndsARunOfTasksOfWhichOneStandsStill) {
  const Folder folder;
  const ParallelEnding ending =
      run_on_ranks(TESSERA_FAILING, 2, folder, two_tasks(folder, "stalls", "second"));
  EXPECT_EQ(ending.status, 6) << ending.text();
  // Rank 0 may tell of itself, too.
  const Words lines = lines_with(ending.errors, "rank 1: no step");
  ASSERT_EQ(lines.size(), 1U) << ending.errors;
  test::expect_message(lines.front(), {"(watchdog)", "'b: compute second'"});
}

TEST(WatchdogTest, EndsARunOfTasksThatWaitForARankThatIsStopped) {
  const Folder folder;
  const std::string mark = std::to_string(getpid());
  auto run = std::async(std::launch::async, [&] {
    return run_on_ranks(TESSERA_FAILING, 2, folder, two_tasks(folder, "stalls", "second"),
                        {{rank_mark, mark}});
  });
  const pid_t process = wait_for_rank(TESSERA_FAILING, mark, 1);
  ASSERT_GT(process, 0);
  while (!folder.names().contains("begun") && run.wait_for(10ms) == std::future_status::timeout) {
  }
  const ParallelEnding ending = ending_after_stopping(process, run);
  expect_error(errors_of(ending), {"rank 0: no step", "(watchdog)", "'stop: wait'"});
}

/// Runs a program whose last rank stands still, and expects its message to name what it is in.
void expect_told(const Folder& folder, Words words, const std::string& step) {
  words.insert(words.end(), {"threads=1", "watchdog=3"});
  const ParallelEnding ending = run_on_ranks(TESSERA_FAILING, 2, folder, words);
  EXPECT_EQ(ending.status, 6) << ending.text();
  const Words lines = lines_with(ending.errors, "rank 1: no step");
  ASSERT_EQ(lines.size(), 1U) << ending.errors;
  test::expect_message(lines.front(), {"(watchdog)", "this rank is in " + step});
}

TEST(WatchdogTest, EndsGraphsAndIterationsThatStandStill) {
  const Folder folder;
  expect_told(folder, {"graph-stalls"}, "'work'");
  expect_told(folder, {"iteration-stalls"}, "'turn'");
}

TEST(WatchdogTest, EndsASeriesThatStandsStill) {
  const Folder folder;
  for (const char* name : {"f0.png", "f1.png"})
    io_test::write_plain_png(
        folder / name, io_test::make_png(8, 8, PNG_COLOR_TYPE_GRAY, 8, [](auto, auto, int) { return 7; }));
  expect_told(folder, {"series-stalls", "input.files=f?.png", "output.files=out/{index}.h5"}, "'failing'");
}

TEST(WatchdogTest, LeavesARankAloneThatWaitsForTheGraphsOfOthers) {
  const Folder folder;
  const ParallelEnding ending =
      run_on_ranks(TESSERA_FAILING, 2, folder, {"graph-sleeps", "threads=1", "watchdog=4"});
  EXPECT_EQ(ending.rank_statuses, (std::vector{0, 0})) << ending.text();
}

TEST(WatchdogTest, LeavesARankAloneThatWaitsForOthersThatGoOn) {
  const Folder folder;
  const ParallelEnding ending =
      run_on_ranks(TESSERA_FAILING, 2, folder, two_tasks(folder, "sleeps", "second, third, fourth, fifth"));
  EXPECT_EQ(ending.rank_statuses, (std::vector{0, 0})) << ending.text();
}

TEST(WatchdogTest, LeavesARunAloneThatGoesOn) {
  const Folder folder;
  const ParallelEnding ending = run_on_ranks(
      helmholtz, 2, folder, Words{"intervals.x=32", "tolerance=1e-6", "output.file=s.h5", "watchdog=20"});
  EXPECT_EQ(ending.rank_statuses, (std::vector{0, 0})) << ending.text();
  const ParallelEnding refused =
      run_on_ranks(helmholtz, 2, folder, Words{"output.file=s.h5", "watchdog=5 days"});
  expect_refusal(refused, {"'watchdog' expects", "got '5 days'"});
}

}  // namespace
}  // namespace tessera::app_test
