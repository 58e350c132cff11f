// SPDX-License-Identifier: BSD-3-Clause
#include "io/io_test_support.hpp"
#include "io/plain_tiff.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::io_test {
namespace {

/// TIFF files that libtiff wrote, read by Tessera.
class TiffReading : public testing::Test {
 protected:
  template <class T>
  void write(const PlainTiff& page, const char* mode = "w") {
    on_rank_0([&] { write_plain_tiff<T>(path_, page, pixel<T>, mode); });
  }

  /// Reads the file cut in these ways, and compares each point with expected(x, y, c).
  template <class T, class Expected>
  void expect_points(const PlainTiff& page, const Expected& expected, io::ImageChoice choice = {},
                     const std::vector<Cut>& cuts = {std::begin(all_cuts), std::end(all_cuts)}) {
    Box domain{{0, page.width}, {0, page.height}};
    if (page.channels > 1) domain = Box{{0, page.width}, {0, page.height}, {0, page.channels}};
    const io::ImageInfo info = io::inspect_image(path_, choice);
    EXPECT_EQ(info.format, io::ImageFormat::tiff);
    EXPECT_EQ(info.type, element_type_of<T>());
    EXPECT_TRUE(info.domain == domain) << to_string(info.domain);
    EXPECT_EQ(info.page, choice.page.value_or(0));
    // libtiff itself divides the only strip of an image that is not compressed.
    const bool is_divided =
        page.compression == COMPRESSION_NONE && page.tile_width == 0 && page.chunk_height == page.height;
    if (!is_divided) {
      EXPECT_EQ(info.chunk_rows, std::min(page.chunk_height, page.height));
    }
    for (const Cut cut : cuts) {
      OwnedBlock<T> block(part_of(domain, cut), Layout::padded);
      io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
      std::int64_t wrong = 0;
      block.for_each([&](std::int64_t x, std::int64_t y, std::int64_t c, T value) {
        wrong += value != expected(x, y, c);
      });
      EXPECT_EQ(wrong + block.changed_padding(), 0) << "cut " << static_cast<int>(cut);
    }
  }

  /// Writes and reads images of this type in every layout.
  template <class T>
  void expect_all_layouts(int compression = COMPRESSION_NONE, int predictor = PREDICTOR_NONE) {
    for (const auto& [width, height] : {std::pair{1, 1}, {37, 23}, {64, 16}})
      for (const int channels : {1, 3, 4})
        for (const bool planar : {false, true})
          for (const int tile : {0, 16, 48}) {
            PlainTiff page = plain_tiff<T>(width, height, channels);
            page.planar = planar;
            page.tile_width = tile;
            page.chunk_height = tile == 0 ? 5 : 32;
            page.compression = compression;
            page.predictor = predictor;
            // libtiff 4.5 itself writes floats wrong that it both predicts and swaps.
            const bool swaps = predictor != PREDICTOR_FLOATINGPOINT;
            const char* mode = modes_[next_mode_++ % 5];
            write<T>(page, swaps ? mode : "w");
            expect_points<T>(page, pixel<T>, {}, {all_cuts[next_mode_ % 4]});
          }
  }

  void expect_refused(const std::vector<std::string>& words) {
    expect_input_error([&] { io::inspect_image(path_); }, words);
    expect_input_error([&] { io::inspect_image(path_); }, {path_ + ": "});
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "image.tif";
  const char* modes_[5] = {"wl", "wb", "w8l", "w8b", "w"};
  int next_mode_ = 0;
};

TEST_F(TiffReading, IntegersInEveryLayout) {
  expect_all_layouts<std::uint8_t>();
  expect_all_layouts<std::int16_t>();
  expect_all_layouts<std::uint16_t>();
  expect_all_layouts<std::int32_t>();
}

TEST_F(TiffReading, FloatsInEveryLayout) {
  expect_all_layouts<float>();
  expect_all_layouts<double>();
}

TEST_F(TiffReading, CompressedInEveryLayout) {
  expect_all_layouts<std::uint8_t>(COMPRESSION_PACKBITS);
  expect_all_layouts<std::uint16_t>(COMPRESSION_LZW);
  expect_all_layouts<std::uint16_t>(COMPRESSION_LZW, PREDICTOR_HORIZONTAL);
  expect_all_layouts<float>(COMPRESSION_ADOBE_DEFLATE, PREDICTOR_FLOATINGPOINT);
}

TEST_F(TiffReading, TheOtherTypes) {
  const auto check = [&]<class T>(T) {
    const PlainTiff page = plain_tiff<T>(37, 23, 3);
    for (const char* mode : modes_) {
      write<T>(page, mode);
      expect_points<T>(page, pixel<T>);
    }
  };
  check(std::int8_t{});
  check(std::uint32_t{});
  check(std::int64_t{});
  check(std::uint64_t{});
}

TEST_F(TiffReading, OneStripOfAllRows) {
  for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW}) {
    PlainTiff page = plain_tiff<std::uint16_t>(700, 300, 3);
    page.compression = compression;
    page.chunk_height = page.height;
    write<std::uint16_t>(page);
    expect_points<std::uint16_t>(page, pixel<std::uint16_t>);
  }
}

TEST_F(TiffReading, ColourThatJpegCompressesBecomesRgb) {
  for (const int photometric : {PHOTOMETRIC_YCBCR, PHOTOMETRIC_RGB}) {
    PlainTiff page = plain_tiff<std::uint8_t>(40, 32, 3);
    page.photometric = photometric;
    page.compression = COMPRESSION_JPEG;
    page.chunk_height = 16;
    const int colour[] = {200, 100, 30};
    on_rank_0(
        [&] { write_plain_tiff<std::uint8_t>(path_, page, [&](auto, auto, int c) { return colour[c]; }); });
    const io::ImageInfo info = io::inspect_image(path_);
    EXPECT_TRUE(info.domain == (Box{{0, 40}, {0, 32}, {0, 3}}));
    OwnedBlock<std::uint8_t> block(part_of(info.domain, Cut::rows));
    io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
    block.for_each([&](auto, auto, std::int64_t c, std::uint8_t value) { EXPECT_NEAR(value, colour[c], 3); });
  }
}

TEST_F(TiffReading, Pages) {
  const PlainTiff pages[] = {plain_tiff<std::uint8_t>(20, 9, 1), plain_tiff<float>(37, 23, 3),
                             plain_tiff<std::uint16_t>(5, 50, 1)};
  on_rank_0([&] {
    TIFF* tiff = TIFFOpen(path_.c_str(), "w");
    write_page<std::uint8_t>(tiff, pages[0], pixel<std::uint8_t>);
    write_page<float>(tiff, pages[1], pixel<float>);
    write_page<std::uint16_t>(tiff, pages[2], pixel<std::uint16_t>);
    TIFFClose(tiff);
  });
  expect_points<std::uint8_t>(pages[0], pixel<std::uint8_t>);
  expect_points<std::uint8_t>(pages[0], pixel<std::uint8_t>, {.page = 0});
  expect_points<float>(pages[1], pixel<float>, {.page = 1});
  expect_points<std::uint16_t>(pages[2], pixel<std::uint16_t>, {.page = 2});
  EXPECT_EQ(io::broadcast(MPI_COMM_WORLD, io::inspect_image(path_, {.page = 2})).page, 2);
  for (const int page : {3, 70'000, 2'000'000'000})
    expect_input_error([&] { io::inspect_image(path_, {.page = page}); },
                       {path_ + ": has no page " + std::to_string(page) + "; give one from 0 to 2"});
  expect_input_error([&] { io::inspect_image(path_, {.page = -1}); }, {"has no page -1; give one from 0 on"});
}

TEST_F(TiffReading, PackedSamples) {
  for (const int bits : {1, 4, 12})
    for (const int photometric : {PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_MINISWHITE}) {
      const int most = (1 << bits) - 1;
      const auto value = [&](std::int64_t x, std::int64_t y) {
        return static_cast<int>((5 * x + 3 * y) & most);
      };
      PlainTiff page = plain_tiff<std::uint8_t>(37, 23, 1);
      page.bits = bits;
      page.photometric = photometric;
      on_rank_0([&] {
        TIFF* tiff = TIFFOpen(path_.c_str(), "w");
        set_fields(tiff, page);
        for (std::uint32_t y = 0; y < 23; ++y) {
          std::vector<std::uint8_t> row(static_cast<std::size_t>(37 * bits + 7) / 8);
          for (int bit = 0; bit < 37 * bits; ++bit)
            if ((value(bit / bits, y) >> (bits - 1 - bit % bits) & 1) != 0)
              row[static_cast<std::size_t>(bit / 8)] |= static_cast<std::uint8_t>(0x80 >> bit % 8);
          EXPECT_EQ(TIFFWriteScanline(tiff, row.data(), y), 1);
        }
        TIFFClose(tiff);
      });
      const auto expected = [&](auto x, auto y, auto) {
        return photometric == PHOTOMETRIC_MINISBLACK ? value(x, y) : most - value(x, y);
      };
      if (bits < 8)
        expect_points<std::uint8_t>(page, expected);
      else
        expect_points<std::uint16_t>(page, expected);
    }
}

TEST_F(TiffReading, HalfFloatsBecomeFloats) {
  const std::pair<int, float> halves[] = {{0x0000, 0.0F},     {0x3c00, 1.0F},     {0xc000, -2.0F},
                                          {0x7bff, 65504.0F}, {0x0001, 0x1p-24F}, {0x3555, 0x1.554p-2F},
                                          {0x8400, -0x1p-14F}};
  const auto half = [&](std::int64_t x, std::int64_t y) { return halves[(x + 3 * y) % 7]; };
  PlainTiff page = plain_tiff<std::uint16_t>(37, 23, 1);
  page.format = SAMPLEFORMAT_IEEEFP;
  for (const char* mode : {"wl", "wb"}) {
    on_rank_0([&] {
      write_plain_tiff<std::uint16_t>(
          path_, page, [&](auto x, auto y, auto) { return half(x, y).first; }, mode);
    });
    expect_points<float>(page, [&](auto x, auto y, auto) { return half(x, y).second; });
  }
}

TEST_F(TiffReading, WhereZeroIsWhiteSamplesAreInverted) {
  PlainTiff page = plain_tiff<std::uint16_t>(37, 23, 1);
  page.photometric = PHOTOMETRIC_MINISWHITE;
  write<std::uint16_t>(page);
  expect_points<std::uint16_t>(page,
                               [](auto x, auto y, auto c) { return 65535 - pixel<std::uint16_t>(x, y, c); });
}

TEST_F(TiffReading, TransparencyOfGreyIsASecondChannel) {
  PlainTiff page = plain_tiff<std::uint8_t>(37, 23, 2);
  page.photometric = PHOTOMETRIC_MINISBLACK;
  page.extra = {EXTRASAMPLE_UNASSALPHA};
  write<std::uint8_t>(page);
  expect_points<std::uint8_t>(page, pixel<std::uint8_t>);
}

TEST_F(TiffReading, TilesThatAreLeftOutAreZero) {
  for (const int compression : {COMPRESSION_NONE, COMPRESSION_ADOBE_DEFLATE}) {
    PlainTiff page = plain_tiff<std::uint8_t>(40, 32, 1);
    page.compression = compression;
    page.tile_width = page.chunk_height = 16;
    on_rank_0([&] {
      std::vector<std::uint8_t> tile(256, 9);
      TIFF* tiff = TIFFOpen(path_.c_str(), "w");
      set_fields(tiff, page);
      EXPECT_EQ(TIFFWriteEncodedTile(tiff, 1, tile.data(), 256), 256);
      TIFFClose(tiff);
    });
    expect_points<std::uint8_t>(page, [](auto x, auto y, auto) { return y < 16 && x / 16 == 1 ? 9 : 0; });
  }
}

// All pages lie behind each other, and only the first one has a directory.
TEST_F(TiffReading, StacksOfImageJ) {
  PlainTiff page = plain_tiff<std::uint16_t>(37, 5 * 23, 1);
  page.chunk_height = 23;
  on_rank_0([&] {
    TIFF* tiff = TIFFOpen(path_.c_str(), "wl");
    TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, "ImageJ=1.53t\nimages=5\nslices=5\n");
    write_page<std::uint16_t>(tiff, page, pixel<std::uint16_t>);
    TIFFClose(tiff);
    std::string bytes = bytes_of(path_);
    put_field(bytes, TIFFTAG_IMAGELENGTH, 23);
    write_bytes(path_, bytes);
  });
  page.height = 23;
  for (const int number : {0, 1, 4})
    expect_points<std::uint16_t>(
        page, [&](auto x, auto y, auto c) { return pixel<std::uint16_t>(x, y + 23 * number, c); },
        {.page = number});
  expect_input_error([&] { io::inspect_image(path_, {.page = 5}); },
                     {path_ + ": has no page 5; give one from 0 to 4"});
}

TEST_F(TiffReading, OtherColoursAreRefused) {
  PlainTiff page = plain_tiff<std::int8_t>(8, 6, 1);
  page.photometric = PHOTOMETRIC_MINISWHITE;
  write<std::int8_t>(page);
  expect_refused({"0 is white, of signed numbers; convert it to one in which 0 is black"});
  page = plain_tiff<std::uint8_t>(8, 6, 2);
  page.photometric = PHOTOMETRIC_MINISWHITE;
  page.extra = {EXTRASAMPLE_UNASSALPHA};
  write<std::uint8_t>(page);
  expect_refused({"0 is white, with alpha; convert it to one in which 0 is black"});
  page = plain_tiff<std::uint8_t>(8, 6, 1);
  page.photometric = PHOTOMETRIC_LOGL;
  write<std::uint8_t>(page);
  expect_refused({"photometric interpretation 32844; convert it to grey or RGB"});
  page.photometric = PHOTOMETRIC_PALETTE;
  on_rank_0([&] {
    std::vector<std::uint16_t> palette(256);
    TIFF* tiff = TIFFOpen(path_.c_str(), "w");
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_COLORMAP, palette.data(), palette.data(), palette.data());
    write_page<std::uint8_t>(tiff, page, pixel<std::uint8_t>);
    TIFFClose(tiff);
  });
  expect_refused({"is a TIFF image with a palette; convert it to RGB"});
  page = plain_tiff<std::uint8_t>(8, 6, 4);
  page.photometric = PHOTOMETRIC_SEPARATED;
  write<std::uint8_t>(page);
  expect_refused({"(CMYK); convert it to RGB"});
}

TEST_F(TiffReading, OtherSamplesAreRefused) {
  PlainTiff page = plain_tiff<std::uint8_t>(8, 6, 4);
  page.extra = {EXTRASAMPLE_ASSOCALPHA};
  write<std::uint8_t>(page);
  expect_refused({"has colours that are multiplied by their transparency", "unassociated alpha"});
  page = plain_tiff<std::uint8_t>(8, 6, 5);
  page.extra = {EXTRASAMPLE_UNASSALPHA, EXTRASAMPLE_UNSPECIFIED};
  write<std::uint8_t>(page);
  expect_refused({"has 5 channels (2 of them extra", "remove the extra channels"});
  page = plain_tiff<std::uint8_t>(8, 6, 2);
  page.photometric = PHOTOMETRIC_MINISBLACK;
  page.extra = {EXTRASAMPLE_ASSOCALPHA};
  write<std::uint8_t>(page);
  expect_refused({"has colours that are multiplied by their transparency"});
  page = plain_tiff<std::uint64_t>(8, 6, 1);
  page.format = SAMPLEFORMAT_COMPLEXIEEEFP;
  write<std::uint64_t>(page);
  expect_refused({"has complex samples"});
  for (const int bits : {4, 24}) {
    page = plain_tiff<std::uint8_t>(16, 6, 1);
    page.bits = bits;
    page.format = bits == 4 ? SAMPLEFORMAT_INT : SAMPLEFORMAT_IEEEFP;
    on_rank_0([&] {
      TIFF* tiff = TIFFOpen(path_.c_str(), "w");
      set_fields(tiff, page);
      std::uint8_t row[48] = {};
      for (std::uint32_t y = 0; y < 6; ++y) TIFFWriteScanline(tiff, row, y);
      TIFFClose(tiff);
    });
    expect_refused({bits == 4 ? "has samples of 4 bits; convert it to integers of"
                              : "has floats of 24 bits; convert them to 16, 32 or 64 bits"});
  }
}

TEST_F(TiffReading, HasNoDataSets) {
  write<std::uint8_t>(plain_tiff<std::uint8_t>(5, 4, 1));
  expect_input_error([&] { io::inspect_image(path_, {"image"}); },
                     {path_ + ": has the format TIFF, which has no data sets"});
}

/// Each rank decodes what it needs: a damaged strip of another part of the image stays unnoticed.
TEST_F(TiffReading, OnlyTheStripsOfABlock) {
  PlainTiff page = plain_tiff<std::uint8_t>(50, 40, 1);
  page.compression = COMPRESSION_ADOBE_DEFLATE;
  page.chunk_height = 10;
  write<std::uint8_t>(page);
  const io::ImageInfo info = io::inspect_image(path_);
  on_rank_0([&] {
    TIFF* tiff = TIFFOpen(path_.c_str(), "r");
    const std::uint64_t at = TIFFGetStrileOffset(tiff, 2);
    TIFFClose(tiff);
    std::string bytes = bytes_of(path_);
    bytes.replace(at, 10, 10, '\xff');
    write_bytes(path_, bytes);
  });
  const auto read_rows = [&](Range rows) {
    OwnedBlock<std::uint8_t> block(Box{{0, 50}, rows});
    io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
    EXPECT_TRUE(holds_pixels(block));
  };
  read_rows({0, 20});
  read_rows({30, 40});
  expect_input_error([&] { read_rows({19, 21}); }, {path_, "damaged or truncated TIFF"});
}

}  // namespace
}  // namespace tessera::io_test
