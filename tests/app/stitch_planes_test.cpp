// SPDX-License-Identifier: BSD-3-Clause
// Tiles with several slices and channels, each in a file of its own: one is compared, and all are composed.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>

#include "io/plain_hdf5.hpp"
#include "stitch_runs.hpp"

namespace tessera::app_test {
namespace {

constexpr int rows = 2, columns = 3, slices = 3, channels = 2;

/// Tiles whose planes show different things at the same places: only the last one has a texture.
class StitchPlanesTest : public testing::Test {
 protected:
  StitchPlanesTest() {
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        for (int plane = 0; plane < slices * channels; ++plane) write(row, column, plane);
  }

  /// What a plane shows at a point of the plate.
  int value(int plane, int x, int y) const {
    return plane == slices * channels - 1 ? plate_.pixel(x, y) : 1000 * plane + 1 + (x + 3 * y) % 5;
  }
  void write(int row, int column, int plane) const {
    const auto corner = plate_.corner(row, column);
    io_test::write_plain_png(folder_ / name(row, column, plane),
                             io_test::make_png(120, 90, PNG_COLOR_TYPE_GRAY, 16, [&](auto x, auto y, int) {
                               return value(plane, corner.first + static_cast<int>(x),
                                            corner.second + static_cast<int>(y));
                             }));
  }
  /// Slices have the numbers 5, 6 and 7, and channels 1 and 2.
  static std::string name(int row, int column, int plane) {
    return "k" + std::to_string(1 + plane % channels) + "_z0" + std::to_string(5 + plane / channels) + "_r" +
           std::to_string(row) + "c" + std::to_string(column) + ".png";
  }
  ParallelEnding run(int ranks, Words words) const {
    words.insert(words.begin(), {"input.tiles=k{channel}_z{z:2}_r{row}c{col}.png", "threads=1"});
    return stitch(folder_, ranks, words);
  }
  std::string error(const Words& words) const {
    const Words lines = lines_with(run(1, words).errors, "error: ");
    return lines.size() == 1 ? lines.front() : std::to_string(lines.size()) + " lines";
  }

  Folder folder_;
  CutPlate plate_{{.rows = rows, .columns = columns, .seed = 61}};
};

TEST_F(StitchPlanesTest, OneIsComparedAndAllAreComposed) {
  for (const int ranks : {1, 2}) {
    expect_done(run(ranks, {"input.slice=2", "input.channel=1", "output.positions=p.csv", "output.file=p.h5",
                            "output.raw=p"}));
    EXPECT_EQ(folder_.read("p.csv"), plate_.positions());
    const auto whole = io_test::read_plain_hdf5<std::uint16_t>(folder_ / "p.h5", "plate", H5T_NATIVE_UINT16);
    ASSERT_EQ(whole.extents.size(), 4U);
    EXPECT_EQ(whole.extents[0], 3U);
    EXPECT_EQ(whole.extents[1], 2U);
    const int height = static_cast<int>(whole.extents[2]), width = static_cast<int>(whole.extents[3]);
    const auto positions = positions_in(plate_.positions());
    const auto corner = plate_.corner(0, 0), place = positions.at({0, 0});
    int wrong = 0;
    for (int plane = 0; plane < slices * channels; ++plane)
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
          const bool is_covered = std::ranges::any_of(positions, [&](const auto& one) {
            return x >= one.second.first && x < one.second.first + 120 && y >= one.second.second &&
                   y < one.second.second + 90;
          });
          const int expected =
              is_covered ? value(plane, x - place.first + corner.first, y - place.second + corner.second) : 0;
          wrong += whole.values[static_cast<std::size_t>((plane * height + y) * width + x)] != expected;
        }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(folder_.read("p"),
              std::string(reinterpret_cast<const char*>(whole.values.data()), whole.values.size() * 2));
  }
}

TEST_F(StitchPlanesTest, EachPlaneMayHaveAFileOfItsOwn) {
  folder_.write("p.csv", plate_.positions());
  const Words placed{"input.placed=p.csv", "blend=linear"};
  for (const int ranks : {1, 3}) {
    expect_done(run(ranks, {placed[0], placed[1], "output.ome_tiff=o_{z}_{channel:2}.tif",
                            "output.tiff=t_{channel}{z}.tif", "output.png=g_{z:3}-{channel}.png",
                            "output.file=c{channel}.h5", "output.raw=s{z}"}));
    std::string slice_of_raw;
    for (int plane = 0; plane < slices * channels; ++plane) {
      // The plane alone.
      const std::string z = std::to_string(5 + plane / channels), k = std::to_string(1 + plane % channels);
      expect_done(stitch(folder_, 1,
                         {"input.tiles=k" + k + "_z0" + z + "_r{row}c{col}.png", placed[0], placed[1],
                          "output.ome_tiff=o.tif", "output.tiff=t.tif", "output.png=g.png", "output.raw=s"}));
      EXPECT_TRUE(folder_.read("o_" + z + "_0" + k + ".tif") == folder_.read("o.tif"));
      EXPECT_TRUE(folder_.read("t_" + k + z + ".tif") == folder_.read("t.tif"));
      EXPECT_TRUE(folder_.read("g_00" + z + "-" + k + ".png") == folder_.read("g.png"));
      const std::string bytes = folder_.read("s");
      EXPECT_TRUE(folder_.read("s" + z).substr((k == "1" ? 0 : 1) * bytes.size(), bytes.size()) == bytes);
      const auto of_channel =
          io_test::read_plain_hdf5<std::uint16_t>(folder_ / ("c" + k + ".h5"), "plate", H5T_NATIVE_UINT16);
      ASSERT_EQ(of_channel.extents.size(), 3U);
      const std::size_t first = static_cast<std::size_t>(plane / channels) * bytes.size() / 2;
      EXPECT_TRUE(std::string(reinterpret_cast<const char*>(of_channel.values.data() + first),
                              bytes.size()) == bytes);
    }
  }
}

TEST_F(StitchPlanesTest, SlicesAreCounted) {
  const ParallelEnding check = run(2, {"output.raw=p", "--check"});
  EXPECT_NE(check.output.find("2 x 3 tiles of 120 x 90 x 2 uint16 in 3 slices, 7 pairs\n"), std::string::npos)
      << check.output;
}

TEST_F(StitchPlanesTest, FaultsAreToldInOneLine) {
  const std::string start = "tessera-stitch: error: ";
  EXPECT_EQ(error({"output.positions=p.csv", "input.slice=3"}),
            start + "command line: 'input.slice=3': 'input.slice': the tiles have 3 slices: give 0 to 2");
  EXPECT_EQ(
      error({"output.positions=p.csv", "input.channel=2"}),
      start + "command line: 'input.channel=2': 'input.channel': the tiles have 2 channels: give 0 to 1");
  EXPECT_EQ(error({"output.ome_tiff=p.tif"}),
            start +
                "command line: 'output.ome_tiff=p.tif': 'output.ome_tiff': there are 3 slices, but this "
                "file has one: write {z} into its name, or give output.file");
  EXPECT_EQ(error({"output.tiff=p{z}.tif", "output.raw=p6.tif"}),
            start + "output.raw: p6.tif: the run uses this file already: give it a name of its own");
  EXPECT_EQ(error({"output.tiff=p{z}{z}.tif"}),
            start + "p{z}{z}.tif has {z} more than once: leave out the others");
  EXPECT_EQ(error({"output.raw=k2_z0{z}_r1c0.png"}),
            start + "output.raw: k2_z05_r1c0.png: the run uses this file already: give it a name of its own");
  std::filesystem::remove(folder_ / name(1, 1, 3));
  EXPECT_EQ(error({"output.positions=p.csv"}),
            start +
                "k2_z06_r1c1.png: this tile, of row 1 and column 1, is missing: add it, or give "
                "missing=skip");
  expect_done(run(2, {"output.raw=p", "missing=skip", "input.slice=2", "input.channel=1"}));
}

}  // namespace
}  // namespace tessera::app_test
