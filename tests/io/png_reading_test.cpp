// SPDX-License-Identifier: BSD-3-Clause
#include "io/io_test_support.hpp"
#include "io/plain_png.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::io_test {
namespace {

/// PNG files that libpng wrote, read by Tessera.
class PngReading : public testing::Test {
 protected:
  void write(const PlainPng& image) {
    on_rank_0([&] { write_plain_png(path_, image); });
  }

  /// Reads the file cut in every way, and compares each point with expected(x, y, c).
  template <class T, class Expected>
  void expect_points(const Box& domain, const Expected& expected) {
    const io::ImageInfo info = io::inspect_image(path_);
    EXPECT_EQ(info.format, io::ImageFormat::png);
    EXPECT_EQ(info.type, element_type_of<T>());
    EXPECT_TRUE(info.domain == domain) << to_string(info.domain);
    EXPECT_EQ(info.dataset, "");
    for (const Cut cut : all_cuts) {
      OwnedBlock<T> block(part_of(domain, cut), Layout::padded);
      io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
      std::int64_t wrong = 0;
      block.for_each([&](std::int64_t x, std::int64_t y, std::int64_t c, T value) {
        wrong += value != expected(x, y, c);
      });
      EXPECT_EQ(wrong, 0) << "cut " << static_cast<int>(cut);
    }
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "image.png";
};

const Box grey{{0, 29}, {0, 17}};
const Box colour{{0, 29}, {0, 17}, {0, 3}};

TEST_F(PngReading, GreyAndColourOfEightAndSixteenBits) {
  write(make_png(29, 17, PNG_COLOR_TYPE_GRAY, 8, pixel<std::uint8_t>));
  expect_points<std::uint8_t>(grey, pixel<std::uint8_t>);
  write(make_png(29, 17, PNG_COLOR_TYPE_GRAY, 16, pixel<std::uint16_t>));
  expect_points<std::uint16_t>(grey, pixel<std::uint16_t>);
  write(make_png(29, 17, PNG_COLOR_TYPE_RGB, 8, pixel<std::uint8_t>));
  expect_points<std::uint8_t>(colour, pixel<std::uint8_t>);
  write(make_png(29, 17, PNG_COLOR_TYPE_RGB, 16, pixel<std::uint16_t>));
  expect_points<std::uint16_t>(colour, pixel<std::uint16_t>);
}

TEST_F(PngReading, Interlaced) {
  PlainPng image = make_png(29, 17, PNG_COLOR_TYPE_RGB, 16, pixel<std::uint16_t>);
  image.interlace = PNG_INTERLACE_ADAM7;
  write(image);
  expect_points<std::uint16_t>(colour, pixel<std::uint16_t>);
  image = make_png(1, 2, PNG_COLOR_TYPE_GRAY, 8, pixel<std::uint8_t>);
  image.interlace = PNG_INTERLACE_ADAM7;
  write(image);
  expect_points<std::uint8_t>({{0, 1}, {0, 2}}, pixel<std::uint8_t>);
}

TEST_F(PngReading, RowsInAnyOrderThroughOneSource) {
  for (const int interlace : {PNG_INTERLACE_NONE, PNG_INTERLACE_ADAM7}) {
    PlainPng image = make_png(29, 17, PNG_COLOR_TYPE_RGB, 8, pixel<std::uint8_t>);
    image.interlace = interlace;
    write(image);
    const auto source = io::open_image(MPI_COMM_WORLD, path_, io::inspect_image(path_));
    // Bands whose halos overlap, less and more than before, then others.
    for (const Range rows :
         {Range{0, 5}, {3, 9}, {7, 12}, {9, 17}, {0, 17}, {5, 6}, {6, 7}, {2, 4}, {4, 4}, {4, 17}}) {
      OwnedBlock<std::uint8_t> block(Box{{1, 28}, rows, {0, 3}}, Layout::padded);
      source->read(block.block());
      std::int64_t wrong = 0;
      block.for_each([&](std::int64_t x, std::int64_t y, std::int64_t c, std::uint8_t value) {
        wrong += value != pixel<std::uint8_t>(x, y, c);
      });
      EXPECT_EQ(wrong, 0) << "rows " << rows.begin << " to " << rows.end;
    }
  }
}

TEST_F(PngReading, PalettesBecomeColour) {
  const auto index = [](std::int64_t x, std::int64_t y, std::int64_t) {
    return static_cast<int>((3 * x + y) % 5);
  };
  PlainPng image = make_png(29, 17, PNG_COLOR_TYPE_PALETTE, 8, index);
  image.palette = {{1, 2, 3}, {40, 50, 60}, {255, 0, 255}, {7, 77, 177}, {0, 0, 0}};
  const auto expected = [&](std::int64_t x, std::int64_t y, std::int64_t c) {
    const png_color entry = image.palette[static_cast<std::size_t>(index(x, y, 0))];
    return c == 0 ? entry.red : c == 1 ? entry.green : entry.blue;
  };
  write(image);
  expect_points<std::uint8_t>(colour, expected);
}

TEST_F(PngReading, FewBitsBecomeEight) {
  for (const int bits : {1, 2, 4}) {
    const int most = (1 << bits) - 1;
    const auto value = [&](std::int64_t x, std::int64_t y, std::int64_t) {
      return static_cast<int>((x * 5 + y * 3) % (most + 1));
    };
    PlainPng image{29, 17, PNG_COLOR_TYPE_GRAY, bits, PNG_INTERLACE_NONE, {}, {}, {}};
    image.bytes.resize(17 * image.row_bytes());
    for (std::int64_t y = 0; y < 17; ++y)
      for (std::int64_t x = 0; x < 29; ++x) {
        const std::int64_t bit = x * bits;
        image.bytes[static_cast<std::size_t>(y) * image.row_bytes() + static_cast<std::size_t>(bit / 8)] |=
            static_cast<png_byte>(value(x, y, 0) << (8 - bits - bit % 8));
      }
    write(image);
    expect_points<std::uint8_t>(
        grey, [&](std::int64_t x, std::int64_t y, std::int64_t c) { return value(x, y, c) * 255 / most; });
  }
}

TEST_F(PngReading, TransparencyOfColoursIsAFourthChannel) {
  const Box transparent{{0, 29}, {0, 17}, {0, 4}};
  write(make_png(29, 17, PNG_COLOR_TYPE_RGB_ALPHA, 8, pixel<std::uint8_t>));
  expect_points<std::uint8_t>(transparent, pixel<std::uint8_t>);
  write(make_png(29, 17, PNG_COLOR_TYPE_RGB_ALPHA, 16, pixel<std::uint16_t>));
  expect_points<std::uint16_t>(transparent, pixel<std::uint16_t>);
  // Entries of the palette without a transparency of their own are opaque.
  PlainPng image =
      make_png(29, 17, PNG_COLOR_TYPE_PALETTE, 8, [](auto x, auto, auto) { return static_cast<int>(x % 2); });
  image.palette = {{1, 2, 3}, {4, 5, 6}};
  image.transparency = {128};
  write(image);
  expect_points<std::uint8_t>(transparent, [](auto x, auto, std::int64_t c) {
    return c == 3 ? (x % 2 == 0 ? 128 : 255) : (x % 2 == 0 ? 1 : 4) + c;
  });
}

TEST_F(PngReading, PointsOfTheColourKeyAreTransparent) {
  const auto value = [](std::int64_t x, std::int64_t, std::int64_t c) {
    return x == 3 ? 0 : static_cast<int>(x + c);
  };
  for (const int bits : {8, 16}) {
    PlainPng image = make_png(29, 17, PNG_COLOR_TYPE_RGB, bits, value);
    image.has_colour_key = true;
    write(image);
    const int opaque = (1 << bits) - 1;
    const auto expected = [&](std::int64_t x, std::int64_t y, std::int64_t c) {
      return c < 3 ? value(x, y, c) : x == 3 ? 0 : opaque;
    };
    const Box transparent{{0, 29}, {0, 17}, {0, 4}};
    if (bits == 8)
      expect_points<std::uint8_t>(transparent, expected);
    else
      expect_points<std::uint16_t>(transparent, expected);
  }
}

TEST_F(PngReading, TransparencyOfGreyIsASecondChannel) {
  write(make_png(29, 17, PNG_COLOR_TYPE_GRAY_ALPHA, 16, pixel<std::uint16_t>));
  expect_points<std::uint16_t>({{0, 29}, {0, 17}, {0, 2}}, pixel<std::uint16_t>);
}

TEST_F(PngReading, HasNoDataSets) {
  write(make_png(5, 4, PNG_COLOR_TYPE_GRAY, 8, pixel<std::uint8_t>));
  expect_input_error([&] { io::inspect_image(path_, {"image"}); }, {path_, "no data sets"});
}

}  // namespace
}  // namespace tessera::io_test
