// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <limits>
#include <memory>

#include "io/full_disk.hpp"
#include "io/io_test_support.hpp"
#include "io/plain_hdf5.hpp"
#include "io/plain_png.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::io_test {
namespace {

const Box grey{{0, 29}, {0, 17}};
const Box colour{{0, 29}, {0, 17}, {0, 3}};

/// What Tessera writes, read by libpng and serial HDF5.
class Writing : public testing::Test {
 protected:
  template <class T>
  PlainPng png_of(const Box& domain, Cut cut) {
    io::create_png(MPI_COMM_WORLD, png_, domain, element_type_of<T>())
        ->write(filled<T>(part_of(domain, cut), Layout::padded).block());
    return read_plain_png(png_);
  }

  SharedFolder folder_;
  std::string png_ = folder_ / "image.png";
  std::string hdf5_ = folder_ / "image.h5";
};

template <class T>
std::int64_t wrong_samples(const PlainPng& image) {
  std::int64_t wrong = 0;
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x)
      for (int c = 0; c < image.channels(); ++c) wrong += image.sample(x, y, c) != pixel<T>(x, y, c);
  return wrong;
}

TEST_F(Writing, PngHasTheRightPixels) {
  for (const Cut cut : all_cuts) {
    const PlainPng small = png_of<std::uint8_t>(colour, cut);
    EXPECT_EQ(small.colour, PNG_COLOR_TYPE_RGB);
    EXPECT_EQ(small.bits, 8);
    EXPECT_EQ(small.width, 29);
    EXPECT_EQ(small.height, 17);
    EXPECT_EQ(wrong_samples<std::uint8_t>(small), 0);
    const PlainPng wide = png_of<std::uint16_t>(grey, cut);
    EXPECT_EQ(wide.colour, PNG_COLOR_TYPE_GRAY);
    EXPECT_EQ(wide.bits, 16);
    EXPECT_EQ(wrong_samples<std::uint16_t>(wide), 0);
  }
  for (const Cut cut : all_cuts) {
    const PlainPng transparent = png_of<std::uint16_t>({{0, 29}, {0, 17}, {0, 4}}, cut);
    EXPECT_EQ(transparent.colour, PNG_COLOR_TYPE_RGB_ALPHA);
    EXPECT_EQ(wrong_samples<std::uint16_t>(transparent), 0);
  }
  EXPECT_EQ(png_of<std::uint8_t>({{0, 4}, {0, 4}, {0, 1}}, Cut::rows).colour, PNG_COLOR_TYPE_GRAY);
}

TEST_F(Writing, PngClampsAndRoundsFloats) {
  const std::vector<float> values = {0.0F,
                                     1.0F,
                                     -2.0F,
                                     7.0F,
                                     0.5F,
                                     1.4F / 65535,
                                     1.6F / 65535,
                                     65534.4F / 65535,
                                     std::numeric_limits<float>::quiet_NaN(),
                                     std::numeric_limits<float>::infinity(),
                                     -std::numeric_limits<float>::infinity()};
  const std::vector<int> samples = {0, 65535, 0, 65535, 32768, 1, 2, 65534, 0, 65535, 0};
  const Box domain{{0, static_cast<std::int64_t>(values.size())}, {0, 1}};
  OwnedBlock<float> block(part_of(domain, Cut::columns));
  block.for_each(
      [&](std::int64_t x, auto, auto, float& value) { value = values[static_cast<std::size_t>(x)]; });
  io::create_png(MPI_COMM_WORLD, png_, domain, ElementType::float32)->write(block.block());
  const PlainPng image = read_plain_png(png_);
  EXPECT_EQ(image.bits, 16);
  for (std::int64_t x = 0; x < image.width; ++x)
    EXPECT_EQ(image.sample(x, 0), samples[static_cast<std::size_t>(x)]) << x;
}

TEST_F(Writing, Hdf5HasTheRightPixels) {
  for (const Cut cut : all_cuts) {
    io::create_hdf5(MPI_COMM_WORLD, hdf5_, "group/image", colour, ElementType::float32)
        ->write(filled<float>(part_of(colour, cut), Layout::padded).block());
    const PlainHdf5<float> image = read_plain_hdf5<float>(hdf5_, "group/image", H5T_NATIVE_FLOAT);
    EXPECT_EQ(image.extents, (std::vector<hsize_t>{3, 17, 29}));
    EXPECT_TRUE(image.same_type);
    EXPECT_TRUE(image.contiguous);
    EXPECT_EQ(image.values[(2 * 17 + 5) * 29 + 11], pixel<float>(11, 5, 2));
    EXPECT_EQ(image.values[(0 * 17 + 16) * 29 + 28], pixel<float>(28, 16, 0));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// All kinds of sink, to be refused or to fail in the same ways.
class Failing : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<BlockSink> create(const std::string& path) {
    return create(path, small_, ElementType::uint8);
  }
  std::unique_ptr<BlockSink> create(const std::string& path, const Box& domain, ElementType type) {
    if (GetParam() == "png") return io::create_png(MPI_COMM_WORLD, path, domain, type);
    if (GetParam() == "tiff") return io::create_tiff(MPI_COMM_WORLD, path, domain, type);
    if (GetParam() == "rle") return io::create_rle(MPI_COMM_WORLD, path, domain, type);
    return io::create_hdf5(MPI_COMM_WORLD, path, "image", domain, type);
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "image";
  Box small_ = GetParam() == "rle" ? grey : colour;
};

INSTANTIATE_TEST_SUITE_P(, Failing, testing::Values("png", "rle", "tiff", "hdf5"),
                         [](const auto& each) { return each.param; });

TEST_P(Failing, PlacesThatCannotBeWritten) {
  on_rank_0([&] {
    write_bytes(folder_ / "file", "text");
    std::filesystem::create_directory(folder_ / "directory");
  });
  const std::string missing = folder_ / "missing/image";
  const std::string below_file = folder_ / "file/image";
  const std::string directory = folder_ / "directory";
  expect_input_error([&] { create(missing); }, {missing, "No such file", "create its folder"});
  expect_input_error([&] { create(below_file); }, {below_file, "Not a directory"});
  expect_input_error([&] { create(directory); }, {directory, "not a regular file"});
  expect_input_error([&] { create(""); }, {"not the name of a file"});
  expect_input_error([&] { create(directory + "/"); }, {directory, "not the name of a file"});
  expect_input_error([&] { create("/dev/null"); }, {"/dev/null", "not a regular file"});
  EXPECT_EQ(folder_.files(), (std::vector<std::string>{"directory", "file"}));
}

TEST_P(Failing, NothingIsLeftOfASinkThatWasNotUsed) {
  on_rank_0([&] { write_bytes(path_, "older"); });
  {
    const auto sink = create(path_);
    EXPECT_EQ(folder_.files().size(), 2U);
  }
  EXPECT_EQ(folder_.files(), std::vector<std::string>{"image"});
  EXPECT_EQ(bytes_of(path_), "older");
}

TEST_P(Failing, BlocksThatDoNotFit) {
  const auto sink = create(path_);
  Box outside = small_;
  ++outside[0].end;
  const bool last = rank() + 1 == ranks();
  EXPECT_THROW(sink->write(filled<std::uint8_t>(last ? outside : Box{}).block()), InternalError);
  EXPECT_THROW(sink->write(filled<std::uint16_t>(last ? small_ : Box{}).block()), InternalError);
  EXPECT_THROW(sink->write(HostBlock{}), InternalError);
  sink->write(filled<std::uint8_t>(part_of(small_, Cut::rows)).block());
  EXPECT_THROW(sink->write(filled<std::uint8_t>(part_of(small_, Cut::rows)).block()), InternalError);
}

TEST_P(Failing, PartsMakeTheSameFileAsTheWhole) {
  const auto write_rows = [&](BlockSink& sink, Range rows, Cut cut) {
    Box part = small_;
    part[1] = rows;
    sink.write_part(filled<std::uint8_t>(part_of(part, cut), Layout::padded).block(), part);
  };
  create(path_)->write(filled<std::uint8_t>(part_of(small_, Cut::rows)).block());
  const std::string whole = bytes_of(path_);
  on_rank_0([&] { std::filesystem::remove(path_); });
  {
    const auto sink = create(path_);
    write_rows(*sink, {0, 5}, Cut::rows);
    EXPECT_THROW(write_rows(*sink, {4, 9}, Cut::rows), InternalError);
    EXPECT_THROW(write_rows(*sink, {6, 9}, Cut::rows), InternalError);
    EXPECT_THROW(write_rows(*sink, {5, 5}, Cut::rows), InternalError);
    EXPECT_THROW(write_rows(*sink, {5, 18}, Cut::rows), InternalError);
    write_rows(*sink, {5, 6}, Cut::columns);
  }
  EXPECT_EQ(folder_.files(), std::vector<std::string>{}) << "of an array that is not complete";
  const auto sink = create(path_);
  write_rows(*sink, {0, 5}, Cut::rows);
  write_rows(*sink, {5, 6}, Cut::columns);
  write_rows(*sink, {6, 17}, Cut::last_rank);
  EXPECT_THROW(write_rows(*sink, {6, 17}, Cut::rows), InternalError);
  EXPECT_TRUE(bytes_of(path_) == whole);
}

TEST_P(Failing, LayersMayBeWrittenInPartsOneAfterTheOther) {
  if (GetParam() != "hdf5" && GetParam() != "raw") return;  // Images are cut along y.
  const Box all{{0, 7}, {2, 9}, {0, 3}, {4, 6}};
  const auto write = [&](BlockSink& sink, Box part) {
    sink.write_part(filled<std::uint8_t>(part_of(part, Cut::rows), Layout::padded).block(), part);
  };
  create(path_, all, ElementType::uint8)->write(filled<std::uint8_t>(part_of(all, Cut::rows)).block());
  const std::string whole = bytes_of(path_);
  for (const bool by_channels : {true, false}) {
    on_rank_0([&] { std::filesystem::remove(path_); });
    const auto sink = create(path_, all, ElementType::uint8);
    for (std::int64_t slice = 4; slice < 6; ++slice)
      for (std::int64_t channel = 0; channel < (by_channels ? 3 : 1); ++channel)
        for (const Range rows : {Range{2, 5}, {5, 6}, {6, 9}}) {
          const Range channels = by_channels ? Range{channel, channel + 1} : all[2];
          EXPECT_THROW(write(*sink, {all[0], rows, channels, {9 - slice, 10 - slice}}), InternalError);
          if (rows.begin > 2) {
            EXPECT_THROW(write(*sink, {all[0], {2, 5}, channels, {slice, slice + 1}}), InternalError);
          }
          write(*sink, {all[0], rows, channels, {slice, slice + 1}});
        }
    EXPECT_TRUE(bytes_of(path_) == whole);
  }
}

TEST_P(Failing, AFullDiskIsTheSameErrorOnEveryRank) {
  if (GetParam() == "hdf5" && ranks() > 1) return;  // ends the job: see the tests of programs
  const bool rle = GetParam() == "rle";
  const Box large = rle ? Box{{0, 3000}, {0, 3000}} : Box{{0, 1000}, {0, 900}, {0, 3}};
  const auto write_to = [&](BlockSink& sink) {
    const Box part = part_of(large, Cut::rows);
    sink.write(rle ? filled<std::uint8_t>(part).block() : filled<std::uint16_t>(part).block());
  };
  for (const bool everywhere : {true, false}) {
    const auto sink = create(path_, large, rle ? ElementType::uint8 : ElementType::uint16);
    std::unique_ptr<FullDisk> full;
    if (everywhere || rank() == 0) full = std::make_unique<FullDisk>(100'000);
    expect_input_error([&] { write_to(*sink); }, {path_, "cannot be written"});
  }
  EXPECT_EQ(folder_.files(), std::vector<std::string>{});
}

TEST(PngSink, RefusesWhatPngCannotHold) {
  const SharedFolder folder;
  const std::string path = folder / "image.png";
  const auto refused = [&](const Box& domain, ElementType type, const std::string& word) {
    expect_input_error([&] { io::create_png(MPI_COMM_WORLD, path, domain, type); },
                       {path, word, "write HDF5"});
  };
  refused(grey, ElementType::float64, "float64");
  refused(grey, ElementType::int16, "int16");
  refused({{0, 4}, {0, 4}, {0, 2}}, ElementType::uint8, "1, 3 or 4 channels");
  refused({{0, 4}}, ElementType::uint8, "1, 3 or 4 channels");
  refused({{0, 2}, {0, 2}, {0, 3}, {0, 1}}, ElementType::uint8, "1, 3 or 4 channels");
  refused({{0, std::int64_t{1} << 32}, {0, 2}}, ElementType::uint8, "too large");
  EXPECT_EQ(folder.files(), std::vector<std::string>{});
}

}  // namespace
}  // namespace tessera::io_test
