// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/deck/detail/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "tessera/domain/error.hpp"

namespace tessera::deck::detail {
namespace {

constexpr std::size_t longest_excerpt = 60;
constexpr std::size_t longest_list = 12;

unsigned byte_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

bool is_control(unsigned byte) { return byte < 0x20 || byte == 0x7f; }

bool is_continuation(unsigned byte) { return (byte & 0xc0U) == 0x80U; }

/// Returns the length of the UTF-8 sequence at `i`, or 0 if the sequence is malformed. Overlong forms and
/// surrogates are malformed, too.
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const unsigned first = byte_at(text, i);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || i + length > text.size()) return 0;
  for (std::size_t j = 1; j < length; ++j)
    if (!is_continuation(byte_at(text, i + j))) return 0;
  const unsigned second = byte_at(text, i + 1);
  const bool malformed = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                         (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return malformed ? 0 : length;
}

/// Returns the number of bytes of a unit such as "MiB", or 0 if there is no such unit.
double bytes_of(std::string_view unit) {
  const std::string word = lower_case(unit);
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

std::string printable(std::string_view text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n')
      line += "\\n";
    else if (is_control(byte_at(text, i)))
      line += fmt::format("\\x{:02x}", byte_at(text, i));
    else
      line += text[i];
  }
  return line;
}

std::string shortened(std::string_view text) {
  if (text.size() <= longest_excerpt) return printable(text);
  std::size_t end = longest_excerpt;
  while (end > 0 && is_continuation(byte_at(text, end))) --end;
  return printable(text.substr(0, end)) + "...";
}

std::string joined(const std::vector<std::string>& words) {
  const std::size_t shown = std::min(words.size(), longest_list);
  std::string text = fmt::format("{}", fmt::join(words.begin(), words.begin() + shown, ", "));
  if (shown < words.size()) text += fmt::format(", ... ({} in all)", words.size());
  return text;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::size_t find_non_text(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const unsigned byte = byte_at(text, i);
    const bool line_end_or_tab = byte == '\n' || byte == '\r' || byte == '\t';
    const std::size_t length = sequence_length(text, i);
    if (length == 0 || (is_control(byte) && !line_end_or_tab)) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string dotted(std::string_view a, std::string_view b) {
  return a.empty() ? std::string(b) : fmt::format("{}.{}", a, b);
}

std::vector<std::string> split(std::string_view name) {
  std::vector<std::string> components;
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
    components.emplace_back(name.substr(0, dot));
    name.remove_prefix(dot + 1);
  }
  components.emplace_back(name);
  return components;
}

void fail_at(const std::string& location, const std::string& message) {
  throw InputError(fmt::format("{}: {}", location, message));
}

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
