// SPDX-License-Identifier: BSD-3-Clause
#include "io/io_test_support.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::io_test {
namespace {

/// Optical flows in files of the Middlebury benchmark.
class Flo : public testing::Test {
 protected:
  static float value(std::int64_t x, std::int64_t y, std::int64_t c) {
    return static_cast<float>(x) - 0.25f * static_cast<float>(y) + 100 * static_cast<float>(c);
  }

  /// The bytes that a file of this size is to have.
  static std::string content_of(std::int32_t width, std::int32_t height) {
    std::string bytes = "PIEH";
    const auto add = [&bytes](auto number) {
      bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
    };
    add(width);
    add(height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (int c = 0; c < 2; ++c) add(value(x, y, c));
    return bytes;
  }

  void expect_header_fails(const std::string& bytes, const std::string& words) {
    on_rank_0([&] { write_bytes(path_, bytes); });
    expect_input_error([&] { io::inspect_image(path_); }, {path_, words});
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "flow";
};

TEST_F(Flo, HoldsThePixelsRowByRow) {
  const Box box{{0, 7}, {0, 5}, {0, 2}};
  for (const Cut cut : all_cuts) {
    OwnedBlock<float> block(part_of(box, cut), Layout::padded);
    block.for_each([](std::int64_t x, std::int64_t y, std::int64_t c, float& v) { v = value(x, y, c); });
    io::create_image(MPI_COMM_WORLD, io::ImageFormat::flo, path_, box, ElementType::float32)
        ->write(block.block());
    EXPECT_EQ(bytes_of(path_), content_of(7, 5));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_F(Flo, IsReadAsAnImageOfTwoChannels) {
  on_rank_0([&] { write_bytes(path_, content_of(9, 4)); });
  const io::ImageInfo info = io::inspect_image(path_);
  EXPECT_EQ(info.format, io::ImageFormat::flo);
  EXPECT_EQ(info.type, ElementType::float32);
  ASSERT_TRUE((info.domain == Box{{0, 9}, {0, 4}, {0, 2}})) << to_string(info.domain);
  for (const Cut cut : all_cuts) {
    OwnedBlock<float> block(part_of(info.domain, cut), Layout::padded);
    io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
    std::int64_t wrong = block.changed_padding();
    block.for_each([&](std::int64_t x, std::int64_t y, std::int64_t c, float v) {
      wrong += v != value(x, y, c) ? 1 : 0;
    });
    EXPECT_EQ(wrong, 0) << "cut " << static_cast<int>(cut);
  }
}

TEST_F(Flo, DamagedFilesAreRefused) {
  const std::string whole = content_of(3, 2);
  expect_header_fails(whole.substr(0, 9), "ends too early; replace it by the whole file");
  expect_header_fails(whole.substr(0, 40), "is damaged: its 40 bytes are not those of 3 x 2 pixels");
  expect_header_fails(whole + "x", "is damaged: its 61 bytes are not those of 3 x 2 pixels");
  // The number of bytes of these pixels is not representable in 64 bits.
  expect_header_fails(whole.substr(0, 4) + std::string(8, '\x7f') + whole.substr(12),
                      "is damaged: its 60 bytes are not those of 2139062143 x 2139062143 pixels");
  expect_header_fails(content_of(0, 2), "is damaged: it says that it has 0 x 2 pixels");
}

}  // namespace
}  // namespace tessera::io_test
