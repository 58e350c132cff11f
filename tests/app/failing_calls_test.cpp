// SPDX-License-Identifier: BSD-3-Clause
// Disks that fail in the middle of a run, on one rank or on all: no rank waits for ever for another.
#include <gtest/gtest.h>

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

  Folder folder_;
};

TEST_F(FailingCallsTest, ResultsThatOneRankOrAllCannotWrite) {
  for (const std::string who : {"0", "1", "-1"}) {
    SCOPED_TRACE(who);
    expect_end(run_on_ranks(program_of("generate"), 2, folder_,
                            {"width=300", "height=200", "kind=noise", "threads=1", "output.file=o.h5"},
                            failing("WRITES", who + ":o.h5:30000")),
               "tessera-generate: error: o.h5: cannot be written (", {});
  }
}

TEST_F(FailingCallsTest, CheckpointsThatOneRankCannotWrite) {
  const std::string first = "tessera-helmholtz-00000001.h5", second = "tessera-helmholtz-00000002.h5";
  expect_end(run_on_ranks(program_of("helmholtz"), 2, folder_, iteration(20),
                          failing("WRITES", "1:" + second + ":20000")),
             "tessera-helmholtz: error: ./" + second + ": cannot be written (", {first});
}

// The folder is tried before any work.
TEST_F(FailingCallsTest, FoldersOfCheckpointsOnAFullDisk) {
  const std::string first = "tessera-helmholtz-00000001.h5";
  expect_end(run_on_ranks(program_of("helmholtz"), 2, folder_, iteration(20),
                          failing("WRITES", "-1:" + first + ":0")),
             "tessera-helmholtz: error: ./" + first + ": cannot be written (", {});
}

TEST_F(FailingCallsTest, ImagesThatOneRankCannotRead) {
  const Words image{"width=300", "height=200", "kind=noise", "threads=1"};
  for (const Words& storage : {Words{}, Words{"output.chunks=[50, 40]"}, Words{"output.compression=1"}}) {
    Words words = image;
    words.push_back("output.file=i.h5");
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
