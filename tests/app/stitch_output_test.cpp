// SPDX-License-Identifier: BSD-3-Clause
// What tessera-stitch writes, and what it finds out about it before it begins.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>

#include "full_disks.hpp"
#include "io/plain_hdf5.hpp"
#include "stitch_runs.hpp"

namespace tessera::app_test {
namespace {

class StitchOutputTest : public testing::Test {
 protected:
  StitchOutputTest() { plate_.write_all(folder_); }

  Folder folder_;
  CutPlate plate_{{.rows = 2, .columns = 3, .seed = 22}};
};

TEST_F(StitchOutputTest, ReportAndTraceSpareOtherFiles) {
  const std::string tile = folder_.read("t_r01_c02.png");
  expect_refusal(stitch(folder_, 2, {"output.positions=p.csv", "--report", "./t_r01_c02.png"}),
                 {"--report ./t_r01_c02.png:", "uses this file already"});
  expect_refusal(stitch(folder_, 2, {"output.positions=p.csv", "--trace", "p.csv"}),
                 {"--trace p.csv:", "uses this file already"});
  expect_refusal(stitch(folder_, 2, {"output.tiff=p.tif", "--report", "p.tif"}),
                 {"--report p.tif:", "uses this file already"});
  expect_refusal(stitch(folder_, 2, {"output.positions=p.csv", "--report", "r", "--trace", "r"}),
                 {"--trace r:", "uses this file already"});
  EXPECT_TRUE(folder_.read("t_r01_c02.png") == tile);
  EXPECT_FALSE(folder_.names().contains("p.csv"));
}

TEST_F(StitchOutputTest, PlatesThatCannotBeWrittenAreRefusedAtOnce) {
  std::filesystem::create_directory(folder_ / "folder");
  for (const char* key : {"output.tiff", "output.ome_tiff", "output.file", "output.png", "output.raw"}) {
    const ParallelEnding ending =
        stitch(folder_, 2, {"output.positions=p.csv", std::string(key) + "=folder"});
    expect_refusal(ending, {"folder:", "exists and is not a regular file"});
    EXPECT_TRUE(lines_with(ending.output, "compared").empty()) << key;
    EXPECT_EQ(stitch(folder_, 1, {std::string(key) + "=folder", "--check"}).status, 2);
  }
  for (const char* key : {"output.tiff", "output.ome_tiff", "output.png"}) {
    const std::string path = "plate of " + std::string(key);
    const ParallelEnding ending =
        stitch(folder_, 2, {"output.positions=p.csv", std::string(key) + "=" + path});
    expect_done(ending);
    EXPECT_EQ(folder_.names().count(path), 1U);
  }
}

TEST_F(StitchOutputTest, NumbersOfChannelsThatAFormatLacksAreRefusedAtOnce) {
  for (int column = 0; column < 3; ++column) {
    std::vector<std::uint16_t> pixels;
    const auto corner = plate_.corner(0, column);
    for (int channel = 0; channel < 2; ++channel)
      for (int y = 0; y < 90; ++y)
        for (int x = 0; x < 120; ++x)
          pixels.push_back(static_cast<std::uint16_t>(plate_.pixel(corner.first + x, corner.second + y)));
    io_test::write_plain_hdf5(folder_ / ("c0_" + std::to_string(column) + ".h5"), "tile", {2, 90, 120},
                              pixels, H5T_NATIVE_UINT16, {.type = H5T_NATIVE_UINT16});
  }
  const std::string tiles = "input.tiles=c{row}_{col}.h5";
  const ParallelEnding ending = stitch(folder_, 2, {tiles, "output.positions=p.csv", "output.tiff=p.tif"});
  expect_refusal(ending, {"p.tif:", "1, 3 or 4 channels", "write HDF5"});
  EXPECT_TRUE(lines_with(ending.output, "compared").empty());
  expect_done(stitch(folder_, 2, {tiles, "output.file=p.h5", "output.raw=p"}));
}

/// The folder `disk` has little room while a test of this kind runs.
class StitchRoomTest : public StitchOutputTest {
 protected:
  StitchRoomTest() { std::filesystem::create_directory(folder_ / "disk"); }

  /// Expects that a plate which no disk holds is refused. This is for machines on which no small disk may be
  /// mounted.
  void expect_no_disk_holds_it() const {
    folder_.write(
        "far.csv",
        "row,col,x,y\n0,0,0,0\n0,1,100,0\n0,2,200,0\n1,0,0,80\n1,1,100,80\n1,2,1000000000,1000000000\n");
    const ParallelEnding ending = stitch(folder_, 2, {"input.placed=far.csv", "output.raw=r"});
    EXPECT_EQ(ending.rank_statuses, (std::vector<int>{2, 2})) << ending.text();
    EXPECT_EQ(lines_with(ending.errors, "r: this needs some ").size(), 1U) << ending.text();
    EXPECT_EQ(lines_with(ending.errors, ": make room, or write elsewhere").size(), 1U) << ending.text();
    EXPECT_FALSE(folder_.names().contains("r"));
  }
};

// The plate of 2 x 3 tiles has some 320 x 170 pixels of 2 bytes, 106 KiB.
TEST_F(StitchRoomTest, AllFilesOnADiskCountBeforeTheWorkBegins) {
  if (!SmallDisk::is_allowed()) return expect_no_disk_holds_it();
  const SmallDisk disk(folder_ / "disk", 160);
  expect_done(stitch(folder_, 2, {"output.positions=p.csv", "output.tiff=disk/p.tif", "output.raw=r"}));
  std::filesystem::remove(folder_ / "disk/p.tif");
  const auto expect_no_room = [&](const Words& outputs, const Words& told) {
    Words words = outputs;
    words.emplace_back("output.positions=q.csv");
    const ParallelEnding ending = stitch(folder_, 2, words);
    expect_refusal(ending, told);
    EXPECT_TRUE(lines_with(ending.output, "compared").empty());
    EXPECT_FALSE(folder_.names().contains("q.csv"));
  };
  expect_no_room({"output.tiff=disk/p.tif", "output.raw=disk/r"},
                 {"'output.raw':", "disk/p.tif and disk/r", "197.4 KiB"});
  expect_no_room({"output.ome_tiff=disk/o.tif"}, {"'output.ome_tiff':", "disk/o.tif", "164.5 KiB"});
}

TEST_F(StitchRoomTest, APlateThatNoDiskHoldsIsRefused) { expect_no_disk_holds_it(); }

// The share that the deck gives for the overlap lets a smaller plate expect.
TEST_F(StitchRoomTest, ThePlateIsMeasuredBeforeItIsWritten) {
  if (!SmallDisk::is_allowed()) return expect_no_disk_holds_it();
  const SmallDisk disk(folder_ / "disk", 92);
  const ParallelEnding ending =
      stitch(folder_, 2, {"output.positions=p.csv", "input.overlap=0.35", "output.tiff=disk/p.tif"});
  EXPECT_EQ(ending.rank_statuses, (std::vector<int>{2, 2})) << ending.text();
  const Words lines = lines_with(ending.errors, "disk/p.tif: this needs some ");
  ASSERT_EQ(lines.size(), 1U) << ending.text();
  EXPECT_NE(lines.front().find("but there is room for 92.0 KiB"), std::string::npos) << lines.front();
  EXPECT_EQ(folder_.read("p.csv"), plate_.positions());
}

}  // namespace
}  // namespace tessera::app_test
