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
  /// Runs, and expects one line to tell of an error with these words, soon.
  ParallelEnding failing(const std::string& program, int ranks, const Words& words, const Words& told,
                         test::SourceLine caller = test::SourceLine::here()) const {
    const auto began = std::chrono::steady_clock::now();
    ParallelEnding ending = run_on_ranks(program, ranks, folder_, words);
    expect_error(errors_of(ending), told, caller);
    EXPECT_FALSE(ending.hung);
    EXPECT_LT(std::chrono::steady_clock::now() - began, 30s) << "on a machine that others use, too";
    return ending;
  }

  /// All ranks end by themselves with this status, and leave nothing.
  void expect_refused(int status, const std::string& program, int ranks, const Words& words,
                      const Words& told, test::SourceLine caller = test::SourceLine::here()) const {
    const auto before = folder_.names();
    const ParallelEnding ending = failing(program_of(program), ranks, words, told, caller);
    EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), status))
        << ending.text();
    EXPECT_EQ(ending.status, status);
    EXPECT_EQ(folder_.names(), before);
  }

  Folder folder_;
};

TEST_F(EndingsTest, AnExceptionOnOneRankEndsAll) {
  EXPECT_EQ(failing(TESSERA_FAILING, 3, {"barrier"}, {"the last rank fails"}).status, 1);
  EXPECT_EQ(failing(TESSERA_FAILING, 2, {"verdict", "output.raw=o.raw", "threads=1"}, {"no verdict"}).status,
            1);
}

// HDF5 closes files on all ranks together, and the others are elsewhere.
TEST_F(EndingsTest, AnExceptionOnOneRankEndsAllWhileAnHdf5FileIsOpen) {
  for (const int ranks : {1, 2, 3})
    for (const Words& storage : {Words{}, Words{"output.chunks=[4, 4]"}}) {
      Words words{"alone", "output.file=o.h5", "threads=1"};
      words.insert(words.end(), storage.begin(), storage.end());
      EXPECT_EQ(failing(TESSERA_FAILING, ranks, words, {"the last rank fails"}).status, 1);
      EXPECT_EQ(folder_.names(), std::set<std::string>{});
    }
}

TEST_F(EndingsTest, AnExceptionThatAllKnowOfEndsEachWithStatus1) {
  const ParallelEnding ending =
      failing(TESSERA_FAILING, 3, {"pipeline", "output.raw=o.raw"}, {"no pipeline"});
  EXPECT_EQ(ending.rank_statuses, (std::vector{1, 1, 1}));
  EXPECT_EQ(folder_.names(), std::set<std::string>{});
}

TEST_F(EndingsTest, APipelineWithoutAResultEndsWithStatus1) {
  for (const int ranks : {1, 3})
    EXPECT_EQ(failing(TESSERA_FAILING, ranks, {"picture", "output.raw=o.raw"}, {"failing has 0 outputs"})
                  .rank_statuses,
              std::vector<int>(static_cast<std::size_t>(ranks), 1));
  EXPECT_EQ(folder_.names(), std::set<std::string>{});
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
      {"'solve' diverges:", "'residual' is nan"});
}

TEST_F(EndingsTest, AnIterationThatDivergesEndsWithStatus5AndWritesNothing) {
  const ParallelEnding ending =
      failing(TESSERA_FAILING, 2, {"iteration", "threads=1", "checkpoint.directory=.", "checkpoint.every=3"},
              {"'solve' diverges:", "'change' is nan"});
  EXPECT_EQ(ending.rank_statuses, (std::vector{5, 5}));
  EXPECT_EQ(ending.text().find("has ended"), std::string::npos);
  EXPECT_EQ(folder_.names(), std::set<std::string>{});
}

/// The first half of a file of every format.
TEST_F(EndingsTest, TruncatedFilesEndAllRanks) {
  const auto expect_damaged = [&](const std::string& bytes, const Words& told, const Words& more = {}) {
    folder_.write("half", bytes.substr(0, bytes.size() / 2));
    Words words = {"input.file=half", "output.file=o.h5", "threads=1"};
    words.insert(words.end(), more.begin(), more.end());
    expect_refused(2, "convert", 2, words, told);
  };
  const auto sample = [](const std::string& name) {
    std::ifstream file(TESSERA_SOURCE_FOLDER "/tests/fuzz/images/" + name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  expect_damaged(sample("grey.png"), {"half:", "damaged or truncated PNG"});
  expect_damaged(sample("grey.jpg"), {"half:", "truncated JPEG (Premature"});
  expect_damaged(sample("strips.tif"), {"half:", "truncated TIFF"});
  expect_damaged(sample("image.h5"), {"half:", "truncated HDF5 file", "eof = 245"});
  expect_damaged("x = 40, y = 2, rule = B3/S23\n" + std::string(20, 'b') + std::string(20, 'o') + "$40o!\n",
                 {"half:", "truncated RLE", "line 2"});
  const auto card = [](std::string text) { return text.append(80 - text.size(), ' '); };
  std::string fits;
  for (const char* text :
       {"SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   =                    2",
        "NAXIS1  =                   90", "NAXIS2  =                   80", "END"})
    fits += card(text);
  fits.append(2880 - fits.size(), ' ');
  fits.append(2880 * 3, '\1');
  expect_damaged(fits, {"half:", "truncated FITS", "5760 bytes"});
  expect_damaged(std::string(40 * 30, 'x'), {"half:", "is too short", "1200 bytes"},
                 {"input.raw.type=uint8", "input.raw.shape=[30, 40]"});
}

// Root may write anywhere, unless it gives that up.
TEST_F(EndingsTest, FoldersAndFilesThatPermissionsCloseEndAllRanks) {
  const bool is_root = geteuid() == 0;
  const auto expect_closed = [&](const std::string& program, Words words, const Words& told) {
    std::string command = program_of(program);
    if (is_root) {
      words.insert(words.begin(), {"--bounding-set=-dac_override,-dac_read_search", command});
      command = "setpriv";
    }
    EXPECT_EQ(failing(command, 2, words, told).rank_statuses, (std::vector{2, 2}));
  };
  using std::filesystem::perms;
  std::filesystem::create_directory(folder_ / "closed");
  std::filesystem::permissions(folder_ / "closed", perms::owner_read | perms::owner_exec);
  write_sample(folder_, "image.h5", {"uint8"});
  expect_closed("blur", {"input.file=image.h5", "output.png=closed/o.png"},
                {"closed/o.png:", "cannot be written (Permission denied)"});
  expect_closed("blur", {"input.file=image.h5", "output.png=o.png", "--report", "closed/r.txt"},
                {"closed/r.txt:", "cannot be written (Permission denied)"});
  expect_closed("helmholtz", {"output.file=s.h5", "checkpoint.directory=closed"},
                {"closed/tessera-helmholtz-00000001.h5:", "cannot be written"});
  std::filesystem::permissions(folder_ / "image.h5", perms::none);
  expect_closed("blur", {"input.file=image.h5", "output.png=o.png"}, {"image.h5:", "Permission denied"});
  EXPECT_EQ(folder_.names(), (std::set<std::string>{"closed", "image.h5"}));
}

}  // namespace
}  // namespace tessera::app_test
