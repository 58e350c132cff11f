// SPDX-License-Identifier: BSD-3-Clause
// OME-TIFF files with pyramids, read by libtiff.
#include <cmath>

#include "io/io_test_support.hpp"
#include "io/plain_tiff.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::io_test {
namespace {

/// An image in memory, with the channels of a pixel together.
template <class T>
struct Picture {
  std::int64_t width = 0, height = 0, channels = 1;
  std::vector<T> values;

  T at(std::int64_t x, std::int64_t y, std::int64_t c) const {
    return values[static_cast<std::size_t>((y * width + x) * channels + c)];
  }
};

template <class T>
Picture<T> whole(const Box& domain) {
  Picture<T> picture{domain[0].size(), domain[1].size(), domain.dimensions == 3 ? domain[2].size() : 1, {}};
  for (std::int64_t y = 0; y < picture.height; ++y)
    for (std::int64_t x = 0; x < picture.width; ++x)
      for (std::int64_t c = 0; c < picture.channels; ++c)
        picture.values.push_back(pixel<T>(x, y, static_cast<int>(c)));
  return picture;
}

/// The level above, by the definition.
template <class T>
Picture<T> half(const Picture<T>& below) {
  Picture<T> picture{(below.width + 1) / 2, (below.height + 1) / 2, below.channels, {}};
  for (std::int64_t y = 0; y < picture.height; ++y)
    for (std::int64_t x = 0; x < picture.width; ++x)
      for (std::int64_t c = 0; c < picture.channels; ++c) {
        double sum = 0;
        int count = 0;
        for (std::int64_t v = 2 * y; v < std::min(2 * y + 2, below.height); ++v)
          for (std::int64_t u = 2 * x; u < std::min(2 * x + 2, below.width); ++u, ++count)
            sum += static_cast<double>(below.at(u, v, c));
        picture.values.push_back(
            static_cast<T>(std::is_integral_v<T> ? std::floor(sum / count + 0.5) : sum / count));
      }
  return picture;
}

template <class T>
Picture<T> read_directory(TIFF* tiff) {
  Picture<T> picture{tiff_field<std::uint32_t>(tiff, TIFFTAG_IMAGEWIDTH),
                     tiff_field<std::uint32_t>(tiff, TIFFTAG_IMAGELENGTH),
                     tiff_field<std::uint16_t>(tiff, TIFFTAG_SAMPLESPERPIXEL),
                     {}};
  EXPECT_EQ(tiff_field<std::uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE), 8 * sizeof(T));
  const std::int64_t row = picture.width * picture.channels;
  picture.values.resize(static_cast<std::size_t>(row * picture.height));
  for (std::int64_t y = 0; y < picture.height; ++y)
    EXPECT_EQ(TIFFReadScanline(tiff, picture.values.data() + y * row, static_cast<std::uint32_t>(y), 0), 1);
  return picture;
}

class PyramidWriting : public testing::Test {
 protected:
  template <class T>
  void expect_pyramid(const Box& domain, Cut cut, std::size_t levels) {
    io::create_image(MPI_COMM_WORLD, io::ImageFormat::ome_tiff, path_, domain, element_type_of<T>())
        ->write(filled<T>(part_of(domain, cut), Layout::padded).block());
    EXPECT_EQ(folder_.files(), std::vector<std::string>{"image.ome.tif"});
    on_rank_0([&] { expect_levels<T>(domain, levels); });
  }

  template <class T>
  void expect_levels(const Box& domain, std::size_t levels) {
    TIFF* const tiff = TIFFOpen(path_.c_str(), "r");
    ASSERT_NE(tiff, nullptr);
    Picture<T> expected = whole<T>(domain);
    EXPECT_EQ(read_directory<T>(tiff).values, expected.values);
    const std::string description = tiff_field<const char*>(tiff, TIFFTAG_IMAGEDESCRIPTION);
    const std::string size = "SizeX=\"" + std::to_string(expected.width) + "\" SizeY=\"" +
                             std::to_string(expected.height) + "\" SizeC=\"" +
                             std::to_string(expected.channels) + "\"";
    EXPECT_NE(description.find(size), std::string::npos) << description;
    std::uint16_t count = 0;
    const toff_t* offsets = nullptr;
    TIFFGetField(tiff, TIFFTAG_SUBIFD, &count, &offsets);
    ASSERT_EQ(count, levels);
    const std::vector<toff_t> places(offsets, offsets + count);
    EXPECT_EQ(TIFFNumberOfDirectories(tiff), 1U);
    for (const toff_t place : places) {
      ASSERT_EQ(TIFFSetSubDirectory(tiff, place), 1);
      EXPECT_EQ(tiff_field<std::uint32_t>(tiff, TIFFTAG_SUBFILETYPE),
                static_cast<std::uint32_t>(FILETYPE_REDUCEDIMAGE));
      expected = half(expected);
      const Picture<T> level = read_directory<T>(tiff);
      EXPECT_EQ(level.width, expected.width);
      EXPECT_EQ(level.height, expected.height);
      EXPECT_TRUE(level.values == expected.values);
    }
    TIFFClose(tiff);
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "image.ome.tif";
};

TEST_F(PyramidWriting, EveryLevelIsHalfTheOneBelow) {
  expect_pyramid<std::uint16_t>({{0, 1027}, {0, 513}}, Cut::rows, 3);
  expect_pyramid<std::uint8_t>({{0, 517}, {0, 301}, {0, 3}}, Cut::columns, 2);
  expect_pyramid<std::int16_t>({{0, 257}, {0, 3}}, Cut::rows, 1);
  expect_pyramid<float>({{0, 1}, {0, 700}}, Cut::rows, 2);
  expect_pyramid<std::uint8_t>({{0, 300}, {0, 5}, {0, 4}}, Cut::rows, 1);
}

TEST_F(PyramidWriting, SmallImagesHaveNoLevels) {
  expect_pyramid<std::uint16_t>({{0, 256}, {0, 256}}, Cut::rows, 0);
}

TEST_F(PyramidWriting, PartsFollowEachOther) {
  const Box domain{{0, 600}, {0, 403}};
  const auto sink =
      io::create_image(MPI_COMM_WORLD, io::ImageFormat::ome_tiff, path_, domain, ElementType::uint16);
  for (std::int64_t y = 0; y < 403; y += 31) {
    Box part = domain;
    part[1] = {y, std::min<std::int64_t>(y + 31, 403)};
    sink->write_part(filled<std::uint16_t>(part_of(part, Cut::columns), Layout::padded).block(), part);
  }
  on_rank_0([&] { expect_levels<std::uint16_t>(domain, 2); });
}

}  // namespace
}  // namespace tessera::io_test
