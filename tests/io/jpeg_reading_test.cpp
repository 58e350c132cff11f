// SPDX-License-Identifier: BSD-3-Clause
#include "io/io_test_support.hpp"
#include "io/plain_jpeg.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::io_test {
namespace {

/// JPEG files that libjpeg wrote, read by Tessera and by libjpeg.
class JpegReading : public testing::Test {
 protected:
  void write(const PlainJpeg& image) {
    on_rank_0([&] { write_plain_jpeg(path_, image); });
  }

  /// Reads the file cut in every way, and compares each point.
  void expect_what_libjpeg_reads() {
    const PlainJpeg expected = read_plain_jpeg(path_);
    Box domain{{0, expected.width}, {0, expected.height}};
    if (expected.channels() > 1) domain = Box{{0, expected.width}, {0, expected.height}, {0, 3}};
    const io::ImageInfo info = io::inspect_image(path_);
    EXPECT_EQ(info.format, io::ImageFormat::jpeg);
    EXPECT_EQ(info.type, ElementType::uint8);
    EXPECT_TRUE(info.domain == domain) << to_string(info.domain);
    for (const Cut cut : all_cuts) {
      OwnedBlock<std::uint8_t> block(part_of(domain, cut), Layout::padded);
      io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
      std::int64_t wrong = 0;
      block.for_each([&](std::int64_t x, std::int64_t y, std::int64_t c, std::uint8_t value) {
        wrong += value != expected.sample(x, y, c);
      });
      EXPECT_EQ(wrong + block.changed_padding(), 0) << "cut " << static_cast<int>(cut);
    }
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "image.jpg";
};

TEST_F(JpegReading, GreyAndColourBaselineAndProgressive) {
  for (const J_COLOR_SPACE colour : {JCS_GRAYSCALE, JCS_RGB})
    for (const bool progressive : {false, true})
      for (const auto& [width, height] : {std::pair{1, 1}, {61, 40}, {64, 16}, {7, 130}}) {
        PlainJpeg image = make_jpeg(width, height, colour);
        image.progressive = progressive;
        write(image);
        expect_what_libjpeg_reads();
      }
}

TEST_F(JpegReading, ColoursOfPrintersAreRefused) {
  write(make_jpeg(20, 10, JCS_CMYK));
  expect_input_error([&] { io::inspect_image(path_); },
                     {path_ + ": is a JPEG image of 4 channels", "CMYK; convert it to RGB"});
}

/// libjpeg itself would fill what is missing with grey.
TEST_F(JpegReading, TruncatedFilesAreRefused) {
  write(make_jpeg(61, 40, JCS_RGB));
  const io::ImageInfo info = io::inspect_image(path_);
  const std::string bytes = bytes_of(path_);
  for (const std::size_t missing : {2U, 3U, 50U, 300U}) {
    on_rank_0([&] { write_bytes(path_, bytes.substr(0, bytes.size() - missing)); });
    OwnedBlock<std::uint8_t> block(part_of(info.domain, Cut::last_rank));
    expect_input_error([&] { io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block()); },
                       {path_ + ": damaged or truncated JPEG (Premature end"});
  }
}

/// Scans of a few bytes. Each costs time for all points.
TEST_F(JpegReading, EndlessScansAreRefused) {
  PlainJpeg image = make_jpeg(61, 40, JCS_GRAYSCALE);
  image.progressive = true;
  write(image);
  on_rank_0([&] {
    std::string bytes = bytes_of(path_);
    const std::size_t last = bytes.rfind("\xff\xda");
    const std::string scan = bytes.substr(last, bytes.size() - 2 - last);
    std::string many = bytes.substr(0, bytes.size() - 2);
    for (int count = 0; count < 1100; ++count) many += scan;
    write_bytes(path_, many + "\xff\xd9");
  });
  const io::ImageInfo info = io::inspect_image(path_);
  OwnedBlock<std::uint8_t> block(part_of(info.domain, Cut::rows));
  expect_input_error([&] { io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block()); },
                     {path_ + ": damaged or truncated JPEG ("});
}

TEST_F(JpegReading, HasNoDataSetsAndNoPages) {
  write(make_jpeg(5, 4, JCS_RGB));
  expect_input_error(
      [&] { io::inspect_image(path_, {"image"}); },
      {path_ + ": has the format JPEG, which has no data sets; leave the data set's name out"});
  expect_input_error([&] { io::inspect_image(path_, {.page = 0}); },
                     {path_ + ": has the format JPEG, which has no pages; leave the page out"});
}

}  // namespace
}  // namespace tessera::io_test
