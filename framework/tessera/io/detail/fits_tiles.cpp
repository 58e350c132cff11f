// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/fits_tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>

#include "tessera/io/detail/files.hpp"

namespace tessera::io::detail {
namespace {

/// The most points that one byte of compressed data can hold. PLIO compresses best, with up to 4095 points in
/// two bytes.
constexpr double most_points_of_a_byte = 2048;

/// Reads the bits of a tile from first to last. Each function returns false if it would read beyond the last
/// bit.
class Bits {
 public:
  explicit Bits(const std::vector<std::uint8_t>& bytes) : bytes_(bytes), end_(8 * bytes.size()) {}

  bool skip(std::size_t bits) {
    at_ += bits;
    return at_ <= end_;
  }
  bool take(std::size_t bits, int& number) {
    number = 0;
    if (at_ + bits > end_) return false;
    for (; bits > 0; --bits) number = 2 * number + next();
    return true;
  }
  bool skip_past_one() {
    while (at_ < end_)
      if (next() == 1) return true;
    return false;
  }

 private:
  int next() {
    const int bit = bytes_[at_ / 8] >> (7 - at_ % 8) & 1;
    ++at_;
    return bit;
  }

  const std::vector<std::uint8_t>& bytes_;
  std::size_t at_ = 0;
  std::size_t end_;
};

/// Returns whether the bytes, which are compressed by RICE, are enough for `points` points of 1, 2 or 4
/// bytes. The points are divided into blocks of `block` points. Each block begins with a number that tells
/// how its points are coded.
bool holds_rice(const std::vector<std::uint8_t>& bytes, std::int64_t points, std::int64_t block,
                std::size_t point_bytes) {
  const std::size_t code_bits = point_bytes == 1 ? 3 : point_bytes == 2 ? 4 : 5;
  const int not_coded = point_bytes == 1 ? 6 : point_bytes == 2 ? 14 : 25;
  Bits bits(bytes);
  bool fits = bits.skip(8 * point_bytes);
  for (std::int64_t begin = 0; fits && begin < points; begin += block) {
    const std::int64_t length = std::min(block, points - begin);
    int code = 0;
    fits = bits.take(code_bits, code);
    if (--code < 0) continue;
    for (std::int64_t point = 0; fits && point < length; ++point)
      fits = code == not_coded ? bits.skip(8 * point_bytes)
                               : bits.skip_past_one() && bits.skip(static_cast<std::size_t>(code));
  }
  return fits;
}

}  // namespace

FitsTiles::FitsTiles(const std::string& path, fitsfile* file, const Box& domain)
    : path_(path), file_(file), domain_(domain) {
  std::error_code error;
  file_bytes_ = static_cast<LONGLONG>(std::filesystem::file_size(path, error));
  if (error) fail(path, error.message(), "check the path and its permissions");
  std::array<char, FLEN_VALUE> method{};
  int status = 0;
  fits_read_key(file_, TSTRING, "ZCMPTYPE", method.data(), nullptr, &status);
  has_lists_ = method[0] == 'P';
  find_extents();
  find_column();
  check_lengths();
}

void FitsTiles::check(const Box& part) const {
  for (LONGLONG row = 1; row <= static_cast<LONGLONG>(lengths_.size()); ++row) {
    const Box tile = tile_at(row);
    if (intersection(tile, part).empty() || lengths_[static_cast<std::size_t>(row - 1)] == 0) continue;
    if (has_lists_)
      check_list(row);
    else
      check_rice(row, tile.size());
  }
}

void FitsTiles::fail_as_damaged(const char* why) const {
  fits_clear_errmsg();
  fail(path_, fmt::format("damaged FITS file ({})", why), "get a complete copy of the file");
}

LONGLONG FitsTiles::number_of(const std::string& key, LONGLONG otherwise) const {
  LONGLONG number = otherwise;
  int status = 0;
  fits_read_key(file_, TLONGLONG, key.c_str(), &number, nullptr, &status);
  fits_clear_errmsg();
  return status == 0 ? number : otherwise;
}

/// Returns the number of the column with this name, 0 if there is none, and -1 on errors, such as several
/// columns with this name.
int FitsTiles::column(const char* name) const {
  std::string pattern = name;
  int number = 0, status = 0;
  fits_get_colnum(file_, CASEINSEN, pattern.data(), &number, &status);
  fits_clear_errmsg();
  if (status == COL_NOT_FOUND) return 0;
  return status == 0 ? number : -1;
}

void FitsTiles::find_extents() {
  double points = 1;
  for (int d = 0; d < domain_.dimensions; ++d) {
    LONGLONG& extent = extents_[static_cast<std::size_t>(d)];
    extent = number_of(fmt::format("ZTILE{}", d + 1), d == 0 ? domain_[0].size() : 1);
    if (extent < 1) fail_as_damaged("impossible tiles");
    points *= static_cast<double>(extent);
  }
  if (points > most_points_of_a_byte * static_cast<double>(file_bytes_) ||
      points > std::numeric_limits<int>::max())
    fail_as_damaged("impossible tiles");
}

/// Finds the column of compressed data. Throws InputError when the table has a column for tiles that could
/// not be compressed. Only images of floats have such tiles.
void FitsTiles::find_column() {
  for (const char* other : {"UNCOMPRESSED_DATA", "GZIP_COMPRESSED_DATA"})
    if (column(other) != 0)
      fail(path_, "holds tiles that are not compressed by RICE or PLIO, which is not supported",
           "decompress the file (funpack)");
  column_ = column("COMPRESSED_DATA");
  if (column_ <= 0) fail_as_damaged("no compressed data");
}

void FitsTiles::check_lengths() {
  LONGLONG rows = 0;
  int status = 0;
  fits_get_num_rowsll(file_, &rows, &status);
  if (status != 0 || rows > file_bytes_) fail_as_damaged("impossible tiles");
  for (LONGLONG row = 1; row <= rows; ++row) {
    LONGLONG length = 0, offset = 0;
    fits_read_descriptll(file_, column_, row, &length, &offset, &status);
    if (status != 0 || length < 0 || length > file_bytes_) fail_as_damaged("a tile beyond its end");
    lengths_.push_back(length);
  }
}

Box FitsTiles::tile_at(LONGLONG row) const {
  Box tile = domain_;
  LONGLONG rest = row - 1;
  for (int d = 0; d < domain_.dimensions; ++d) {
    const LONGLONG extent = extents_[static_cast<std::size_t>(d)];
    const LONGLONG tiles = (domain_[d].size() - 1) / extent + 1;
    tile[d].begin = rest % tiles * extent;
    tile[d].end = std::min<std::int64_t>(tile[d].begin + extent, domain_[d].end);
    rest /= tiles;
  }
  return tile;
}

/// Checks that the list of a tile fits into the data of the tile. A list is the result of PLIO compression.
/// Its first words say where its instructions begin and end.
void FitsTiles::check_list(LONGLONG row) const {
  const LONGLONG length = lengths_[static_cast<std::size_t>(row - 1)];
  std::array<short, 5> words{};
  short blank = 0;
  int some_blank = 0, status = 0;
  fits_read_col(file_, TSHORT, column_, row, 1, std::min<LONGLONG>(length, 5), &blank, words.data(),
                &some_blank, &status);
  const bool is_short = words[2] > 0;
  const LONGLONG last = is_short ? words[2] : words[3] + LONGLONG{words[4]} * 32768;
  const LONGLONG before = is_short ? 3 : words[1];
  if (status != 0 || last > length || before < 3) fail_as_damaged("a list that does not fit into its tile");
}

void FitsTiles::check_rice(LONGLONG row, std::int64_t points) const {
  const LONGLONG bytes = number_of("ZVAL2", 4);
  if (!holds_rice(bytes_of(row), points, std::max<LONGLONG>(number_of("ZVAL1", 32), 1),
                  bytes == 1 || bytes == 2 ? static_cast<std::size_t>(bytes) : 4))
    fail_as_damaged("a tile that ends too early");
}

std::vector<std::uint8_t> FitsTiles::bytes_of(LONGLONG row) const {
  const LONGLONG length = lengths_[static_cast<std::size_t>(row - 1)];
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(length));
  std::uint8_t blank = 0;
  int some_blank = 0, status = 0;
  fits_read_col(file_, TBYTE, column_, row, 1, length, &blank, bytes.data(), &some_blank, &status);
  if (status != 0) fail_as_damaged("a tile beyond its end");
  return bytes;
}

}  // namespace tessera::io::detail
