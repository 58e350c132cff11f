// SPDX-License-Identifier: BSD-3-Clause
// Tiles with several slices and channels, each in a file of its own: one is compared, and all are composed.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <filesystem>

#include "io/plain_hdf5.hpp"
#include "messages.hpp"
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

  /// Returns what a plane shows at a point of the plate.
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
  /// Returns the only line about the error of a run on one rank and on three.
  std::string error(const Words& words) const {
    std::string message;
    for (const int ranks : {1, 3}) {
      const ParallelEnding ending = run(ranks, words);
      const Words lines = lines_with(ending.errors, "error: ");
      EXPECT_EQ(ending.rank_statuses, std::vector<int>(static_cast<std::size_t>(ranks), 2));
      EXPECT_EQ(lines.size(), 1U) << ending.errors;
      if (lines.empty()) return "";
      EXPECT_TRUE(message.empty() || message == lines.front()) << message << lines.front();
      message = lines.front();
    }
    return message;
  }

  Folder folder_;
  CutPlate plate_{{.rows = rows, .columns = columns, .seed = 61}};
};

TEST_F(StitchPlanesTest, OneIsComparedAndAllAreComposed) {
  for (const int ranks : {1, 2}) {
    expect_done(run(ranks, {"input.slice=7", "input.channel=2", "output.positions=p.csv", "output.file=p.h5",
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
      ASSERT_EQ(of_channel.extents.size(), 4U);
      EXPECT_EQ(of_channel.extents[0], 3U);
      EXPECT_EQ(of_channel.extents[1], 1U);
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
  test::expect_message(error({"output.positions=p.csv", "input.slice=3"}),
                       {"'input.slice':", "slices 5, 6 and 7"});
  test::expect_message(error({"output.positions=p.csv", "input.channel=0"}),
                       {"'input.channel':", "channels 1 and 2"});
  test::expect_message(error({"output.ome_tiff=p.tif"}), {"'output.ome_tiff':", "there are 3 slices", "{z}"});
  test::expect_message(error({"output.tiff=p{z}.tif", "output.raw=p6.tif"}),
                       {"output.raw: p6.tif:", "uses this file already"});
  test::expect_message(error({"output.tiff=p{z}_{row}.tif"}),
                       {"'output.tiff':", "{row}", "{z} or {channel}"});
  test::expect_message(error({"output.tiff=a/{z:3}/p.tif"}), {"'output.tiff':", "the folder a/{z:3}/"});
  test::expect_message(error({"output.raw=k2_z0{z}_r1c0.png"}),
                       {"output.raw: k2_z05_r1c0.png:", "uses this file already"});
  std::filesystem::remove(folder_ / name(1, 1, 3));
  test::expect_message(error({"output.positions=p.csv"}),
                       {"k2_z06_r1c1.png:", "row 1 and column 1", "missing=skip"});
}

TEST_F(StitchPlanesTest, ATileThatLacksAPlaneIsLeftOutOfAll) {
  std::filesystem::remove(folder_ / name(1, 1, 3));
  const Words words{"missing=skip", "input.slice=7", "input.channel=2"};
  expect_done(run(2, {words[0], words[1], words[2], "output.raw=without", "output.positions=p.csv"}));
  auto expected = positions_in(plate_.positions());
  expected.erase({1, 1});
  EXPECT_EQ(positions_in(folder_.read("p.csv")), expected);
  for (int plane = 0; plane < slices * channels; ++plane)
    std::filesystem::remove(folder_ / name(1, 1, plane));
  expect_done(run(1, {words[0], words[1], words[2], "output.raw=removed"}));
  EXPECT_TRUE(folder_.read("without") == folder_.read("removed"));
}

/// How many files a process may have open while a test runs.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t most) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{most, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(StitchPlanesTest, FilesOfOnePlaneAreOpenAtATime) {
  // Each tile has as many slices as a process may have files open, and is read as often as it has files.
  constexpr int many = 70, side = 16;
  for (int z = 0; z < many; ++z)
    for (int column = 0; column < 2; ++column)
      io_test::write_plain_png(
          folder_ / ("m0_" + std::to_string(column) + "_" + std::to_string(z) + ".png"),
          io_test::make_png(side, side, PNG_COLOR_TYPE_GRAY, 8,
                            [&](auto x, auto y, int) { return 1 + int(x) + 12 * column + 2 * int(y) + z; }));
  folder_.write("m.csv", "row,col,x,y\n0,0,0,0\n0,1,12,0\n");
  const FewDescriptors few(100);
  expect_done(stitch(folder_, 1,
                     {"input.tiles=m{row}_{col}_{z}.png", "input.placed=m.csv", "output.tiff=m{z}.tif",
                      "output.raw=m{z}", "output.file=m.h5", "threads=2", "--report", "m.json"}));
  EXPECT_NE(folder_.read("m.json").find("\"reads_of_tiles\": " + std::to_string(2 * many)),
            std::string::npos);
  const auto whole = io_test::read_plain_hdf5<std::uint8_t>(folder_ / "m.h5", "plate", H5T_NATIVE_UINT8);
  std::string planes;
  for (int z = 0; z < many; ++z) planes += folder_.read("m" + std::to_string(z));
  ASSERT_EQ(whole.values.size(), planes.size());
  int wrong = 0;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const int x = static_cast<int>(i % 28), y = static_cast<int>(i / 28 % side),
              z = static_cast<int>(i / 28 / side);
    wrong += whole.values[i] != 1 + x + 2 * y + z || static_cast<unsigned char>(planes[i]) != whole.values[i];
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tessera::app_test
