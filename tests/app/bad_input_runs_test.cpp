// SPDX-License-Identifier: BSD-3-Clause
// Bad input of each kind, as a user gives it to a program under mpiexec. The messages are tested without
// processes, in bad_input_test.cpp.
#include <gtest/gtest.h>

#include "bad_input_files.hpp"
#include "blur_runs.hpp"

namespace tessera::app_test {
namespace {

/// A run that must be refused.
struct BadRun {
  std::string name;
  std::vector<std::string> words;
  /// Words of the message.
  std::vector<std::string> message;
  Environment environment = {};
};

void PrintTo(const BadRun& run, std::ostream* stream) { *stream << run.name; }

const std::vector<BadRun> bad_runs = {
    {"missing_image", {"good.yaml", "input.file=missing.png"}, {"missing.png:", "no such file"}},
    {"deck_is_a_list", {"list.yaml"}, {"list.yaml:1:1:", "a deck is a block of keys"}},
    {"unknown_key", {"unknown.yaml"}, {"unknown.yaml:4:5:", "unknown key 'schedule.bh.compte'"}},
    {"grid_does_not_fit", {"grid.yaml"}, {"grid.yaml:2:7: 'grid':", "multiply to 3 ranks:"}},
    {"environment",
     {"good.yaml"},
     {"OMP_NUM_THREADS is 'many'", "from 1 to 512"},
     {{"OMP_NUM_THREADS", "many"}}},
    {"threads_of_kokkos",
     {"good.yaml"},
     {"KOKKOS_NUM_THREADS is '8'", "unset it"},
     {{"KOKKOS_NUM_THREADS", "8"}, {"OMP_NUM_THREADS", "1"}}},
    {"more_threads_than_the_limit_of_openmp",
     {"good.yaml", "threads=2"},
     {"threads is 2", "OMP_THREAD_LIMIT allows 1"},
     {{"OMP_THREAD_LIMIT", "1"}}},
    {"png_cut_in_its_data", {"good.yaml", "input.file=data.png"}, {"data.png:", "damaged or truncated PNG"}},
};

class BadInputRunTest : public testing::TestWithParam<BadRun> {};

TEST_P(BadInputRunTest, IsOneLineAndStatus2OnAllRanks) {
  const Folder folder;
  write_bad_input(folder.path());
  const auto before = folder.names();
  const ParallelEnding ending = blur(3, folder, GetParam().words, GetParam().environment);
  // OpenMP may print a line about its environment, too.
  expect_refusal(errors_of(ending), GetParam().message);
  EXPECT_EQ(folder.names(), before);
}

INSTANTIATE_TEST_SUITE_P(Kinds, BadInputRunTest, testing::ValuesIn(bad_runs),
                         [](const auto& info) { return info.param.name; });

// Legal settings of OpenMP that Kokkos alone would not start with.
TEST(EnvironmentTest, LegalSettingsOfOpenMpCompute) {
  const Folder folder;
  write_bad_input(folder.path());
  const Environment settings = {
      {"OMP_DYNAMIC", "true"}, {"OMP_MAX_ACTIVE_LEVELS", "0"}, {"OMP_NUM_THREADS", "2"}};
  for (const char* limit : {"1", "2"}) {
    Environment environment = settings;
    environment["OMP_THREAD_LIMIT"] = limit;
    const Ending ending = blur_alone(folder, {"good.yaml"}, environment);
    EXPECT_EQ(ending.status, 0) << limit << ending.text();
  }
}

// A file of the run would get the number of a closed stream, and would be written to as if it were the
// stream.
TEST(EnvironmentTest, ClosedStreamsCostNoResult) {
  const Folder folder;
  write_bad_input(folder.path());
  ASSERT_EQ(blur_alone(folder, {"good.yaml"}).status, 0);
  const std::string result = folder.read("o.h5");
  for (const std::string closed : {">&-", "2>&-", "<&- >&- 2>&-"}) {
    const Ending ending =
        run({{"sh", "-c", "exec \"$0\" \"$@\" " + closed, TESSERA_BLUR, "good.yaml"}, folder.path(), {}});
    EXPECT_EQ(ending.status, 0) << closed << ending.text();
    EXPECT_EQ(folder.read("o.h5").size(), result.size()) << closed;
    if (closed == ">&-") test::expect_message(ending.errors, {"standard output is closed", "only results"});
  }
}

// Each process that the launcher of another MPI starts believes to be alone.
TEST(ForeignLauncherTest, IsRefusedByOneLine) {
  const Folder folder;
  write_bad_input(folder.path());
  const auto before = folder.names();
  for (const char* process : {"0", "1"}) {
    SCOPED_TRACE(process);
    const Ending ending =
        blur_alone(folder, {"good.yaml"}, {{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", process}});
    EXPECT_EQ(ending.status, 2);
    if (*process == '1')
      EXPECT_EQ(ending.text(), "");
    else
      test::expect_message(test::replaced(ending.text(), TESSERA_LAUNCHER, "<launcher>"),
                           {"the launcher started 2 processes", "which is <launcher>"});
    EXPECT_EQ(folder.names(), before);
  }
}

}  // namespace
}  // namespace tessera::app_test
