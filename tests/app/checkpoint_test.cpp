// SPDX-License-Identifier: BSD-3-Clause
// Runs that are stopped, by signals, by their time, by kill -9, and by disks.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <random>
#include <thread>

#include "io/plain_hdf5.hpp"
#include "rank_processes.hpp"

namespace tessera::app_test {
namespace {

using Words = std::vector<std::string>;
using namespace std::chrono_literals;

const std::string program = TESSERA_PROGRAMS "/tessera-helmholtz";

class CheckpointTest : public testing::Test {
 protected:
  CheckpointTest() { std::filesystem::create_directory(folder_ / "ck"); }

  /// Days of work, unless told otherwise.
  static Words endless() {
    return {"intervals.x=600",  "intervals.y=500",        "tolerance=0", "turns=100000000", "threads=1",
            "output.file=s.h5", "checkpoint.directory=ck"};
  }
  static Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  std::future<ParallelEnding> start(int ranks, const Words& words) {
    mark_ = std::to_string(getpid()) + "-" + std::to_string(++runs_);
    return std::async(std::launch::async, [=, this] {
      return run_on_ranks(program, ranks, folder_, words, {{rank_mark, mark_}});
    });
  }
  /// Without a shell between the launcher and each rank, which would stand between it and its signals.
  std::future<Ending> start_bare(int ranks, const Words& words) {
    mark_ = std::to_string(getpid()) + "-" + std::to_string(++runs_);
    Command command{{TESSERA_MPIEXEC, TESSERA_MPIEXEC_COUNT, std::to_string(ranks), program},
                    folder_.path(),
                    {{rank_mark, mark_}}};
    command.words.insert(command.words.end(), words.begin(), words.end());
    return std::async(std::launch::async, [=] { return run(command); });
  }
  pid_t rank_of_last(int rank) const { return wait_for_rank(program, mark_, rank); }

  /// The newest first.
  std::vector<std::filesystem::path> checkpoints() const {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "ck"))
      if (!entry.path().filename().string().starts_with(".")) paths.push_back(entry.path());
    std::ranges::sort(paths, std::greater());
    return paths;
  }
  bool wait_for_checkpoint(const std::string& name) const {
    for (int i = 0; i < 400; ++i, std::this_thread::sleep_for(50ms))
      if (std::filesystem::exists(folder_ / ("ck/" + name))) return true;
    return false;
  }
  static std::int64_t turns_of(const std::string& path) {
    return io_test::plain_number_attribute<std::int64_t>(path, "turns", H5T_NATIVE_INT64);
  }
  std::vector<double> stored(const std::string& dataset) const {
    return io_test::read_plain_hdf5<double>(folder_ / "s.h5", dataset, H5T_NATIVE_DOUBLE).values;
  }

  /// Goes on with the newest checkpoint for some turns, and compares with a run that was never stopped.
  void expect_same_bits(int ranks) {
    ASSERT_FALSE(checkpoints().empty());
    const std::string turns = "turns=" + std::to_string(turns_of(checkpoints().front()) + 13);
    EXPECT_EQ(run_on_ranks(program, ranks, folder_, with(endless(), {turns, "restart=ck"})).status, 3);
    const auto values = stored("solution"), residuals = stored("history/solve/residual");
    std::filesystem::create_directory(folder_ / "other");
    EXPECT_EQ(
        run_on_ranks(program, 1, folder_, with(endless(), {turns, "checkpoint.directory=other"})).status, 3);
    EXPECT_EQ(stored("solution"), values);
    EXPECT_EQ(stored("history/solve/residual"), residuals);
  }

  Folder folder_;
  std::string mark_;
  int runs_ = 0;
};

TEST_F(CheckpointTest, ASignalToOneRankStopsAllWithACheckpoint) {
  int number = 0;
  for (const int signal : {SIGTERM, SIGUSR1}) {
    const std::string file = "tessera-helmholtz-0000000" + std::to_string(++number) + ".h5";
    auto run = start(2, with(endless(), {"restart=ck"}));
    const pid_t process = rank_of_last(number % 2);
    ASSERT_GT(process, 0);
    std::this_thread::sleep_for(1s);
    EXPECT_EQ(kill(process, signal), 0);
    const ParallelEnding ending = run.get();
    EXPECT_EQ(ending.rank_statuses, (std::vector{4, 4})) << ending.text();
    const std::string name = signal == SIGTERM ? "SIGTERM" : "SIGUSR1";
    EXPECT_EQ(lines_with(ending.errors, "tessera-helmholtz: stopped by " + name + " after ").size(), 1u)
        << ending.errors;
    EXPECT_EQ(lines_with(ending.errors, "of the loop 'solve'; go on with restart=ck/" + file).size(), 1u)
        << ending.errors;
  }
  EXPECT_FALSE(folder_.names().contains("s.h5"));
  expect_same_bits(2);
}

TEST_F(CheckpointTest, ARunEndsBeforeItsTimeIsOver) {
  const auto began = std::chrono::steady_clock::now();
  const ParallelEnding ending = run_on_ranks(program, 2, folder_, with(endless(), {"wall_limit=4 s"}));
  EXPECT_EQ(ending.rank_statuses, (std::vector{4, 4})) << ending.text();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 60s);  // starting and ending ranks takes some
  EXPECT_EQ(lines_with(ending.errors, "stopped by the wall limit after ").size(), 1u) << ending.errors;
  EXPECT_EQ(checkpoints().size(), 1u);
}

TEST_F(CheckpointTest, WithoutCheckpointsASignalEndsARunAsEver) {
  Words words = endless();
  words.pop_back();
  auto run = start(1, words);
  const pid_t process = rank_of_last(0);
  ASSERT_GT(process, 0);
  std::this_thread::sleep_for(1s);
  EXPECT_EQ(kill(process, SIGTERM), 0);
  EXPECT_EQ(run.get().rank_statuses, std::vector{128 + SIGTERM});
}

TEST_F(CheckpointTest, ACheckpointThatCannotBeWrittenIsAWarning) {
  auto run = start(2, with(endless(), {"checkpoint.interval=0.3"}));
  EXPECT_TRUE(wait_for_checkpoint("tessera-helmholtz-00000001.h5"));
  std::filesystem::remove_all(folder_ / "ck");
  std::this_thread::sleep_for(2s);
  const pid_t process = rank_of_last(1);
  ASSERT_GT(process, 0);
  // It still runs, but cannot end as it should.
  EXPECT_EQ(kill(process, SIGTERM), 0);
  const ParallelEnding ending = run.get();
  EXPECT_EQ(ending.rank_statuses, (std::vector{2, 2})) << ending.text();
  EXPECT_GE(lines_with(ending.errors, "warning: no checkpoint: ck/tessera-helmholtz-0000").size(), 1u)
      << ending.errors;
  EXPECT_EQ(lines_with(ending.errors, "error: ck/tessera-helmholtz-0000").size(), 1u) << ending.errors;
}

/// Set TESSERA_KILL_TRIALS for more of them.
TEST_F(CheckpointTest, KilledRanksCostNoMoreThanAnInterval) {
  const char* asked = std::getenv("TESSERA_KILL_TRIALS");
  const int trials = asked == nullptr ? 3 : std::atoi(asked);
  std::mt19937 random(static_cast<unsigned>(getpid()));
  const Words words = with(endless(), {"restart=ck", "checkpoint.interval=0.3"});
  std::int64_t turns = 0;
  for (int trial = 0; trial < trials; ++trial) {
    SCOPED_TRACE("trial " + std::to_string(trial) + " of process " + std::to_string(getpid()));
    auto run = start_bare(2, words);
    const pid_t process = rank_of_last(static_cast<int>(random() % 2));
    ASSERT_GT(process, 0);
    // The first time, until there is something to lose; then at any time, also while a checkpoint is written.
    if (trial == 0) {
      EXPECT_TRUE(wait_for_checkpoint("tessera-helmholtz-00000002.h5"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 1500));
    const auto killed = std::filesystem::file_time_type::clock::now();
    EXPECT_EQ(kill(process, SIGKILL), 0);
    const Ending ending = run.get();
    EXPECT_FALSE(ending.hung);
    EXPECT_NE(ending.status, 0);
    const auto files = checkpoints();
    ASSERT_FALSE(files.empty());
    for (const auto& file : files) {
      const ParallelEnding check =
          run_on_ranks(program, 1, folder_,
                       {"intervals.x=600", "intervals.y=500", "tolerance=0", "turns=100000000",
                        "output.file=s.h5", "--check", "restart=" + file.string()});
      EXPECT_EQ(check.status, 0) << check.text();
    }
    EXPECT_GE(turns_of(files.front()), turns);
    if (turns_of(files.front()) > turns) {
      // An interval, a look at the clock, and a checkpoint, on a machine that others use too.
      EXPECT_LT(killed - std::filesystem::last_write_time(files.front()), 30s);
    }
    turns = turns_of(files.front());
  }
  expect_same_bits(2);
}

}  // namespace
}  // namespace tessera::app_test
