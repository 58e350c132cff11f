// SPDX-License-Identifier: BSD-3-Clause
#include "io/io_test_support.hpp"
#include "io/plain_tiff.hpp"
#include "tessera/io/detail/tiff.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::io_test {
namespace {

/// Files that Tessera writes, read by libtiff.
class TiffWriting : public testing::Test {
 protected:
  /// Writes an array cut in this way, and expects libtiff to find its points.
  template <class T>
  void expect_written(const Box& domain, Cut cut) {
    io::create_image(MPI_COMM_WORLD, io::ImageFormat::tiff, path_, domain, element_type_of<T>())
        ->write(filled<T>(part_of(domain, cut), Layout::padded).block());
    EXPECT_EQ(folder_.files(), std::vector<std::string>{"image.tif"});
    on_rank_0([&] { expect_points<T>(domain); });
  }

  template <class T>
  void expect_points(const Box& domain) {
    const PlainTiff page = plain_tiff<T>(domain[0].size(), domain[1].size(),
                                         domain.dimensions == 3 ? static_cast<int>(domain[2].size()) : 1);
    TIFF* tiff = TIFFOpen(path_.c_str(), "r");
    ASSERT_NE(tiff, nullptr);
    EXPECT_EQ(tiff_field<std::uint32_t>(tiff, TIFFTAG_IMAGEWIDTH), page.width);
    EXPECT_EQ(tiff_field<std::uint32_t>(tiff, TIFFTAG_IMAGELENGTH), page.height);
    EXPECT_EQ(tiff_field<std::uint16_t>(tiff, TIFFTAG_SAMPLESPERPIXEL), page.channels);
    EXPECT_EQ(tiff_field<std::uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE), page.bits);
    EXPECT_EQ(tiff_field<std::uint16_t>(tiff, TIFFTAG_SAMPLEFORMAT), page.format);
    EXPECT_EQ(tiff_field<std::uint16_t>(tiff, TIFFTAG_PHOTOMETRIC), page.photometric);
    EXPECT_EQ(tiff_field<std::uint16_t>(tiff, TIFFTAG_COMPRESSION), COMPRESSION_NONE);
    std::uint16_t extra = 0;
    const std::uint16_t* kinds = nullptr;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extra, &kinds);
    EXPECT_EQ(std::vector<std::uint16_t>(kinds, kinds + extra), page.extra);
    EXPECT_LE(TIFFStripSize(tiff), 1 << 20);
    std::vector<T> row(static_cast<std::size_t>(page.width * page.channels));
    std::int64_t wrong = 0;
    for (std::int64_t y = 0; y < page.height; ++y) {
      EXPECT_EQ(TIFFReadScanline(tiff, row.data(), static_cast<std::uint32_t>(y), 0), 1);
      for (std::int64_t x = 0; x < page.width; ++x)
        for (int c = 0; c < page.channels; ++c)
          wrong += row[static_cast<std::size_t>(x * page.channels + c)] != pixel<T>(x, y, c);
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(TIFFReadDirectory(tiff), 0) << "more than one page";
    TIFFClose(tiff);
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "image.tif";
};

const Box grey{{0, 29}, {0, 17}};
const Box colour{{0, 29}, {0, 17}, {0, 3}};
const Box transparent{{0, 29}, {0, 17}, {0, 4}};

TEST_F(TiffWriting, HasTheRightPixels) {
  for (const Cut cut : all_cuts) {
    expect_written<std::uint8_t>(colour, cut);
    expect_written<float>(grey, cut);
    expect_written<std::uint16_t>(transparent, cut);
    expect_written<std::int16_t>({{0, 5}, {0, 4}, {0, 1}}, cut);
  }
  expect_written<std::uint16_t>(grey, Cut::rows);
  expect_written<std::int32_t>(grey, Cut::columns);
  expect_written<double>(colour, Cut::rows);
}

TEST_F(TiffWriting, SeveralStripsAndBands) {
  expect_written<float>({{0, 1100}, {0, 900}, {0, 3}}, Cut::columns);
  expect_written<std::uint8_t>({{0, 300'000}, {0, 3}}, Cut::rows);
}

TEST_F(TiffWriting, MuchDataNeedsBigTiff) {
  EXPECT_FALSE(io::detail::needs_big_tiff(4'000'000'000));
  EXPECT_TRUE(io::detail::needs_big_tiff(4'200'000'000));
}

}  // namespace
}  // namespace tessera::io_test
