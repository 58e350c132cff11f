// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fitsio.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

// FITS files through CFITSIO alone, to check Tessera's reading against.
namespace tessera::io_test {

/// How the values of an image are stored.
struct FitsStorage {
  /// BITPIX, or one of CFITSIO's names of shifted integers, such as USHORT_IMG.
  int bits = BYTE_IMG;
  std::string name = "";         ///< EXTNAME
  double scale = 1, zero = 0;    ///< written when they are not these, after the stored values
  std::vector<int> blank = {};   ///< BLANK, where there is one
  bool has_empty_blank = false;  ///< BLANK without a value
  int compression = 0;           ///< none
  std::vector<long> tile = {};
  float step =
      0;  ///< floats are rounded to multiples of it before they are compressed; 0: stored as they are
  int dither = NO_DITHER;
  std::vector<double> without_value =
      {};  ///< the value of points that are stored as blank, where there is one
};

/// The points of the first image of a file, as CFITSIO reads them; those without a value are `blank`.
template <class T>
std::vector<T> read_plain_fits(const std::string& path, int type, std::size_t points, T blank) {
  std::vector<T> values(points);
  fitsfile* file = nullptr;
  int some_blank = 0, status = 0;
  fits_open_image(&file, path.c_str(), READONLY, &status);
  fits_read_img(file, type, 1, static_cast<LONGLONG>(points), &blank, values.data(), &some_blank, &status);
  fits_close_file(file, &status);
  EXPECT_EQ(status, 0);
  return values;
}

/// A new file, whose images are added one by one.
class PlainFits {
 public:
  explicit PlainFits(const std::string& path) {
    std::filesystem::remove(path);
    fits_create_diskfile(&file_, path.c_str(), &status_);
  }
  PlainFits(const PlainFits&) = delete;
  PlainFits& operator=(const PlainFits&) = delete;
  ~PlainFits() {
    fits_close_file(file_, &status_);
    EXPECT_EQ(status_, 0);
  }

  /// `type` is CFITSIO's of the values; `extents` has x first.
  template <class T>
  void add(std::vector<long> extents, int type, std::vector<T> values, FitsStorage storage) {
    fits_set_compression_type(file_, storage.compression, &status_);
    if (!storage.tile.empty())
      fits_set_tile_dim(file_, static_cast<int>(storage.tile.size()), storage.tile.data(), &status_);
    fits_set_quantize_level(file_, -storage.step, &status_);
    fits_set_quantize_method(file_, storage.dither, &status_);
    fits_create_img(file_, storage.bits, static_cast<int>(extents.size()), extents.data(), &status_);
    T blank_value = storage.without_value.empty() ? T{} : static_cast<T>(storage.without_value[0]);
    const auto count = static_cast<LONGLONG>(values.size());
    if (!storage.without_value.empty())
      fits_write_imgnull(file_, type, 1, count, values.data(), &blank_value, &status_);
    else if (count > 0)
      fits_write_img(file_, type, 1, count, values.data(), &status_);
    if (!storage.name.empty())
      fits_write_key(file_, TSTRING, "EXTNAME", storage.name.data(), nullptr, &status_);
    if (storage.scale != 1) fits_write_key(file_, TDOUBLE, "BSCALE", &storage.scale, nullptr, &status_);
    if (storage.zero != 0) fits_write_key(file_, TDOUBLE, "BZERO", &storage.zero, nullptr, &status_);
    for (int& blank : storage.blank) fits_write_key(file_, TINT, "BLANK", &blank, nullptr, &status_);
    if (storage.has_empty_blank) fits_write_key_null(file_, "BLANK", nullptr, &status_);
    EXPECT_EQ(status_, 0);
  }

  void add_table() {
    char name[] = "X", format[] = "1J";
    char *names[] = {name}, *formats[] = {format};
    fits_create_tbl(file_, BINARY_TBL, 0, 1, names, formats, nullptr, "TABLE", &status_);
  }

 private:
  fitsfile* file_ = nullptr;
  int status_ = 0;
};

}  // namespace tessera::io_test
