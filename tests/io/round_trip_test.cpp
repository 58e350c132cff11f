// SPDX-License-Identifier: BSD-3-Clause
#include <complex>

#include "io/io_test_support.hpp"
#include "tessera/io/formats.hpp"
#include "tessera/io/image_sink.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::io_test {
namespace {

const Box shapes[] = {
    {{0, 1}, {0, 1}},
    {{0, 1}, {0, 1}, {0, 3}},
    {{0, 3}, {0, 1}},
    {{0, 1}, {0, 5}, {0, 3}},
    {{0, 37}, {0, 23}},
    {{0, 37}, {0, 23}, {0, 3}},
    {{0, 300}, {0, 211}, {0, 3}},
};

/// Writes a domain cut in one way, and reads it back cut in another, both from memory of this layout.
template <class T>
void round_trip(BlockSink& sink, const std::string& path, const Box& domain, Cut written, Cut read,
                Layout layout) {
  OwnedBlock<T> output = filled<T>(part_of(domain, written), layout);
  sink.write(output.block());
  io::ImageInfo info;
  on_rank_0([&] { info = io::inspect_image(path); });
  info = io::broadcast(MPI_COMM_WORLD, info);
  EXPECT_EQ(info.type, element_type_of<T>());
  EXPECT_TRUE(info.domain == domain) << to_string(info.domain);

  OwnedBlock<T> input(part_of(domain, read), layout);
  io::open_image(MPI_COMM_WORLD, path, info)->read(input.block());
  EXPECT_TRUE(holds_pixels(input)) << to_string(domain) << " cut " << static_cast<int>(read);
}

/// Files of all formats that hold any image.
class RoundTrip : public testing::TestWithParam<io::ImageFormat> {
 protected:
  template <class T>
  void round_trip_of(const Box& domain, Cut written, Cut read, Layout layout) {
    const std::string path = folder_ / "image";
    const ElementType type = element_type_of<T>();
    const auto sink = GetParam() == io::ImageFormat::hdf5
                          ? io::create_hdf5(MPI_COMM_WORLD, path, "a/b/image", domain, type)
                          : io::create_image(MPI_COMM_WORLD, GetParam(), path, domain, type);
    round_trip<T>(*sink, path, domain, written, read, layout);
  }

  SharedFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(, RoundTrip,
                         testing::Values(io::ImageFormat::png, io::ImageFormat::tiff, io::ImageFormat::hdf5),
                         [](const auto& each) { return std::string(io::format_of(each.param).name); });

TEST_P(RoundTrip, EveryShape) {
  int number = 0;
  for (const Box& domain : shapes) {
    const Cut cut = all_cuts[number++ % 4];
    if (number % 2 == 0)
      round_trip_of<std::uint16_t>(domain, cut, Cut::rows, Layout::padded);
    else
      round_trip_of<std::uint8_t>(domain, Cut::columns, cut, Layout::padded);
  }
  EXPECT_EQ(folder_.files(), std::vector<std::string>{"image"});
}

TEST_P(RoundTrip, EveryCutAndMemoryLayout) {
  const Box domain{{0, 37}, {0, 23}, {0, 3}};
  round_trip_of<std::uint16_t>(domain, Cut::columns, Cut::rows, Layout::padded);
  round_trip_of<std::uint16_t>(domain, Cut::rows, Cut::columns, Layout::channels_between_rows);
  round_trip_of<std::uint16_t>(domain, Cut::channels, Cut::last_rank, Layout::channels_between_rows);
  round_trip_of<std::uint16_t>(domain, Cut::last_rank, Cut::channels, Layout::packed);
}

TEST(Hdf5RoundTrip, EveryType) {
  const SharedFolder folder;
  const std::string path = folder / "image.h5";
  const Box domain{{0, 37}, {0, 23}, {0, 3}};
  const auto check = [&]<class T>(T) {
    const auto sink = io::create_hdf5(MPI_COMM_WORLD, path, "image", domain, element_type_of<T>());
    round_trip<T>(*sink, path, domain, Cut::rows, Cut::columns, Layout::padded);
  };
  check(std::int8_t{});
  check(std::int32_t{});
  check(std::uint64_t{});
  check(float{});
  check(double{});
  check(std::complex<float>{});
  check(std::complex<double>{});
}

TEST(TiffRoundTrip, EveryType) {
  const SharedFolder folder;
  const std::string path = folder / "image.tif";
  const Box domain{{0, 37}, {0, 23}, {0, 3}};
  const auto check = [&]<class T>(T) {
    const auto sink =
        io::create_image(MPI_COMM_WORLD, io::ImageFormat::tiff, path, domain, element_type_of<T>());
    round_trip<T>(*sink, path, domain, Cut::rows, Cut::columns, Layout::padded);
  };
  check(std::int8_t{});
  check(std::int16_t{});
  check(std::uint32_t{});
  check(std::int64_t{});
  check(float{});
  check(double{});
}

TEST(LargeRoundTrip, MoreThanOneBandAndOneStagedPiece) {
  const SharedFolder folder;
  const Box domain{{0, 2100}, {0, 1500}, {0, 3}};
  const std::string png = folder / "image.png";
  const auto png_sink =
      io::create_image(MPI_COMM_WORLD, io::ImageFormat::png, png, domain, ElementType::uint16);
  round_trip<std::uint16_t>(*png_sink, png, domain, Cut::columns, Cut::rows, Layout::padded);
  const std::string tiff = folder / "image.tif";
  const auto tiff_sink =
      io::create_image(MPI_COMM_WORLD, io::ImageFormat::tiff, tiff, domain, ElementType::uint16);
  round_trip<std::uint16_t>(*tiff_sink, tiff, domain, Cut::columns, Cut::rows, Layout::padded);
  const std::string hdf5 = folder / "image.h5";
  const auto hdf5_sink = io::create_hdf5(MPI_COMM_WORLD, hdf5, "image", domain, ElementType::uint16);
  // On unequal blocks some ranks have fewer pieces than others.
  round_trip<std::uint16_t>(*hdf5_sink, hdf5, domain, Cut::last_rank, Cut::rows,
                            Layout::channels_between_rows);
}

TEST(Hdf5Sink, ADomainMayBeginAnywhere) {
  const SharedFolder folder;
  const std::string path = folder / "image.h5";
  const Box domain{{-3, 10}, {5, 16}};
  const auto sink = io::create_hdf5(MPI_COMM_WORLD, path, "image", domain, ElementType::int32);
  sink->write(filled<std::int32_t>(part_of(domain, Cut::rows)).block());

  const Box whole{{0, 13}, {0, 11}};
  OwnedBlock<std::int32_t> input(whole);
  io::open_image(MPI_COMM_WORLD, path, {io::ImageFormat::hdf5, ElementType::int32, whole, "image"})
      ->read(input.block());
  EXPECT_EQ(input.at(0, 0), pixel<std::int32_t>(-3, 5, 0));
  EXPECT_EQ(input.at(12, 10), pixel<std::int32_t>(9, 15, 0));
}

TEST(ImageSource, MayBeReadAgainAndWithoutAnyPoints) {
  const SharedFolder folder;
  const Box domain{{0, 9}, {0, 7}};
  for (const std::string name : {"image.h5", "image.png"}) {
    const std::string path = folder / name;
    const bool png = name == "image.png";
    const auto sink =
        png ? io::create_image(MPI_COMM_WORLD, io::ImageFormat::png, path, domain, ElementType::uint8)
            : io::create_hdf5(MPI_COMM_WORLD, path, "image", domain, ElementType::uint8);
    sink->write(filled<std::uint8_t>(part_of(domain, Cut::rows)).block());
    const auto source = io::open_image(
        MPI_COMM_WORLD, path,
        {png ? io::ImageFormat::png : io::ImageFormat::hdf5, ElementType::uint8, domain, png ? "" : "image"});
    source->read(HostBlock{});
    OwnedBlock<std::uint8_t> whole(domain, Layout::padded);  // every rank the same points
    source->read(whole.block());
    EXPECT_TRUE(holds_pixels(whole));
  }
}

TEST(Hdf5Version, HasThreeNumbers) {
  int numbers[3] = {};
  EXPECT_EQ(std::sscanf(io::hdf5_version().c_str(), "%d.%d.%d", &numbers[0], &numbers[1], &numbers[2]), 3);
}

}  // namespace
}  // namespace tessera::io_test
