// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <random>

#include "io/io_test_support.hpp"
#include "io/plain_hdf5.hpp"
#include "io/plain_jpeg.hpp"
#include "io/plain_tiff.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::io_test {
namespace {

/// Files that were damaged somehow are read, or refused by an InputError about them; nothing else.
class DamagedFiles : public testing::Test {
 protected:
  void write(const std::string& bytes) {
    on_rank_0([&] { write_bytes(path_, bytes); });
  }

  /// True when the file could be read.
  bool is_read() {
    try {
      const io::ImageInfo info = io::inspect_image(path_);
      if (info.domain.size() > 1'000'000) return true;
      with_element_type(info.type, [&]<class T>(std::type_identity<T>) {
        OwnedBlock<T> block(part_of(info.domain, Cut::rows));
        io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
      });
      return true;
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.rfind(path_ + ": ", 0), 0U) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
    return false;
  }

  /// Damages the file at path_, which is sound.
  void expect_no_surprise() {
    on_rank_0([] {});
    const std::string bytes = bytes_of(path_);
    for (std::size_t part = 0; part < 16; ++part) {
      write(bytes.substr(0, bytes.size() * part / 16));
      EXPECT_FALSE(is_read()) << part << "/16 of the file";
    }
    std::mt19937 random(7);
    // Each trial costs many ranks several barriers; a fuzzer tries more of them.
    const int trials = ranks() > 2 ? 8 : 32;
    for (int trial = 0; trial < trials; ++trial) {
      std::string damaged = bytes;
      // Half of the trials in the header, wherever that is.
      const std::size_t reach = std::min<std::size_t>(bytes.size(), 200);
      const std::size_t at = trial % 4 == 0   ? random() % reach
                             : trial % 4 == 1 ? bytes.size() - 1 - random() % reach
                                              : random() % bytes.size();
      damaged[at] = static_cast<char>(random());
      write(damaged);
      is_read();
    }
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "image";
};

TEST_F(DamagedFiles, Tiff) {
  for (const int compression :
       {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS, COMPRESSION_JPEG})
    for (const int tile : {0, 16}) {
      PlainTiff page = plain_tiff<std::uint8_t>(61, 40, 3);
      page.compression = compression;
      page.photometric = compression == COMPRESSION_JPEG ? PHOTOMETRIC_YCBCR : PHOTOMETRIC_RGB;
      page.planar = compression == COMPRESSION_LZW;
      page.tile_width = tile;
      page.chunk_height = 16;
      on_rank_0(
          [&] { write_plain_tiff<std::uint8_t>(path_, page, pixel<std::uint8_t>, tile == 0 ? "w" : "w8b"); });
      expect_no_surprise();
    }
}

TEST_F(DamagedFiles, Jpeg) {
  for (const J_COLOR_SPACE colour : {JCS_GRAYSCALE, JCS_RGB})
    for (const bool progressive : {false, true}) {
      PlainJpeg image = make_jpeg(61, 40, colour);
      image.progressive = progressive;
      on_rank_0([&] { write_plain_jpeg(path_, image); });
      expect_no_surprise();
    }
}

TEST_F(DamagedFiles, Hdf5) {
  on_rank_0([&] {
    write_plain_hdf5(path_, "image", {3, 40, 61}, std::vector<std::uint8_t>(3 * 40 * 61, 7), H5T_NATIVE_UINT8,
                     {});
  });
  expect_no_surprise();
}

/// Headers that claim what would not fit into memory, or into a number.
TEST_F(DamagedFiles, TiffOfImpossibleSizes) {
  const auto expect_refused = [&](std::uint32_t width, std::uint32_t height, std::uint32_t rows,
                                  int compression, const std::string& words) {
    on_rank_0([&] {
      PlainTiff page = plain_tiff<double>(8, 70'000, 3);
      page.chunk_height = 70'000;
      page.compression = compression;
      write_plain_tiff<double>(
          path_, page, [](auto, auto, auto) { return 0; }, "wl");
      std::string bytes = bytes_of(path_);
      put_field(bytes, TIFFTAG_IMAGEWIDTH, width);
      put_field(bytes, TIFFTAG_IMAGELENGTH, height);
      put_field(bytes, TIFFTAG_ROWSPERSTRIP, rows);
      write_bytes(path_, bytes);
    });
    expect_input_error([&] { io::inspect_image(path_); }, {path_ + ": ", words});
  };
  const std::string does_not_fit = "which does not fit into a file of";
  expect_refused(60'000, 100'000, 100'000, COMPRESSION_LZW,
                 "has strips of over 2 GiB; write it with smaller");
  expect_refused(1200, 70'000, 70'000, COMPRESSION_ADOBE_DEFLATE, does_not_fit);
  expect_refused(8, 4'000'000'000, 1000, COMPRESSION_LZW, "StripOffsets");
  expect_refused(8, 4'000'000'000, 1, COMPRESSION_NONE, "StripOffsets");
  expect_refused(65'000, 4'000'000'000, 4'000'000'000, COMPRESSION_NONE, "damaged");
  expect_refused(0, 0, 0, COMPRESSION_LZW, "damaged");
}

}  // namespace
}  // namespace tessera::io_test
