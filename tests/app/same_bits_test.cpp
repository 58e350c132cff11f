// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "blur_runs.hpp"
#include "io/plain_hdf5.hpp"
#include "io/plain_png.hpp"

namespace tessera::app_test {
namespace {

constexpr int width = 37;
constexpr int height = 29;

/// A value that differs from its neighbours', of all bits of a type.
template <class T>
T pixel(int x, int y, int c) {
  const auto hash = static_cast<std::uint32_t>(x * 7919 + y * 104729 + c * 1299709 + 17) * 2654435761U;
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(hash >> 8) / T{65536} - T{100};
  return static_cast<T>(hash >> 8);
}

template <class T>
T mean(T a, T b, T c) {
  return static_cast<T>((a + b + c) / 3);
}

/// The blur as its definition says: no stages, no blocks, planar like the data set.
template <class T>
std::vector<T> brute_force(int channels) {
  const auto at = [](int x, int y, int c) {
    return pixel<T>(std::clamp(x, 0, width - 1), std::clamp(y, 0, height - 1), c);
  };
  const auto row = [&](int x, int y, int c) { return mean(at(x - 1, y, c), at(x, y, c), at(x + 1, y, c)); };
  std::vector<T> result;
  for (int c = 0; c < channels; ++c)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        result.push_back(mean(row(x, y - 1, c), row(x, y, c), row(x, y + 1, c)));
  return result;
}

/// An image to blur, and what must come out.
struct Image {
  std::string name;
  hid_t type;
  std::vector<hsize_t> extents;
  std::string expected;
};

template <class T>
Image make_image(const std::string& name, hid_t type, int channels) {
  std::vector<hsize_t> extents{height, width};
  if (channels > 1) extents.insert(extents.begin(), static_cast<hsize_t>(channels));
  const std::vector<T> values = brute_force<T>(channels);
  return {name, type, extents, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)}};
}

/// The three kinds of images, written to a folder.
std::vector<Image> make_images(const Folder& folder) {
  io_test::write_plain_png(folder / "rgb8.png",
                           io_test::make_png(width, height, PNG_COLOR_TYPE_RGB, 8, [](auto x, auto y, int c) {
                             return pixel<std::uint8_t>(static_cast<int>(x), static_cast<int>(y), c);
                           }));
  io_test::write_plain_png(
      folder / "grey16.png",
      io_test::make_png(width, height, PNG_COLOR_TYPE_GRAY, 16, [](auto x, auto y, int c) {
        return pixel<std::uint16_t>(static_cast<int>(x), static_cast<int>(y), c);
      }));
  std::vector<float> values;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) values.push_back(pixel<float>(x, y, 0));
  io_test::write_plain_hdf5(folder / "float.h5", "image", {height, width}, values, H5T_NATIVE_FLOAT,
                            {H5T_NATIVE_FLOAT, {}});
  return {make_image<std::uint8_t>("rgb8.png", H5T_NATIVE_UINT8, 3),
          make_image<std::uint16_t>("grey16.png", H5T_NATIVE_UINT16, 1),
          make_image<float>("float.h5", H5T_NATIVE_FLOAT, 1)};
}

/// The bytes of the data set `bv` of a file.
std::string bytes_of_result(const Folder& folder, const std::string& name, const Image& image) {
  const hid_t file = H5Fopen((folder / name).c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, "bv", H5P_DEFAULT);
  const hid_t stored = H5Dget_type(dataset);
  EXPECT_GT(H5Tequal(stored, image.type), 0);
  const hid_t space = H5Dget_space(dataset);
  std::vector<hsize_t> extents(image.extents.size());
  EXPECT_EQ(H5Sget_simple_extent_ndims(space), static_cast<int>(extents.size()));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  EXPECT_EQ(extents, image.extents);
  std::string bytes(image.expected.size(), '\0');
  EXPECT_GE(H5Dread(dataset, image.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), 0);
  H5Sclose(space);
  H5Tclose(stored);
  H5Dclose(dataset);
  H5Fclose(file);
  return bytes;
}

/// Blurs an image and compares with the brute force.
void expect_same_bits(const Folder& folder, const Image& image, int ranks,
                      const std::vector<std::string>& settings) {
  std::vector<std::string> words = settings;
  words.insert(words.end(), {"input.file=" + image.name, "output.file=o.h5"});
  const ParallelEnding ending = blur(ranks, folder, words);
  ASSERT_EQ(ending.status, 0) << ending.text();
  EXPECT_FALSE(
      lines_with(ending.output, std::to_string(ranks) + (ranks == 1 ? " rank x" : " ranks x")).empty())
      << ending.output;
  EXPECT_TRUE(bytes_of_result(folder, "o.h5", image) == image.expected) << image.name << " differs";
  std::filesystem::remove(folder / "o.h5");
}

// All decks on all grids are rehearsed in one process, by tests/apps/same_bits_test.cpp.
TEST(SameBitsTest, AsTheBruteForce) {
  const Folder folder;
  for (const Image& image : make_images(folder)) {
    SCOPED_TRACE(image.name);
    expect_same_bits(folder, image, 1, {deck("distributed"), "threads=2"});
    expect_same_bits(folder, image, 4, {deck("tile"), "grid=[2,auto]", "threads=1"});
  }
}

TEST(IdleRanksTest, SameBits) {
  const Folder folder;
  for (const Image& image : make_images(folder)) {
    SCOPED_TRACE(image.name);
    expect_same_bits(folder, image, 3, {"grid=[2,1]", "idle=allowed", "schedule.bh.grid=[1,auto]"});
    expect_same_bits(folder, image, 4, {"grid=[2,2]", "order=[y,x]"});
  }
}

// Each stage and the input on a grid of its own: what goes between them is a redistribution.
TEST(OtherGridsTest, SameBits) {
  const Folder folder;
  for (const Image& image : make_images(folder)) {
    SCOPED_TRACE(image.name);
    expect_same_bits(folder, image, 4,
                     {"schedule.input.grid=[4,1]", "schedule.bh.grid=[2,2]", "schedule.bv.grid=[1,4]",
                      "schedule.b*.tile=[5,3]"});
  }
}

// Ranks of a node read points in memory that they share, or send each other messages.
TEST(WaysOfExchangeTest, SameBits) {
  const Folder folder;
  for (const Image& image : make_images(folder))
    for (const std::string exchange : {"auto", "messages", "shared"}) {
      SCOPED_TRACE(image.name + " with exchange=" + exchange);
      expect_same_bits(folder, image, 4, {"grid=[2,2]", "exchange=" + exchange});
      const ParallelEnding ending =
          blur(3, folder, {"exchange=" + exchange, "input.file=" + image.name, "--explain"});
      EXPECT_EQ(ending.status, 0) << ending.text();
      const std::string expected =
          exchange == "messages"
              ? " in all: messages"
              : " in all: packed points in shared memory within a node, others by messages";
      EXPECT_TRUE(ending.output.find(expected + "\n") != std::string::npos) << ending.output;
    }
}

// Slices that are empty: more ranks than columns.
TEST(EmptyBlocksTest, SameBits) {
  const Folder folder;
  const int rows = 6;
  const std::vector<float> thin{3, 6, 9, 0, 3, 30};
  io_test::write_plain_hdf5(folder / "thin.h5", "image", {static_cast<hsize_t>(rows), 1}, thin,
                            H5T_NATIVE_FLOAT, {H5T_NATIVE_FLOAT, {}});
  const ParallelEnding ending =
      blur(3, folder, {"grid=[3,1]", "input.file=thin.h5", "output.file=o.h5", "threads=1"});
  ASSERT_EQ(ending.status, 0) << ending.text();
  EXPECT_EQ(io_test::read_plain_hdf5<float>(folder / "o.h5", "bv", H5T_NATIVE_FLOAT).values,
            (std::vector<float>{4, 6, 5, 4, 11, 21}));
}

}  // namespace
}  // namespace tessera::app_test
