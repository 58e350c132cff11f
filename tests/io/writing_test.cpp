// SPDX-License-Identifier: BSD-3-Clause
#include <cctype>
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

/// Files that Tessera writes, read by libpng and serial HDF5.
class Writing : public testing::Test {
 protected:
  template <class T>
  PlainPng png_of(const Box& domain, Cut cut) {
    io::create_image(MPI_COMM_WORLD, io::ImageFormat::png, png_, domain, element_type_of<T>())
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
  io::create_image(MPI_COMM_WORLD, io::ImageFormat::png, png_, domain, ElementType::float32)
      ->write(block.block());
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

/// All kinds of sink, to fail in the same ways.
class Failing : public testing::TestWithParam<io::Format> {
 protected:
  std::unique_ptr<BlockSink> create(const std::string& path) { return create(path, small_); }
  std::unique_ptr<BlockSink> create(const std::string& path, const Box& domain) const {
    if (GetParam().id == io::ImageFormat::hdf5)
      return io::create_hdf5(MPI_COMM_WORLD, path, "image", domain, type_);
    return io::create_image(MPI_COMM_WORLD, GetParam().id, path, domain, type_);
  }
  /// Writes what this rank has of a part.
  void write(BlockSink& sink, const Box& part, Cut cut = Cut::rows) const {
    with_element_type(type_, [&]<class T>(std::type_identity<T>) {
      sink.write_part(filled<T>(part_of(part, cut), Layout::padded).block(), part);
    });
  }
  /// An image of this size that the format holds.
  Box domain(std::int64_t width, std::int64_t height) const {
    const std::int64_t channels = GetParam().channels.empty() ? 3 : GetParam().channels.back();
    return channels == 1 ? Box{{0, width}, {0, height}} : Box{{0, width}, {0, height}, {0, channels}};
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "image";
  ElementType type_ = GetParam().holds(ElementType::uint8) ? ElementType::uint8 : GetParam().types.front();
  Box small_ = domain(29, 17);
};

std::vector<io::Format> written_formats() {
  std::vector<io::Format> all = io::formats();
  std::erase_if(all, [](const io::Format& format) {
    return format.functions.create == nullptr && format.id != io::ImageFormat::hdf5;
  });
  return all;
}

INSTANTIATE_TEST_SUITE_P(, Failing, testing::ValuesIn(written_formats()), [](const auto& each) {
  std::string name(each.param.name);
  std::erase_if(name, [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0; });
  return name;
});

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
  with_element_type(type_, [&]<class T>(std::type_identity<T>) {
    EXPECT_THROW(sink->write(filled<T>(last ? outside : Box{}).block()), InternalError);
  });
  EXPECT_THROW(sink->write(filled<std::uint16_t>(last ? small_ : Box{}).block()), InternalError);
  EXPECT_THROW(sink->write(HostBlock{}), InternalError);
  write(*sink, small_);
  EXPECT_THROW(write(*sink, small_), InternalError);
}

TEST_P(Failing, PartsMakeTheSameFileAsTheWhole) {
  const auto write_rows = [&](BlockSink& sink, Range rows, Cut cut) {
    Box part = small_;
    part[1] = rows;
    write(sink, part, cut);
  };
  write(*create(path_), small_);
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
  if (!GetParam().channels.empty()) return;  // Images are cut along y.
  const Box all{{0, 7}, {2, 9}, {0, 3}, {4, 6}};
  write(*create(path_, all), all);
  const std::string whole = bytes_of(path_);
  for (const bool by_channels : {true, false}) {
    on_rank_0([&] { std::filesystem::remove(path_); });
    const auto sink = create(path_, all);
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
  const Box large = domain(3000, 3000);
  for (const bool everywhere : {true, false}) {
    const auto sink = create(path_, large);
    std::unique_ptr<FullDisk> full;
    if (everywhere || rank() == 0) full = std::make_unique<FullDisk>(100'000);
    expect_input_error([&] { write(*sink, large); }, {path_, "cannot be written"});
  }
  EXPECT_EQ(folder_.files(), std::vector<std::string>{});
}

}  // namespace
}  // namespace tessera::io_test
