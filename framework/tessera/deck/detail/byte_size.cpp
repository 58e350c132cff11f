// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/detail/byte_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace tessera::deck::detail {
namespace {

/// Returns the number of bytes of a unit such as "MiB", or 0 if there is no such unit.
double bytes_of(std::string_view unit) {
  std::string word(unit);
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (word == "b") return 1;
  const std::size_t power = std::string_view("kmgt").find(word.empty() ? ' ' : word.front());
  if (power == std::string_view::npos) return 0;
  const std::string_view rest = std::string_view(word).substr(1);
  if (!rest.empty() && rest != "ib" && rest != "b") return 0;
  const double base = rest == "b" ? 1000 : 1024;
  double bytes = base;
  for (std::size_t i = 0; i < power; ++i) bytes *= base;
  return bytes;
}

}  // namespace

std::optional<std::int64_t> parse_byte_size(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const double factor = bytes_of(unit), bytes = number * factor;
  if (factor == 0 || !(bytes >= 0 && bytes < 0x1p63)) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

std::string byte_size_text(std::int64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; unit < 4 && bytes != 0 && bytes % 1024 == 0; ++unit) bytes /= 1024;
  return fmt::format("{} {}", bytes, units[unit]);
}

}  // namespace tessera::deck::detail
