// SPDX-License-Identifier: BSD-3-Clause
// Disks that fail in the middle of a run, on one rank or on all: no rank waits for ever for another, or
// crashes.
#include <gtest/gtest.h>

#include <filesystem>

#include "program_runs.hpp"
#include "sample_images.hpp"

namespace tessera::app_test {
namespace {

using Words = std::vector<std::string>;

class FailingCallsTest : public testing::Test {
 protected:
  static Environment failing(const std::string& calls, const std::string& what) {
    return {{"LD_PRELOAD", TESSERA_FAILING_CALLS}, {"TESSERA_FAILING_" + calls, what}};
  }

  static Words image(const std::string& output) {
    return {"width=300", "height=200", "kind=noise", "threads=1", output};
  }

  static Words iteration(int turns) {
    return {"intervals.x=63",
            "intervals.y=63",
            "solver=chebyshev",
            "tolerance=0",
            "turns=" + std::to_string(turns),
            "threads=1",
            "checkpoint.directory=.",
            "checkpoint.every=5",
            "output.file=o.h5"};
  }

  /// One line, status 2 of the job, and these files.
  void expect_end(const ParallelEnding& ending, const std::string& line, const std::set<std::string>& files) {
    const Words lines = lines_with(ending.text(), "error:");
    ASSERT_EQ(lines.size(), 1U) << ending.text();
    EXPECT_TRUE(lines.front().starts_with(line)) << lines.front();
    EXPECT_EQ(ending.status, 2);
    EXPECT_FALSE(ending.hung);
    EXPECT_EQ(folder_.names(), files);
  }

  /// Expects a run to its last turn, with this number of warnings about a checkpoint, and these files at the
  /// end.
  void expect_to_go_on(const Environment& environment, const std::string& checkpoint, std::size_t warnings,
                       const std::set<std::string>& files) {
    const ParallelEnding ending =
        run_on_ranks(program_of("helmholtz"), 2, folder_, iteration(20), environment);
    EXPECT_EQ(ending.rank_statuses, (std::vector{3, 3})) << ending.text();
    const Words lines = lines_with(ending.errors, "warning: ");
    EXPECT_EQ(lines.size(), warnings) << ending.errors;
    for (const std::string& line : lines) {
      EXPECT_TRUE(line.starts_with("tessera-helmholtz: warning: no checkpoint: ./" + checkpoint +
                                   ": cannot be written ("))
          << line;
      EXPECT_TRUE(line.ends_with("; the run goes on")) << line;
    }
    EXPECT_EQ(folder_.names(), files);
    for (const std::string& name : files) std::filesystem::remove(folder_ / name);
  }

  Folder folder_;
};

TEST_F(FailingCallsTest, ResultsThatOneRankOrAllCannotWrite) {
  for (const std::string who : {"0", "1", "-1"})
    for (const std::string bytes : {"0", "1000", "30000"}) {
      SCOPED_TRACE(who + " " + bytes);
      const int ranks = who == "1" ? 3 : 2;
      const ParallelEnding ending =
          run_on_ranks(program_of("generate"), ranks, folder_, image("output.file=o.h5"),
                       failing("WRITES", who + ":o.h5:" + bytes));
      expect_end(ending, "tessera-generate: error: o.h5: cannot be written (", {});
      EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 2));
    }
}

// HDF5 itself writes chunks.
TEST_F(FailingCallsTest, ChunksThatOneRankOrAllCannotWrite) {
  for (const std::string who : {"0", "1", "-1"})
    for (const std::string bytes : {"1000", "30000"}) {
      SCOPED_TRACE(who + " " + bytes);
      Words words = image("output.file=o.h5");
      words.emplace_back("output.chunks=[50, 40]");
      expect_end(run_on_ranks(program_of("generate"), who == "-1" ? 3 : 2, folder_, words,
                              failing("WRITES", who + ":o.h5:" + bytes)),
                 "tessera-generate: error: o.h5: cannot be written (", {});
    }
}

TEST_F(FailingCallsTest, AfterCheckpointsThatOneRankCannotWriteTheRunGoesOn) {
  const std::string first = "tessera-helmholtz-00000001.h5", second = "tessera-helmholtz-00000002.h5";
  for (const std::string who : {"0", "1"})
    expect_to_go_on(failing("WRITES", who + ":" + second + ":20000"), second, 3, {first, "o.h5"});
}

TEST_F(FailingCallsTest, WithAFullDiskForCheckpointsTheRunGoesOn) {
  const std::string first = "tessera-helmholtz-00000001.h5";
  expect_to_go_on(failing("WRITES", "-1:" + first + ":0"), first, 4, {"o.h5"});
}

TEST_F(FailingCallsTest, ImagesThatOneRankCannotRead) {
  for (const Words& storage : {Words{}, Words{"output.chunks=[50, 40]"}, Words{"output.compression=1"}}) {
    Words words = image("output.file=i.h5");
    words.insert(words.end(), storage.begin(), storage.end());
    ASSERT_EQ(run_on_ranks(program_of("generate"), 1, folder_, words).status, 0);
    for (const std::string who : {"0", "1"}) {
      SCOPED_TRACE(who + (storage.empty() ? "" : " " + storage.front()));
      expect_end(run_on_ranks(program_of("convert"), 2, folder_,
                              {"input.file=i.h5", "output.raw=o.raw", "threads=1"},
                              failing("READS", who + ":i.h5:30000")),
                 "tessera-convert: error: i.h5: ", {"i.h5"});
    }
  }
}

}  // namespace
}  // namespace tessera::app_test
