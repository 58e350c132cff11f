// SPDX-License-Identifier: BSD-3-Clause
// However a run on several ranks fails: all of them end, soon, with one line.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sample_images.hpp"

namespace tessera::app_test {
namespace {

using Words = std::vector<std::string>;
using namespace std::chrono_literals;

class EndingsTest : public testing::Test {
 protected:
  /// Runs, and expects this line alone to tell of an error, soon.
  ParallelEnding failing(const std::string& program, int ranks, const Words& words,
                         const std::string& line) const {
    SCOPED_TRACE(line);
    const auto began = std::chrono::steady_clock::now();
    ParallelEnding ending = run_on_ranks(program, ranks, folder_, words);
    EXPECT_EQ(lines_with(ending.text(), "error:"), Words{line}) << ending.text();
    EXPECT_FALSE(ending.hung);
    EXPECT_LT(std::chrono::steady_clock::now() - began, 30s) << "on a machine that others use, too";
    return ending;
  }

  /// All ranks end by themselves with this status, and leave nothing.
  void expect_refused(int status, const std::string& program, int ranks, const Words& words,
                      const std::string& message) const {
    const auto before = folder_.names();
    const ParallelEnding ending =
        failing(program_of(program), ranks, words, program_name(program) + ": error: " + message);
    EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), status)) << message;
    EXPECT_EQ(ending.status, status);
    EXPECT_EQ(folder_.names(), before);
  }

  Folder folder_;
};

TEST_F(EndingsTest, AnExceptionOnOneRankEndsAll) {
  EXPECT_EQ(failing(TESSERA_FAILING, 3, {"barrier"}, "failing: error: the last rank fails").status, 1);
  EXPECT_EQ(
      failing(TESSERA_FAILING, 2, {"verdict", "output.raw=o.raw", "threads=1"}, "failing: error: no verdict")
          .status,
      1);
}

TEST_F(EndingsTest, AnExceptionThatAllKnowOfEndsEachWithStatus1) {
  const ParallelEnding ending =
      failing(TESSERA_FAILING, 3, {"pipeline", "output.raw=o.raw"}, "failing: error: no pipeline");
  EXPECT_EQ(ending.rank_statuses, (std::vector{1, 1, 1}));
  EXPECT_EQ(folder_.names(), std::set<std::string>{});
}

// A deck that schedules such a name would do nothing, and nobody would know.
TEST_F(EndingsTest, NamesThatThePipelineLacksEndEachWithStatus1) {
  const auto expect_ended = [this](const Words& words, const std::string& message) {
    for (const int ranks : {1, 3})
      EXPECT_EQ(failing(TESSERA_FAILING, ranks, words, "failing: error: PipelineApplication::" + message)
                    .rank_statuses,
                std::vector<int>(static_cast<std::size_t>(ranks), 1));
    EXPECT_EQ(folder_.names(), std::set<std::string>{});
  };
  expect_ended({"names-stage", "output.raw=o.raw"},
               "stages: the pipeline has no stage 'zer'; did you mean 'zero'?");
  expect_ended({"names-stage", "output.raw=o.raw", "schedule.zer.compute=tile"},
               "stages: the pipeline has no stage 'zer'; did you mean 'zero'?");
  expect_ended({"names-reduction", "output.raw=o.raw"},
               "reductions: the pipeline has no reduction 'greatest': the names are zero");
  expect_ended({"names-loop", "output.raw=o.raw"}, "loops: the pipeline has no loop 'solve': leave it out");
  expect_ended({"names-output", "output.raw=o.raw"},
               "output: the pipeline has no output 'zeros'; did you mean 'zero'?");
  expect_ended({"names-optional-output", "output.raw=o.raw"},
               "output: the pipeline has no output 'zeros'; did you mean 'zero'?");
  expect_ended({"names-no-output", "output.raw=o.raw"},
               "output: a program has one: take the names from a pipeline with with_names_of");
}

// Without this, the tests above could pass for another reason.
TEST_F(EndingsTest, TheSameProgramCanSucceed) {
  const ParallelEnding ending =
      run_on_ranks(TESSERA_FAILING, 2, folder_, {"nowhere", "output.raw=o.raw", "threads=1"});
  EXPECT_EQ(ending.rank_statuses, (std::vector{0, 0})) << ending.text();
  EXPECT_TRUE(folder_.names().contains("o.raw"));
}

TEST_F(EndingsTest, ALoopThatDivergesEndsWithStatus5) {
  expect_refused(
      5, "helmholtz", 2,
      {"type=float32", "alpha=1e39", "intervals.x=20", "intervals.y=20", "threads=1", "output.file=s.h5"},
      "the loop 'solve' diverges: after turn 1 its residual 'residual' is nan; start from other "
      "data or change its parameters");
}

TEST_F(EndingsTest, AnIterationThatDivergesEndsWithStatus5AndWritesNothing) {
  const ParallelEnding ending =
      failing(TESSERA_FAILING, 2, {"iteration", "threads=1", "checkpoint.directory=.", "checkpoint.every=3"},
              "failing: error: the loop 'solve' diverges: after turn 3 its residual 'change' is nan; start "
              "from other data or change its parameters");
  EXPECT_EQ(ending.rank_statuses, (std::vector{5, 5}));
  EXPECT_EQ(ending.text().find("has ended"), std::string::npos);
  EXPECT_EQ(folder_.names(), std::set<std::string>{});
}

/// The first half of a file of every format.
TEST_F(EndingsTest, TruncatedFilesEndAllRanks) {
  const auto expect_damaged = [&](const std::string& bytes, const std::string& message,
                                  const Words& more = {}) {
    folder_.write("half", bytes.substr(0, bytes.size() / 2));
    Words words = {"input.file=half", "output.file=o.h5", "threads=1"};
    words.insert(words.end(), more.begin(), more.end());
    expect_refused(2, "convert", 2, words, message);
  };
  const auto sample = [](const std::string& name) {
    std::ifstream file(TESSERA_SOURCE_FOLDER "/tests/fuzz/images/" + name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  expect_damaged(sample("grey.png"),
                 "half: damaged or truncated PNG (the file ends too early); get a complete copy of the file");
  expect_damaged(
      sample("grey.jpg"),
      "half: damaged or truncated JPEG (Premature end of JPEG file); get a complete copy of the file");
  expect_damaged(sample("strips.tif"),
                 "half: damaged or truncated TIFF (Failed to read directory at offset 78); get a complete "
                 "copy of the file");
  expect_damaged(sample("image.h5"),
                 "half: damaged or truncated HDF5 file (truncated file: eof = 245, sblock->base_addr = 0, "
                 "stored_eof = 491); get a complete copy of the file");
  expect_damaged("x = 40, y = 2, rule = B3/S23\n" + std::string(20, 'b') + std::string(20, 'o') + "$40o!\n",
                 "half: damaged or truncated RLE pattern (line 2: the file ends before its '!'); get a "
                 "complete copy of the file");
  const auto card = [](std::string text) { return text.append(80 - text.size(), ' '); };
  std::string fits;
  for (const char* text :
       {"SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   =                    2",
        "NAXIS1  =                   90", "NAXIS2  =                   80", "END"})
    fits += card(text);
  fits.append(2880 - fits.size(), ' ');
  fits.append(2880 * 3, '\1');
  expect_damaged(fits,
                 "half: damaged or truncated FITS file (it has 5760 bytes, its header says 10080); get a "
                 "complete copy of the file");
  expect_damaged(std::string(40 * 30, 'x'),
                 "half: is too short: [0, 40) x [0, 30) of uint8 take 1200 bytes from byte 0 on, but there "
                 "are 600; give the shape, the type and the offset of what it holds",
                 {"input.raw.type=uint8", "input.raw.shape=[30, 40]"});
}

// Root may write anywhere, unless it gives that up.
TEST_F(EndingsTest, FoldersAndFilesThatPermissionsCloseEndAllRanks) {
  const bool is_root = geteuid() == 0;
  const auto expect_closed = [&](const std::string& program, Words words, const std::string& message) {
    const std::string line = program_name(program) + ": error: " + message;
    std::string command = program_of(program);
    if (is_root) {
      words.insert(words.begin(), {"--bounding-set=-dac_override,-dac_read_search", command});
      command = "setpriv";
    }
    EXPECT_EQ(failing(command, 2, words, line).rank_statuses, (std::vector{2, 2}));
  };
  using std::filesystem::perms;
  std::filesystem::create_directory(folder_ / "closed");
  std::filesystem::permissions(folder_ / "closed", perms::owner_read | perms::owner_exec);
  write_sample(folder_, "image.h5", {"uint8"});
  const auto unwritable = [](const std::string& name) {
    return name + ": cannot be written (Permission denied); choose a folder that can be written";
  };
  expect_closed("blur", {"input.file=image.h5", "output.png=closed/o.png"}, unwritable("closed/o.png"));
  expect_closed("blur", {"input.file=image.h5", "output.png=o.png", "--report", "closed/r.txt"},
                unwritable("closed/r.txt"));
  expect_closed("helmholtz", {"output.file=s.h5", "checkpoint.directory=closed"},
                unwritable("closed/tessera-helmholtz-00000001.h5"));
  std::filesystem::permissions(folder_ / "image.h5", perms::none);
  expect_closed("blur", {"input.file=image.h5", "output.png=o.png"},
                "image.h5: Permission denied; check the file's permissions");
  EXPECT_EQ(folder_.names(), (std::set<std::string>{"closed", "image.h5"}));
}

}  // namespace
}  // namespace tessera::app_test
