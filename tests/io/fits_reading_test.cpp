// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "io/io_test_support.hpp"
#include "io/plain_fits.hpp"
#include "tessera/io/image_source.hpp"

namespace tessera::io_test {
namespace {

const Box grey{{0, 29}, {0, 17}};
const Box colour{{0, 29}, {0, 17}, {0, 3}};

std::vector<long> extents_of(const Box& domain) {
  std::vector<long> extents;
  for (int d = 0; d < domain.dimensions; ++d) extents.push_back(static_cast<long>(domain[d].size()));
  return extents;
}

template <class T>
std::vector<T> values_of(const Box& domain) {
  std::vector<T> values;
  filled<T>(domain).for_each([&](auto, auto, auto, T value) { values.push_back(value); });
  return values;
}

/// FITS files that CFITSIO wrote, read by Tessera.
class FitsReading : public testing::Test {
 protected:
  /// A file of one image that holds `pixel`.
  template <class T>
  void write(const Box& domain, int type, const FitsStorage& storage) {
    on_rank_0([&] { PlainFits(path_).add(extents_of(domain), type, values_of<T>(domain), storage); });
  }

  /// Reads the image cut in every way, and calls same(value, x, y, c) for each point.
  template <class T, class Same>
  void expect_points(const Box& domain, const Same& same, const std::string& dataset = "",
                     const std::string& extension = "0") {
    const io::ImageInfo info = io::inspect_image(path_, {.dataset = dataset});
    EXPECT_EQ(info.format, io::ImageFormat::fits);
    EXPECT_EQ(info.type, element_type_of<T>());
    ASSERT_TRUE(info.domain == domain) << to_string(info.domain);
    EXPECT_EQ(info.dataset, extension);
    for (const Cut cut : all_cuts)
      for (const Layout layout : {Layout::packed, Layout::padded}) {
        OwnedBlock<T> block(part_of(domain, cut), layout);
        io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
        std::int64_t wrong = block.changed_padding();
        block.for_each([&](std::int64_t x, std::int64_t y, std::int64_t c, T value) {
          wrong += same(value, x, y, c) ? 0 : 1;
        });
        EXPECT_EQ(wrong, 0) << "cut " << static_cast<int>(cut);
      }
  }

  template <class T>
  void expect_pixels(const Box& domain, const std::string& dataset = "", const std::string& extension = "0") {
    expect_points<T>(
        domain, [](T value, auto x, auto y, auto c) { return value == pixel<T>(x, y, c); }, dataset,
        extension);
  }

  template <class T>
  void round_trip(int type, const FitsStorage& storage) {
    for (const Box& domain :
         {grey, colour, Box{{0, 1}, {0, 1}}, Box{{0, 1}, {0, 5}}, Box{{0, 3001}, {0, 2}}}) {
      write<T>(domain, type, storage);
      expect_pixels<T>(domain);
    }
  }

  void expect_refused(const std::string& dataset, const std::string& words) {
    expect_input_error([&] { io::inspect_image(path_, {.dataset = dataset}); }, {path_, words});
  }

  SharedFolder folder_;
  std::string path_ = folder_ / "image.fits";
};

TEST_F(FitsReading, StoredTypes) {
  round_trip<std::uint8_t>(TBYTE, {.bits = BYTE_IMG});
  round_trip<std::int16_t>(TSHORT, {.bits = SHORT_IMG});
  round_trip<std::int32_t>(TINT, {.bits = LONG_IMG});
  round_trip<std::int64_t>(TLONGLONG, {.bits = LONGLONG_IMG});
  round_trip<float>(TFLOAT, {.bits = FLOAT_IMG});
  round_trip<double>(TDOUBLE, {.bits = DOUBLE_IMG});
}

TEST_F(FitsReading, ShiftedIntegersAreOfTheOtherSignedness) {
  round_trip<std::int8_t>(TSBYTE, {.bits = SBYTE_IMG});
  round_trip<std::uint16_t>(TUSHORT, {.bits = USHORT_IMG});
  round_trip<std::uint32_t>(TUINT, {.bits = ULONG_IMG});
  round_trip<std::uint64_t>(TULONGLONG, {.bits = ULONGLONG_IMG});
}

TEST_F(FitsReading, ScaledIntegersBecomeFloats) {
  const auto expect_scaled = [&](auto stored, auto read, int type, int bits) {
    using Stored = decltype(stored);
    using Read = decltype(read);
    write<Stored>(colour, type, {.bits = bits, .scale = 0.5, .zero = 1000});
    expect_points<Read>(colour, [](Read value, auto x, auto y, auto c) {
      return value == static_cast<Read>(static_cast<double>(pixel<Stored>(x, y, c)) * 0.5 + 1000);
    });
  };
  expect_scaled(std::uint8_t{}, float{}, TBYTE, BYTE_IMG);
  expect_scaled(std::int16_t{}, float{}, TSHORT, SHORT_IMG);
  expect_scaled(std::int32_t{}, double{}, TINT, LONG_IMG);
  expect_scaled(std::int64_t{}, double{}, TLONGLONG, LONGLONG_IMG);
  expect_scaled(float{}, float{}, TFLOAT, FLOAT_IMG);
  expect_scaled(double{}, double{}, TDOUBLE, DOUBLE_IMG);
}

TEST_F(FitsReading, BlanksOfIntegersAreNaN) {
  const auto stored = [](std::int64_t x, std::int64_t y) { return static_cast<std::int16_t>((x + y) % 7); };
  const auto write_with_blank = [&](double scale) {
    std::vector<std::int16_t> values;
    for (std::int64_t y = 0; y < 17; ++y)
      for (std::int64_t x = 0; x < 29; ++x) values.push_back(stored(x, y));
    on_rank_0([&] {
      PlainFits(path_).add({29, 17}, TSHORT, values, {.bits = SHORT_IMG, .scale = scale, .blank = {3}});
    });
  };
  for (const double scale : {2, 1}) {
    write_with_blank(scale);
    expect_points<float>(grey, [&](float value, auto x, auto y, auto) {
      return stored(x, y) == 3 ? std::isnan(value) : value == scale * stored(x, y);
    });
  }
}

// The standard gives BLANK no meaning for floats, nor one without a value.
TEST_F(FitsReading, BlanksWithoutMeaningCountAsNone) {
  write<float>(grey, TFLOAT, {.bits = FLOAT_IMG, .blank = {3}});
  expect_pixels<float>(grey);
  write<std::int16_t>(grey, TSHORT, {.bits = SHORT_IMG, .has_empty_blank = true});
  expect_pixels<std::int16_t>(grey);
}

TEST_F(FitsReading, FurtherAxesOfOnePoint) {
  for (const std::size_t axes : {4, 5}) {
    std::vector<long> extents(axes, 1);
    extents[0] = 29;
    extents[1] = 17;
    on_rank_0([&] { PlainFits(path_).add(extents, TBYTE, values_of<std::uint8_t>(grey), {}); });
    expect_pixels<std::uint8_t>({{0, 29}, {0, 17}, {0, 1}});
  }
}

TEST_F(FitsReading, FloatsKeepTheirBits) {
  const std::vector<float> values = {std::numeric_limits<float>::quiet_NaN(),
                                     std::numeric_limits<float>::denorm_min(),
                                     -std::numeric_limits<float>::infinity(), -0.0F};
  on_rank_0([&] { PlainFits(path_).add({4, 1}, TFLOAT, values, {.bits = FLOAT_IMG}); });
  expect_points<float>({{0, 4}, {0, 1}}, [&](float value, auto x, auto, auto) {
    return std::memcmp(&value, &values[static_cast<std::size_t>(x)], sizeof(value)) == 0;
  });
}

TEST_F(FitsReading, CompressedIntegers) {
  for (const int compression : {RICE_1, GZIP_1, GZIP_2}) {
    write<std::uint16_t>(grey, TUSHORT, {.bits = USHORT_IMG, .compression = compression, .tile = {10, 6}});
    expect_pixels<std::uint16_t>(grey, "", "1");
    write<std::int32_t>(colour, TINT, {.bits = LONG_IMG, .compression = compression, .tile = {29, 5, 2}});
    expect_pixels<std::int32_t>(colour, "", "1");
  }
  for (const int compression : {RICE_1, GZIP_1, GZIP_2, PLIO_1, HCOMPRESS_1}) {
    write<std::uint8_t>(colour, TBYTE, {.bits = BYTE_IMG, .compression = compression});
    expect_pixels<std::uint8_t>(colour, "", "1");
  }
  // CFITSIO writes no noise of 16 bits with HCOMPRESS.
  const auto smooth = [](auto x, auto y) { return static_cast<std::int16_t>(x * y - 7 * x); };
  std::vector<std::int16_t> values;
  for (std::int64_t y = 0; y < 17; ++y)
    for (std::int64_t x = 0; x < 29; ++x) values.push_back(smooth(x, y));
  on_rank_0([&] {
    PlainFits(path_).add(extents_of(grey), TSHORT, values,
                         {.bits = SHORT_IMG, .compression = HCOMPRESS_1, .tile = {10, 6}});
  });
  expect_points<std::int16_t>(
      grey, [&](std::int16_t value, auto x, auto y, auto) { return value == smooth(x, y); }, "", "1");
}

TEST_F(FitsReading, CompressedFloatsKeepTheirBits) {
  std::vector<float> values = values_of<float>(grey);
  values[3] = std::numeric_limits<float>::quiet_NaN();
  values[4] = std::numeric_limits<float>::denorm_min();
  values[100] = -std::numeric_limits<float>::infinity();
  values[101] = -0.0F;
  for (const int compression : {GZIP_1, GZIP_2}) {
    on_rank_0([&] {
      PlainFits(path_).add(extents_of(grey), TFLOAT, values, {.bits = FLOAT_IMG, .compression = compression});
    });
    const auto same = [&](float value, auto x, auto y, auto) {
      return std::memcmp(&value, &values[static_cast<std::size_t>(y * 29 + x)], sizeof(value)) == 0;
    };
    expect_points<float>(grey, same, "", "1");
  }
  write<double>(colour, TDOUBLE, {.bits = DOUBLE_IMG, .compression = GZIP_2, .tile = {10, 6, 2}});
  expect_pixels<double>(colour, "", "1");
}

/// Quantised floats: what CFITSIO reads, which lies near the values that were written.
TEST_F(FitsReading, QuantisedFloats) {
  const auto expect_near = [&]<class T>(T, int type, int bits, int compression, int dither) {
    constexpr float step = 0.5F;
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    std::vector<T> written;
    for (std::int64_t y = 0; y < 17; ++y)
      for (std::int64_t x = 0; x < 29; ++x)
        written.push_back(static_cast<T>(100 * std::sin(static_cast<double>(x * y)) + 0.125 * (x % 3)));
    constexpr T without_value = -999;
    written[5] = written[200] = without_value;
    on_rank_0([&] {
      const FitsStorage storage = {.bits = bits,
                                   .compression = compression,
                                   .tile = {29, 6},
                                   .step = step,
                                   .dither = dither,
                                   .without_value = {without_value}};
      PlainFits(path_).add(extents_of(grey), type, written, storage);
    });
    const std::vector<T> wanted = read_plain_fits<T>(path_, type, written.size(), nan);
    const auto same = [&](T value, auto x, auto y, auto) {
      const auto at = static_cast<std::size_t>(y * 29 + x);
      if (written[at] == without_value) return std::isnan(value) && std::isnan(wanted[at]);
      return value == wanted[at] && std::abs(value - written[at]) <= 0.51F * step;
    };
    expect_points<T>(grey, same, "", "1");
  };
  for (const int compression : {RICE_1, GZIP_1, GZIP_2, HCOMPRESS_1})
    for (const int dither : {NO_DITHER, SUBTRACTIVE_DITHER_1, SUBTRACTIVE_DITHER_2}) {
      if (compression == HCOMPRESS_1 && dither == SUBTRACTIVE_DITHER_2) continue;  // CFITSIO has no such
      expect_near(float{}, TFLOAT, FLOAT_IMG, compression, dither);
      expect_near(double{}, TDOUBLE, DOUBLE_IMG, compression, dither);
    }
}

TEST_F(FitsReading, ExtensionsByNumberAndName) {
  on_rank_0([&] {
    PlainFits file(path_);
    file.add<std::uint8_t>({}, TBYTE, {}, {});
    file.add<std::uint8_t>({7}, TBYTE, std::vector<std::uint8_t>(7), {.name = "LINE"});
    file.add_table();
    file.add(extents_of(grey), TUSHORT, values_of<std::uint16_t>(grey), {.bits = USHORT_IMG, .name = "SCI"});
    file.add(extents_of(colour), TFLOAT, values_of<float>(colour), {.bits = FLOAT_IMG, .name = "ERR"});
    file.add<std::uint8_t>({2, 2, 2, 2}, TBYTE, std::vector<std::uint8_t>(16), {.name = "FOUR"});
  });
  expect_pixels<std::uint16_t>(grey, "", "3");
  expect_pixels<std::uint16_t>(grey, "3", "3");
  expect_pixels<std::uint16_t>(grey, "SCI", "3");
  expect_pixels<float>(colour, "4", "4");
  expect_pixels<float>(colour, "err", "4");
  expect_refused("0", "extension 0 has 0 axes");
  expect_refused("LINE", "extension 1 has 1 axes");
  expect_refused("2", "extension 2 is a table; choose another");
  expect_refused("FOUR", "extension 5 has 4 axes");
  expect_refused("6", "has no extension 6");
  expect_refused("99999999999999999999", "has no extension 99999999999999999999");
  expect_refused("-1", "has no extension '-1'");
  expect_refused("SKY", "has no extension 'SKY'; the file has: LINE, TABLE, SCI, ERR, FOUR");
}

TEST_F(FitsReading, FilesWithoutAnImage) {
  on_rank_0([&] { PlainFits(path_).add<std::uint8_t>({}, TBYTE, {}, {}); });
  expect_refused("", "holds no image with 2 or 3 axes");
  expect_refused("SCI", "has no extension 'SCI'; give its number");
  on_rank_0([&] { PlainFits(path_).add<std::uint8_t>({4, 0}, TBYTE, {}, {}); });
  expect_refused("", "extension 0 is empty");
}

// CFITSIO has a language of its own in file names.
TEST_F(FitsReading, PathsAreTakenLiterally) {
  const std::string before = std::filesystem::current_path();
  for (const char* name : {"image[1:2].fits", "image.fits+1", "image.fits[0]", "image.fits(copy)", "-"}) {
    path_ = folder_ / name;
    write<std::uint8_t>(grey, TBYTE, {});
    expect_pixels<std::uint8_t>(grey);
  }
  std::filesystem::current_path(folder_ / "");
  for (const char* name : {" image.fits", "~", "-", "stdin", "mem:"}) {
    path_ = folder_ / name;
    write<std::uint8_t>(grey, TBYTE, {});
    path_ = name;
    expect_pixels<std::uint8_t>(grey);
  }
  std::filesystem::current_path(before);
  for (const char* name : {"image.fits[1:2]", "http://localhost/image.fits", "mem://", "missing.fits"}) {
    path_ = folder_ / name;
    expect_refused("", "no such file");
  }
}

/// Files that are no longer what CFITSIO wrote: read all the same, or refused.
class DamagedFits : public FitsReading {
 protected:
  void expect_no_harm(const std::string& bytes) {
    on_rank_0([&] { write_bytes(path_, bytes); });
    try {
      const io::ImageInfo info = io::inspect_image(path_);
      if (info.type != ElementType::uint8 || info.domain.size() > 1000000) return;
      OwnedBlock<std::uint8_t> block(part_of(info.domain, Cut::rows));
      io::open_image(MPI_COMM_WORLD, path_, info)->read(block.block());
      ++read_;
    } catch (const InputError& error) {
      ++refused_;
      EXPECT_NE(std::string(error.what()).find(path_), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }

  int read_ = 0;
  int refused_ = 0;
};

TEST_F(DamagedFits, TruncatedAnywhere) {
  for (const int compression : {0, RICE_1, PLIO_1, GZIP_1, HCOMPRESS_1}) {
    write<std::uint8_t>({{0, 127}, {0, 136}}, TBYTE,
                        {.bits = BYTE_IMG, .compression = compression, .tile = {127, 34}});
    const std::string bytes = bytes_of(path_);
    read_ = 0;
    // The last part may be filling alone.
    for (std::size_t part = 0; part < 15; ++part) expect_no_harm(bytes.substr(0, bytes.size() * part / 16));
    EXPECT_EQ(read_, 0) << compression;
  }
}

/// Only files without compression: CFITSIO trusts the bytes of compressed tiles.
TEST_F(DamagedFits, FlippedBytes) {
  std::mt19937 random(20);
  write<std::uint8_t>(grey, TBYTE, {.bits = BYTE_IMG});
  const std::string bytes = bytes_of(path_);
  for (int i = 0; i < 100; ++i) {
    std::string damaged = bytes;
    damaged[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    expect_no_harm(damaged);
  }
  EXPECT_GT(read_, 0);
  EXPECT_GT(refused_, 0);
}

TEST_F(DamagedFits, ATableOfTilesLongerThanTheFile) {
  write<std::uint8_t>(grey, TBYTE, {.bits = BYTE_IMG, .compression = GZIP_1});
  std::string bytes = bytes_of(path_);
  const std::size_t value = bytes.find("PCOUNT", 2880) + 10;
  on_rank_0([&] { write_bytes(path_, bytes.replace(value, 20, std::string(14, ' ') + "900000")); });
  expect_refused("", "damaged or truncated FITS file");
}

TEST_F(DamagedFits, ImpossibleExtents) {
  write<std::uint8_t>(grey, TBYTE, {});
  const std::string bytes = bytes_of(path_);
  const auto with_columns = [&](const std::string& number) {
    std::string changed = bytes;
    const std::size_t value = changed.find("NAXIS1") + 10;
    on_rank_0([&] {
      write_bytes(path_, changed.replace(value, 20, std::string(20 - number.size(), ' ') + number));
    });
  };
  with_columns("1000000");
  expect_refused("", "damaged or truncated FITS file (it has 5760 bytes, its header says 17002880)");
  with_columns("4611686018427387904");
  expect_refused("", "damaged");
  with_columns("-29");
  expect_refused("", "damaged");
}

TEST_F(DamagedFits, ChangedSinceInspection) {
  write<std::uint8_t>(grey, TBYTE, {});
  const io::ImageInfo info = io::inspect_image(path_);
  write<std::uint8_t>(colour, TBYTE, {});
  expect_input_error([&] { io::open_image(MPI_COMM_WORLD, path_, info)->read(HostBlock{}); },
                     {path_, "changed"});
}

}  // namespace
}  // namespace tessera::io_test
