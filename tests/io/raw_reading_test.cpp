// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include "io/io_test_support.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::io_test {
namespace {

/// Files without a header.
class RawReading : public testing::Test {
 protected:
  /// The bytes of `pixel` over the domain, after as many of another kind as the layout says.
  template <class T>
  static std::string bytes_of_pixels(const Box& domain, const io::RawLayout& layout) {
    std::string bytes(static_cast<std::size_t>(layout.offset), '?');
    filled<T>(domain).for_each([&](auto, auto, auto, T value) {
      std::string element(reinterpret_cast<const char*>(&value), sizeof(value));
      if (layout.is_big_endian != (std::endian::native == std::endian::big))
        std::reverse(element.begin(), element.end());
      bytes += element;
    });
    return bytes;
  }

  template <class T>
  void round_trip(const std::vector<Box>& domains = {
                      {{0, 29}, {0, 17}}, {{0, 29}, {0, 17}, {0, 3}}, {{0, 1}, {0, 1}}}) {
    for (const Box& domain : domains)
      for (const io::RawLayout& layout : {io::RawLayout{0, false}, io::RawLayout{0, true},
                                          io::RawLayout{513, false}, io::RawLayout{7, true}}) {
        on_rank_0([&] { write_bytes(path_, bytes_of_pixels<T>(domain, layout)); });
        const io::ImageInfo info = io::broadcast(
            MPI_COMM_WORLD,
            rank() == 0 ? io::inspect_raw(path_, layout, element_type_of<T>(), domain) : io::ImageInfo{});
        EXPECT_EQ(info.format, io::ImageFormat::raw);
        EXPECT_EQ(info.type, element_type_of<T>());
        ASSERT_TRUE(info.domain == domain) << to_string(info.domain);
        for (const Cut cut : all_cuts)
          for (const Layout memory : {Layout::packed, Layout::padded, Layout::channels_between_rows}) {
            OwnedBlock<T> block(part_of(domain, cut), memory);
            io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
            EXPECT_TRUE(holds_pixels(block)) << "cut " << static_cast<int>(cut);
          }
      }
  }

  void expect_refused(const io::RawLayout& layout, const std::vector<std::string>& words) {
    expect_input_error(
        [&] {
          io::inspect_raw(path_, layout, ElementType::uint16, {{0, 10}, {0, 5}});
        },
        words);
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "image.raw";
};

TEST_F(RawReading, IntegersOfAnyOrder) {
  round_trip<std::int8_t>();
  round_trip<std::uint8_t>();
  round_trip<std::int16_t>();
  round_trip<std::uint16_t>();
  round_trip<std::int32_t>();
  round_trip<std::uint32_t>();
  round_trip<std::int64_t>();
  round_trip<std::uint64_t>();
}

TEST_F(RawReading, FloatsOfAnyOrder) {
  round_trip<float>();
  round_trip<double>();
}

TEST_F(RawReading, ManyRunsCloseTogetherOrFarApart) {
  round_trip<std::uint16_t>({{{0, 1000}, {0, 150}}, {{0, 5000}, {0, 7}}, {{0, 2}, {0, 40'000}}});
}

TEST_F(RawReading, TheSizeHasToFit) {
  const std::string take = "[0, 10) x [0, 5) of uint16 take 100 bytes";
  expect_refused({}, {path_, "no such file; give the path of a file of raw data"});
  on_rank_0([&] { write_bytes(path_, std::string(99, 'x')); });
  expect_refused({}, {path_, "is too short: " + take + " from byte 0 on, but there are 99; give the shape"});
  expect_refused({200, false}, {path_, "is too short: " + take + " from byte 200 on, but there are 0"});
  on_rank_0([&] { write_bytes(path_, std::string(103, 'x')); });
  expect_refused({2, false}, {path_, "is too long: " + take + " from byte 2 on, but there are 101"});
  EXPECT_EQ(io::inspect_raw(path_, {3, false}, ElementType::uint16, {{0, 10}, {0, 5}}).raw.offset, 3);
}

TEST_F(RawReading, TruncatedSinceInspection) {
  on_rank_0([&] { write_bytes(path_, std::string(100, 'x')); });
  const io::ImageInfo info = io::inspect_raw(path_, {}, ElementType::uint16, {{0, 10}, {0, 5}});
  on_rank_0([&] { write_bytes(path_, std::string(50, 'x')); });
  expect_input_error([&] { io::open_image(MPI_COMM_WORLD, path_, info)->read(HostBlock{}); },
                     {path_, "too short"});
}

}  // namespace
}  // namespace tessera::io_test
