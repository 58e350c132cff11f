// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/fits_header.hpp"

#include <fitsio.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <map>
#include <string_view>

#include "tessera/io/detail/files.hpp"

namespace tessera::io::detail {
namespace {

constexpr std::size_t card_bytes = 80;

/// The greatest block length of RICE compression that the FITS standard names. CFITSIO checks for the end of
/// its input only after each block.
constexpr double longest_rice_block = 32;

/// Returns whether the keyword tells CFITSIO how much to read or to write, or by which number to divide.
bool is_vital(const std::string& key) {
  for (const char* start : {"ZTILE", "ZVAL", "ZNAXIS", "ZBITPIX", "ZCMPTYPE", "ZBLANK"})
    if (key.starts_with(start)) return true;
  return false;
}

/// The keywords at the beginning of the header of a table, after the first one, which is XTENSION. The header
/// consists of cards, each of which has a keyword and a value.
constexpr std::array<std::string_view, 7> table_keys = {"BITPIX", "NAXIS",  "NAXIS1", "NAXIS2",
                                                        "PCOUNT", "GCOUNT", "TFIELDS"};

/// Throws InputError unless the card has the keyword number `place` of `table_keys`, and a number as its
/// value. Without such a card, CFITSIO would use uninitialised memory.
void check_table_card(const std::string& path, std::size_t place, const std::string& key,
                      std::string_view value) {
  const bool is_number = !value.empty() && value.find_first_not_of("+-0123456789") == value.npos;
  if (key != table_keys[place] || !is_number)
    fail(path, fmt::format("damaged FITS file (a table without {})", table_keys[place]),
         "get a complete copy of the file");
}

/// Throws InputError when the value of a card is too long. CFITSIO has too little memory for long values of
/// keywords that describe a column, and for long integers in its messages.
void check_length(const std::string& path, const std::string& key, std::string_view value) {
  const bool is_integer = value.find_first_not_of("+-0123456789") >= 18;
  const bool is_of_column = key.starts_with('T') && !value.starts_with('\'');
  if (value.size() > 24 && (is_vital(key) || is_integer || is_of_column))
    fail(path, "damaged FITS file (an impossible value)", "get a complete copy of the file");
}

/// Returns the values of the keywords that begin with Z. All keywords about compression begin with Z. Throws
/// InputError when a value is too long, when a vital keyword with Z occurs twice, or when the header of a
/// table does not begin with `table_keys`.
std::map<std::string, std::string> compression_keys(const std::string& path, std::int64_t begin) {
  std::map<std::string, std::string> keys;
  const File file = open_for_reading(path);
  ::fseeko(file.get(), begin, SEEK_SET);
  std::array<char, card_bytes + 1> card{};
  std::size_t cards = 0;
  bool is_table = false;
  while (std::fread(card.data(), 1, card_bytes, file.get()) == card_bytes) {
    const std::string key(card.data(), std::string_view(card.data(), 8).find_last_not_of(' ') + 1);
    if (key == "END") break;
    std::array<char, FLEN_VALUE> value{};
    int status = 0;
    fits_parse_value(card.data(), value.data(), nullptr, &status);
    check_length(path, key, value.data());
    if (cards++ == 0)
      is_table = key == "XTENSION" && std::string_view(value.data()).find("TABLE") != std::string_view::npos;
    else if (is_table && cards - 2 < table_keys.size())
      check_table_card(path, cards - 2, key, value.data());
    if (!key.starts_with('Z')) continue;
    // If a keyword occurs twice, the place at which CFITSIO begins its search decides which value it finds.
    if (!keys.emplace(key, value.data()).second && is_vital(key))
      fail(path, fmt::format("damaged FITS file (it has {} twice)", key), "get a complete copy of the file");
  }
  return keys;
}

}  // namespace

void check_header(const std::string& path, std::int64_t begin) {
  const std::map<std::string, std::string> keys = compression_keys(path, begin);
  const auto method = keys.find("ZCMPTYPE");
  if (method == keys.end()) return;
  const bool is_rice = method->second.starts_with("'RICE");
  const auto bits = keys.find("ZBITPIX");
  const bool holds_floats = bits == keys.end() || std::atoi(bits->second.c_str()) < 0;
  if (holds_floats || !(is_rice || method->second.starts_with("'PLIO")))
    fail(path, "holds a compressed image other than integers by RICE or PLIO, which is not supported",
         "decompress the file (funpack)");
  for (const auto& [key, value] : keys) {
    const bool is_divisor = key.starts_with("ZTILE") || (is_rice && (key == "ZVAL1" || key == "ZVAL2"));
    if (is_divisor && std::atof(value.c_str()) < 1)
      fail(path, fmt::format("damaged FITS file (its {} is less than 1)", key),
           "get a complete copy of the file");
  }
  const auto block = keys.find("ZVAL1");
  if (is_rice && block != keys.end() && std::atof(block->second.c_str()) > longest_rice_block)
    fail(path, "damaged FITS file (its ZVAL1 is more than 32)", "get a complete copy of the file");
}

}  // namespace tessera::io::detail
