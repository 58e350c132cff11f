// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/fits_header.hpp"

#include <fitsio.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <map>

#include "tessera/io/detail/files.hpp"

namespace tessera::io::detail {
namespace {

constexpr std::size_t card_bytes = 80;

/// The values of the keywords that begin with Z: all that tell of compression do.
std::map<std::string, std::string> compression_keys(const std::string& path, std::int64_t begin) {
  std::map<std::string, std::string> keys;
  const File file = open_for_reading(path);
  ::fseeko(file.get(), begin, SEEK_SET);
  std::array<char, card_bytes + 1> card{};
  while (std::fread(card.data(), 1, card_bytes, file.get()) == card_bytes) {
    const std::string key(card.data(), std::string_view(card.data(), 8).find_last_not_of(' ') + 1);
    if (key == "END") break;
    if (!key.starts_with('Z')) continue;
    std::array<char, FLEN_VALUE> value{};
    int status = 0;
    fits_parse_value(card.data(), value.data(), nullptr, &status);
    keys[key] = value.data();
  }
  return keys;
}

}  // namespace

void check_compressed_header(const std::string& path, std::int64_t begin) {
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
}

}  // namespace tessera::io::detail
