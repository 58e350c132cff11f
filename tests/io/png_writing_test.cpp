// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <cstdint>
#include <stdexcept>

#include "io/io_test_support.hpp"
#include "io/plain_png.hpp"
#include "tessera/io/detail/png_encoding.hpp"
#include "tessera/io/image_sink.hpp"

namespace tessera::io_test {
namespace {

/// PNG files of several strips, read by libpng.
class PngWriting : public testing::Test {
 protected:
  template <class T>
  void write(MPI_Comm communicator, const Box& domain, const Box& own, int threads) {
    io::create_image(communicator, io::ImageFormat::png, path_, domain, element_type_of<T>(), threads)
        ->write(filled<T>(own, Layout::padded).block());
  }

  template <class T>
  void check_pixels(const Box& domain, int threads) {
    write<T>(MPI_COMM_WORLD, domain, part_of(domain, Cut::columns), threads);
    on_rank_0([&] {
      const PlainPng image = read_plain_png(path_);
      ASSERT_EQ(image.width, domain[0].size());
      ASSERT_EQ(image.height, domain[1].size());
      std::int64_t wrong = 0;
      for (std::int64_t y = 0; y < image.height; ++y)
        for (std::int64_t x = 0; x < image.width; ++x)
          for (int c = 0; c < image.channels(); ++c) wrong += image.sample(x, y, c) != pixel<T>(x, y, c);
      EXPECT_EQ(wrong, 0) << threads << " threads";
    });
  }

  /// Writes a grey image whose pixels are value(x, y), on one rank, and returns the size of the file.
  template <class Value>
  std::size_t size_of_file(std::int64_t width, std::int64_t height, const Value& value) {
    OwnedBlock<std::uint8_t> image(Box{{0, width}, {0, height}});
    image.for_each([&](std::int64_t x, std::int64_t y, std::int64_t, std::uint8_t& pixel) {
      pixel = static_cast<std::uint8_t>(value(x, y));
    });
    io::create_image(MPI_COMM_SELF, io::ImageFormat::png, path_, image.block().box, ElementType::uint8, 2)
        ->write(image.block());
    const PlainPng written = read_plain_png(path_);
    std::int64_t wrong = 0;
    image.for_each([&](std::int64_t x, std::int64_t y, std::int64_t, std::uint8_t pixel) {
      wrong += written.sample(x, y) != pixel;
    });
    EXPECT_EQ(wrong, 0);
    return static_cast<std::size_t>(std::filesystem::file_size(path_));
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "image.png";
};

TEST_F(PngWriting, SeveralThreadsWriteTheRightPixels) {
  for (const int threads : {1, 2, 5}) {
    check_pixels<std::uint8_t>({{0, 801}, {0, 1203}}, threads);
    check_pixels<std::uint16_t>({{0, 403}, {0, 307}, {0, 3}}, threads);
    check_pixels<std::uint8_t>({{0, 200000}, {0, 3}}, threads);
    check_pixels<std::uint8_t>({{0, 1}, {0, 200000}}, threads);
  }
}

TEST_F(PngWriting, TheBytesDependOnNoThreadsAndRanks) {
  const Box domain{{0, 801}, {0, 1203}};
  on_rank_0([&] { write<std::uint8_t>(MPI_COMM_SELF, domain, domain, 1); });
  const std::string expected = bytes_of(path_);
  for (const int threads : {1, 2, 7}) {
    write<std::uint8_t>(MPI_COMM_WORLD, domain, part_of(domain, Cut::rows), threads);
    EXPECT_TRUE(bytes_of(path_) == expected) << threads << " threads";
  }
  const auto sink =
      io::create_image(MPI_COMM_WORLD, io::ImageFormat::png, path_, domain, ElementType::uint8, 3);
  for (const Range rows : {Range{0, 1}, Range{1, 500}, Range{500, 1203}}) {
    Box part = domain;
    part[1] = rows;
    sink->write_part(filled<std::uint8_t>(part_of(part, Cut::columns)).block(), part);
  }
  EXPECT_TRUE(bytes_of(path_) == expected) << "in parts";
}

TEST_F(PngWriting, EveryFilterIsChosenWhereItFits) {
  // A constant, a gradient along x, columns, rows that are the mean of their neighbours, and a plane: each of
  // them is compressed to next to nothing by one of the filters only.
  on_rank_0([&] {
    const auto noise = [](std::int64_t i) { return pixel<std::uint8_t>(i, 3 * i, 5); };
    EXPECT_LT(size_of_file(1000, 600, [](auto, auto) { return 200; }), 3000U);
    EXPECT_LT(size_of_file(1000, 600, [&](auto, auto y) { return noise(y); }), 6000U);
    EXPECT_LT(size_of_file(1000, 600, [&](auto x, auto) { return noise(x); }), 6000U);
    EXPECT_LT(size_of_file(1000, 600, [&](auto x, auto y) { return noise(x) + noise(1000 + y); }), 400000U);
    EXPECT_LT(size_of_file(1000, 600, [](auto x, auto y) { return (x + 2 * y) / 16; }), 40000U);
  });
}

TEST_F(PngWriting, RepetitionsAreFoundAcrossRowsAndStrips) {
  on_rank_0([&] {
    const auto tile = [](auto x, auto y) { return pixel<std::uint8_t>(x % 97, y % 7, 0); };
    EXPECT_LT(size_of_file(1500, 1000, tile), 1500U * 1000 / 20);
  });
}

TEST_F(PngWriting, NoiseBecomesHardlyLarger) {
  on_rank_0([&] {
    const auto noise = [](auto x, auto y) { return pixel<std::uint16_t>(x, y, 7) >> 3; };
    EXPECT_LT(size_of_file(1001, 997, noise), 1001U * 997 * 101 / 100);
  });
}

TEST(PngFilter, ChoosesWhatLeavesTheSmallestNumbers) {
  constexpr int zeros = 8, count = 64;
  using Row = std::array<std::uint8_t, zeros + count>;
  Row row{}, above{}, none{};
  for (int i = 0; i < count; ++i) {
    row[zeros + i] = static_cast<std::uint8_t>(7 * i);
    above[zeros + i] = pixel<std::uint8_t>(i, 1, 2);
  }
  std::array<std::uint8_t, 1 + count> filtered{};
  const auto filter_of = [&](const Row& current, const Row& before) {
    io::detail::filter_png_row(&current[zeros], &before[zeros], count, 1, filtered.data());
    return int{filtered[0]};
  };
  EXPECT_EQ(filter_of(none, above), 0);
  EXPECT_EQ(filter_of(row, none), 1);
  EXPECT_EQ(filtered[2], 7);
  EXPECT_EQ(filter_of(above, above), 2);
  EXPECT_EQ(filtered[2], 0);
  Row mean{};
  for (int i = zeros; i < zeros + count; ++i)
    mean[i] = static_cast<std::uint8_t>((mean[i - 1] + above[i]) / 2);
  EXPECT_EQ(filter_of(mean, above), 3);
  EXPECT_EQ(filtered[9], 0);
  // Here the byte above is right in one half of the row, and the byte to the left in the other.
  Row halves = above;
  std::fill(above.begin() + zeros + count / 2, above.end(), std::uint8_t{10});
  std::fill(halves.begin() + zeros + count / 2, halves.end(), std::uint8_t{200});
  EXPECT_EQ(filter_of(halves, above), 4);
  EXPECT_EQ(std::count(filtered.begin() + 1, filtered.end(), 0), count - 1);
}

TEST(InThreads, EveryIndexIsWorkedOnOnce) {
  for (const int threads : {1, 3, 16}) {
    std::array<std::atomic<int>, 10> calls{};
    io::detail::in_threads(threads, 10, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
    for (const auto& call : calls) EXPECT_EQ(call, 1);
  }
  io::detail::in_threads(4, 0, [](std::int64_t) { ADD_FAILURE() << "there is no index"; });
}

TEST(InThreads, AnExceptionReachesTheCaller) {
  for (const int threads : {1, 4})
    EXPECT_THROW(io::detail::in_threads(threads, 100,
                                        [](std::int64_t i) {
                                          if (i == 37) throw std::runtime_error("37");
                                        }),
                 std::runtime_error);
}

}  // namespace
}  // namespace tessera::io_test
