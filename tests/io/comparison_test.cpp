// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/image_sink.hpp"

#include <cmath>

#include "io/io_test_support.hpp"
#include "io/plain_png.hpp"

namespace tessera::io_test {
namespace {

constexpr std::int64_t separator = 4;

template <class T, class Value>
OwnedBlock<T> block_of(const Box& domain, Cut cut, const Value& value) {
  OwnedBlock<T> block(part_of(domain, cut), Layout::padded);
  block.for_each([&](std::int64_t x, std::int64_t y, std::int64_t c, T& point) { point = value(x, y, c); });
  return block;
}

TEST(Comparison, ShowsTheMiddleOfLargeImages) {
  const SharedFolder folder;
  const std::string path = folder / "comparison.png";
  const Box domain{{0, 600}, {0, 523}, {0, 3}};
  const auto after = [](std::int64_t x, std::int64_t y, std::int64_t c) {
    return static_cast<std::uint8_t>(255 - pixel<std::uint8_t>(x, y, c));
  };
  for (const Cut cut : all_cuts) {
    io::write_comparison_png(MPI_COMM_WORLD, path,
                             block_of<std::uint8_t>(domain, cut, pixel<std::uint8_t>).block(),
                             block_of<std::uint8_t>(domain, Cut::rows, after).block(), domain);
    const PlainPng image = read_plain_png(path);
    EXPECT_EQ(image.width, 2 * 512 + separator);
    EXPECT_EQ(image.height, 512);
    EXPECT_EQ(image.colour, PNG_COLOR_TYPE_RGB);
    EXPECT_EQ(image.bits, 8);
    std::int64_t wrong = 0;
    for (std::int64_t y = 0; y < 512; ++y)
      for (std::int64_t x = 0; x < 512; ++x)
        for (int c = 0; c < 3; ++c) {
          const std::int64_t from_x = (600 - 512) / 2 + x;
          const std::int64_t from_y = (523 - 512) / 2 + y;
          wrong += image.sample(x, y, c) != pixel<std::uint8_t>(from_x, from_y, c);
          wrong += image.sample(512 + separator + x, y, c) != after(from_x, from_y, c);
        }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(image.sample(512 + separator / 2, 100, 1), 255);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  EXPECT_EQ(folder.files(), std::vector<std::string>{"comparison.png"});
}

TEST(Comparison, ShowsSmallImagesWhole) {
  const SharedFolder folder;
  const std::string path = folder / "comparison.png";
  const Box domain{{0, 3}, {0, 5}};
  const OwnedBlock<std::uint16_t> before = block_of<std::uint16_t>(domain, Cut::rows, [](auto x, auto, auto) {
    return x == 0 ? 0 : x == 1 ? 65535 : 32768;
  });
  io::write_comparison_png(MPI_COMM_WORLD, path, before.block(), before.block(), domain);
  const PlainPng image = read_plain_png(path);
  const std::int64_t factor = 512 / 5;
  EXPECT_EQ(image.width, 2 * 3 * factor + separator);
  EXPECT_EQ(image.height, 5 * factor);
  EXPECT_EQ(image.colour, PNG_COLOR_TYPE_GRAY);
  EXPECT_EQ(image.sample(0, 0), 0);
  EXPECT_EQ(image.sample(factor, 0), 255);
  EXPECT_EQ(image.sample(3 * factor - 1, 5 * factor - 1), 128);
}

TEST(Comparison, TransparencyIsShown) {
  const SharedFolder folder;
  const std::string path = folder / "comparison.png";
  const Box domain{{0, 514}, {0, 514}, {0, 4}};
  const OwnedBlock<std::uint8_t> block = block_of<std::uint8_t>(domain, Cut::rows, pixel<std::uint8_t>);
  io::write_comparison_png(MPI_COMM_WORLD, path, block.block(), block.block(), domain);
  const PlainPng image = read_plain_png(path);
  EXPECT_EQ(image.colour, PNG_COLOR_TYPE_RGB_ALPHA);
  EXPECT_EQ(image.sample(0, 0, 3), pixel<std::uint8_t>(1, 1, 3));
}

TEST(Comparison, FloatsAreShownUpToTheGreatestBefore) {
  const SharedFolder folder;
  const std::string path = folder / "comparison.png";
  const Box domain{{0, 4}, {0, 4}};
  const auto before = [](auto x, auto, auto) { return x == 0 ? 200.0F : x == 1 ? NAN : 100.0F; };
  const auto after = [](auto x, auto, auto) { return x == 0 ? 400.0F : x == 1 ? -1.0F : 50.0F; };
  io::write_comparison_png(MPI_COMM_WORLD, path, block_of<float>(domain, Cut::rows, before).block(),
                           block_of<float>(domain, Cut::columns, after).block(), domain);
  const PlainPng image = read_plain_png(path);
  const std::int64_t right = 512 + separator;
  EXPECT_EQ(image.sample(0, 0), 255);
  EXPECT_EQ(image.sample(128, 0), 0);
  EXPECT_EQ(image.sample(256, 0), 128);
  EXPECT_EQ(image.sample(right, 0), 255);
  EXPECT_EQ(image.sample(right + 128, 0), 0);
  EXPECT_EQ(image.sample(right + 256, 0), 64);
}

TEST(Comparison, FailsOnAllRanksAndLeavesNothing) {
  const SharedFolder folder;
  const Box domain{{0, 4}, {0, 4}};
  const OwnedBlock<double> block = filled<double>(part_of(domain, Cut::rows));
  const std::string path = folder / "comparison.png";
  const std::string missing = folder / "missing/comparison.png";
  const auto write = [&](const std::string& to, const Box& box) {
    io::write_comparison_png(MPI_COMM_WORLD, to, block.block(), block.block(), box);
  };
  expect_input_error([&] { write(path, domain); }, {path, "float64"});
  expect_input_error([&] { write(missing, domain); }, {missing, "create its folder"});
  expect_input_error([&] { write(path, {{0, 4}, {0, 4}, {0, 2}}); }, {path, "1, 3 or 4 channels"});
  EXPECT_EQ(folder.files(), std::vector<std::string>{});
}

}  // namespace
}  // namespace tessera::io_test
