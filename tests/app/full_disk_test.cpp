// SPDX-License-Identifier: BSD-3-Clause
// Results and checkpoints that do not fit on the disk.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <regex>

#include "full_disks.hpp"
#include "sample_images.hpp"

namespace tessera::app_test {
namespace {

using Words = std::vector<std::string>;

/// More than MPI's own files in memory.
constexpr int limit_mebibytes = 8;

void write_noise(const std::string& path, int bytes) {
  std::mt19937 random(1);
  std::ofstream file(path, std::ios::binary);
  for (int i = 0; i < bytes; ++i) file.put(static_cast<char>(random() & 0xFF));
}

/// Files in the folder `disk` do not fit: the folder is a small file system, or, where that is not allowed,
/// too, the size of files is limited.
class FullDiskTest : public testing::Test {
 protected:
  FullDiskTest() { std::filesystem::create_directory(folder_ / "disk"); }

  /// One line that names the file, status 2 on all ranks, and nothing left.
  void expect_no_room(int ranks, int side, const std::string& key, const std::string& reason,
                      const Words& storage = {}) const {
    SCOPED_TRACE(key + " on " + std::to_string(ranks) + " ranks");
    const std::string size = std::to_string(side), name = "disk/o";
    // What PNG cannot compress takes longer to draw.
    const std::string kind = key == "output.png" ? "kind=noise" : "kind=checkerboard";
    Words words{"width=" + size, "height=" + size, kind, "type=uint16", "threads=1", key + "=" + name};
    words.insert(words.end(), storage.begin(), storage.end());
    const ParallelEnding ending = run_on_ranks(program_of("generate"), ranks, folder_, words);
    const std::string line = "tessera-generate: error: " + name + ": cannot be written (" + reason +
                             "); free some space, or choose another place";
    EXPECT_EQ(lines_with(ending.text(), "error:"), Words{line}) << ending.text();
    EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 2));
    EXPECT_EQ(ending.status, 2);
    EXPECT_FALSE(ending.hung);
    EXPECT_TRUE(std::filesystem::is_empty(folder_ / "disk"));
  }

  /// One line that names the file, status 2 of the job, and nothing left.
  void expect_one_line(const ParallelEnding& ending, const std::string& program, int ranks) const {
    SCOPED_TRACE(program + " on " + std::to_string(ranks) + " ranks");
    const Words lines = lines_with(ending.text(), "error:");
    ASSERT_EQ(lines.size(), 1U) << ending.text();
    EXPECT_TRUE(lines.front().starts_with(program + ": error: disk/o.h5: cannot be written ("))
        << lines.front();
    EXPECT_TRUE(lines.front().ends_with("); free some space, or choose another place")) << lines.front();
    EXPECT_EQ(ending.status, 2);
    EXPECT_FALSE(ending.hung);
    EXPECT_TRUE(std::filesystem::is_empty(folder_ / "disk"));
  }

  /// A run of some turns on `side` x `side` points, whose checkpoints hold twice as much as its result.
  ParallelEnding iterate(int ranks, int side, int turns) const {
    const std::string intervals = std::to_string(side - 1);
    return run_on_ranks(program_of("helmholtz"), ranks, folder_,
                        {"intervals.x=" + intervals, "intervals.y=" + intervals, "solver=chebyshev",
                         "tolerance=0", "turns=" + std::to_string(turns), "threads=1", "output.file=s.h5",
                         "checkpoint.directory=disk", "restart=disk"});
  }

  /// Goes on with the only checkpoint there is, without room for another.
  void expect_warning(int ranks, int side) const {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    const ParallelEnding ending = iterate(ranks, side, 10);
    EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 3)) << ending.text();
    EXPECT_EQ(lines_with(ending.output, "restart disk/" + first_ + ": after 5 turns").size(), 1U);
    const auto warnings = lines_with(ending.errors, "warning: ");
    ASSERT_EQ(warnings.size(), 1U) << ending.errors;
    EXPECT_TRUE(warnings.front().starts_with("tessera-helmholtz: warning: no checkpoint: disk/" + second_ +
                                             ": cannot be written ("))
        << warnings.front();
    EXPECT_TRUE(warnings.front().ends_with("); free some space, or choose another place; the run goes on"))
        << warnings.front();
    EXPECT_EQ(names_on_disk(), std::set<std::string>{first_});
  }

  /// The keys of results, which the program lists where a deck has none of them.
  Words keys() const {
    const std::string text = run_on_ranks(program_of("generate"), 1, folder_, {}).text();
    const std::regex key("output\\.[a-z_]+");
    Words found;
    for (std::sregex_iterator match(text.begin(), text.end(), key), end; match != end; ++match)
      found.push_back(match->str());
    EXPECT_GE(found.size(), 4U) << text;
    return found;
  }

  std::set<std::string> names_on_disk() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "disk"))
      names.insert(entry.path().filename());
    return names;
  }

  const std::string first_ = "tessera-helmholtz-00000001.h5";
  const std::string second_ = "tessera-helmholtz-00000002.h5";
  Folder folder_;
};

TEST_F(FullDiskTest, ResultsThatDoNotFitAreOneLineAndLeaveNothing) {
  if (!SmallDisk::is_allowed()) GTEST_SKIP() << "nothing may be mounted here; limits see to the rest";
  const SmallDisk disk(folder_ / "disk", 128);
  for (const std::string& key : keys())
    for (const int ranks : {1, 2, 3}) expect_no_room(ranks, 400, key, "No space left on device");
}

// Chunks at an edge are stored whole, and many of them have a long index: more than the array itself.
TEST_F(FullDiskTest, ChunksThatDoNotFitAreOneLineAndLeaveNothing) {
  if (!SmallDisk::is_allowed()) GTEST_SKIP() << "nothing may be mounted here; limits see to the rest";
  const SmallDisk disk(folder_ / "disk", 600);
  for (const int ranks : {1, 2})
    for (const Words& storage : {Words{"output.chunks=[399, 399]"}, Words{"output.chunks=[2, 2]"},
                                 Words{"output.chunks=[399, 399]", "output.compression=1"}})
      expect_no_room(ranks, 400, "output.file", "No space left on device", storage);
}

// A chunk that is compressed again, for another band, may be put elsewhere, and its old place is lost: no
// room is made for that. Ranks would wait for the one that could not write.
TEST_F(FullDiskTest, ChunksThatGrowFromBandToBandEndTheRun) {
  if (!SmallDisk::is_allowed()) GTEST_SKIP() << "nothing may be mounted here; limits see to the rest";
  const SmallDisk disk(folder_ / "disk", 1164);
  write_noise(folder_ / "noise.raw", 1 << 20);
  for (const int ranks : {1, 2}) {
    const ParallelEnding ending = run_on_ranks(
        program_of("convert"), ranks, folder_,
        {"input.file=noise.raw", "input.raw.shape=[32,64,64]", "input.raw.type=int64", "bands=64",
         "output.chunks=[8,64,32]", "output.compression=1", "threads=1", "output.file=disk/o.h5"});
    expect_one_line(ending, "tessera-convert", ranks);
  }
}

// A history is as long as the run: room for it is made at the end.
TEST_F(FullDiskTest, HistoriesThatDoNotFitAreOneLineAndLeaveNothing) {
  if (!SmallDisk::is_allowed()) GTEST_SKIP() << "nothing may be mounted here; limits see to the rest";
  const SmallDisk disk(folder_ / "disk", 136);
  for (const int ranks : {1, 2}) {
    const ParallelEnding ending =
        run_on_ranks(program_of("helmholtz"), ranks, folder_,
                     {"intervals.x=15", "intervals.y=15", "solver=chebyshev", "tolerance=0", "turns=1000",
                      "threads=1", "output.file=disk/o.h5"});
    expect_one_line(ending, "tessera-helmholtz", ranks);
    EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 2));
  }
}

TEST_F(FullDiskTest, ResultsBeyondALimitAreOneLineAndLeaveNothing) {
  const Words all = keys();
  const SizeLimit limit(limit_mebibytes);
  for (const std::string& key : all) {
    if (key == "output.png" && SmallDisk::is_allowed()) continue;  // slow, and seen above
    expect_no_room(2, 2300, key, "File too large");
  }
}

TEST_F(FullDiskTest, ACheckpointThatDoesNotFitIsAWarningAndTheOldOneStays) {
  if (!SmallDisk::is_allowed()) GTEST_SKIP() << "nothing may be mounted here; limits see to the rest";
  const SmallDisk disk(folder_ / "disk", 600);
  EXPECT_EQ(iterate(1, 120, 5).status, 3);
  for (const int ranks : {1, 2, 3}) expect_warning(ranks, 120);
}

TEST_F(FullDiskTest, ACheckpointBeyondALimitIsAWarningAndTheOldOneStays) {
  EXPECT_EQ(iterate(1, 900, 5).status, 3);
  const SizeLimit limit(limit_mebibytes);
  expect_warning(2, 900);
}

}  // namespace
}  // namespace tessera::app_test
