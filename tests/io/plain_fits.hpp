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
  std::string name = "";        ///< EXTNAME
  double scale = 1, zero = 0;   ///< written when they are not these, after the stored values
  std::vector<int> blank = {};  ///< BLANK, where there is one
  int compression = 0;          ///< none
  std::vector<long> tile = {};
};

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
    // Floats are stored as they are.
    fits_set_quantize_level(file_, 0, &status_);
    fits_create_img(file_, storage.bits, static_cast<int>(extents.size()), extents.data(), &status_);
    if (!values.empty())
      fits_write_img(file_, type, 1, static_cast<LONGLONG>(values.size()), values.data(), &status_);
    if (!storage.name.empty())
      fits_write_key(file_, TSTRING, "EXTNAME", storage.name.data(), nullptr, &status_);
    if (storage.scale != 1) fits_write_key(file_, TDOUBLE, "BSCALE", &storage.scale, nullptr, &status_);
    if (storage.zero != 0) fits_write_key(file_, TDOUBLE, "BZERO", &storage.zero, nullptr, &status_);
    for (int& blank : storage.blank) fits_write_key(file_, TINT, "BLANK", &blank, nullptr, &status_);
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
