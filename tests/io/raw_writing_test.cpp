// SPDX-License-Identifier: BSD-3-Clause
#include <complex>

#include "io/io_test_support.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::io_test {
namespace {

class RawWriting : public testing::Test {
 protected:
  template <class T>
  static std::string expected(const Box& domain) {
    std::string bytes;
    OwnedBlock<T>(domain).for_each([&](std::int64_t x, std::int64_t y, std::int64_t c, T&) {
      const T value = pixel<T>(x, y, c);
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    });
    return bytes;
  }

  /// Writes an array cut in this way, and finds its points in C order, and again by reading.
  template <class T>
  void expect_written(const Box& domain, Cut cut, Layout layout = Layout::padded) {
    io::create_image(MPI_COMM_WORLD, io::ImageFormat::raw, path_, domain, element_type_of<T>())
        ->write(filled<T>(part_of(domain, cut), layout).block());
    EXPECT_EQ(folder_.files(), std::vector<std::string>{"image.raw"});
    on_rank_0([&] { EXPECT_EQ(bytes_of(path_), expected<T>(domain)); });
    const io::ImageInfo info{.format = io::ImageFormat::raw, .type = element_type_of<T>(), .domain = domain};
    OwnedBlock<T> read(part_of(domain, Cut::columns), layout);
    io::open_image(MPI_COMM_WORLD, path_, info)->read(read.block());
    EXPECT_TRUE(holds_pixels(read));
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "image.raw";
};

TEST_F(RawWriting, HasTheNumbersInCOrder) {
  const Box grey{{0, 29}, {0, 17}}, colour{{0, 29}, {0, 17}, {0, 3}};
  for (const Cut cut : all_cuts) {
    expect_written<std::uint8_t>(grey, cut);
    expect_written<std::uint16_t>(colour, cut, Layout::channels_between_rows);
    expect_written<float>(colour, cut, Layout::packed);
  }
  expect_written<double>(grey, Cut::rows);
  expect_written<std::complex<float>>(colour, Cut::columns);
  expect_written<std::complex<double>>(grey, Cut::rows);
  expect_written<std::int64_t>({{0, 1}, {0, 1}}, Cut::rows);
}

TEST_F(RawWriting, TheFileHasItsSizeBeforeRanksWrite) {
  const auto sink =
      io::create_image(MPI_COMM_WORLD, io::ImageFormat::raw, path_, {{0, 29}, {0, 17}}, ElementType::uint16);
  const std::vector<std::string> files = folder_.files();
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(std::filesystem::file_size(folder_ / files.front()), 2U * 29 * 17);
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_F(RawWriting, ReplacesALongerFileOnlyWhenItIsComplete) {
  on_rank_0([&] { write_bytes(path_, std::string(10000, 'x')); });
  {
    const auto dropped =
        io::create_image(MPI_COMM_WORLD, io::ImageFormat::raw, path_, {{0, 4}, {0, 4}}, ElementType::uint8);
  }
  on_rank_0([&] { EXPECT_EQ(bytes_of(path_), std::string(10000, 'x')); });
  expect_written<std::uint8_t>({{0, 4}, {0, 4}}, Cut::rows);
}

}  // namespace
}  // namespace tessera::io_test
