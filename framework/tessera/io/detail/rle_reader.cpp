// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/rle_reader.hpp"

#include <fmt/format.h>

#include <cctype>
#include <limits>

namespace tessera::io::detail {
namespace {

constexpr std::int64_t largest_number = std::numeric_limits<std::int32_t>::max();

bool is_digit(int character) { return character >= '0' && character <= '9'; }

/// Returns the text that error messages show for a character.
std::string shown(int character) {
  if (character == RleText::end) return "the end of the file";
  if (character == '\n') return "the end of the line";
  return std::isprint(character) != 0 ? fmt::format("'{}'", static_cast<char>(character))
                                      : fmt::format("the byte {}", character);
}

}  // namespace

RleReader::RleReader(const std::string& path)
    : path_(path), file_(open_for_reading(path)), text_(file_.get()) {
  read_header();
}

void RleReader::read_header() {
  text_.skip_white_space();
  const std::int64_t width = read_extent('x');
  expect(',');
  const std::int64_t height = read_extent('y');
  if (text_.skip_blanks() == ',') {
    text_.take();
    read_rule();
  }
  if (text_.peek() != RleText::end) expect('\n');
  domain_ = {{0, width}, {0, height}};
}

std::int64_t RleReader::read_extent(char name) {
  expect(name);
  expect('=');
  if (!is_digit(text_.skip_blanks()))
    fail_damaged(fmt::format("a number should stand where {} is", shown(text_.peek())));
  const std::int64_t extent = read_number();
  if (extent == 0) fail(path_, "is a pattern without cells", "give one with 1 x 1 cells or more");
  return extent;
}

void RleReader::read_rule() {
  for (const char character : {'r', 'u', 'l', 'e', '='}) expect(character);
  text_.skip_blanks();
  std::string rule;
  constexpr std::size_t enough = 40;
  while (text_.peek() != '\n' && text_.peek() != RleText::end && rule.size() < enough) {
    const int character = text_.take();
    rule += std::isprint(character) != 0 ? static_cast<char>(std::toupper(character)) : ' ';
  }
  rule.erase(rule.find_last_not_of(' ') + 1);
  if (rule != "B3/S23" && rule != "23/3")
    fail(path_, fmt::format("is a pattern of the rule '{}'", rule),
         "give one of B3/S23, the rule of the Game of Life");
}

std::int64_t RleReader::read_number() {
  std::int64_t number = 0;
  while (is_digit(text_.peek())) {
    number = number * 10 + (text_.take() - '0');
    if (number > largest_number) fail_damaged(fmt::format("a number is larger than {}", largest_number));
  }
  return number;
}

std::int64_t RleReader::read_count() {
  if (!is_digit(text_.skip_white_space())) return 1;
  const std::int64_t count = read_number();
  if (count == 0) fail_damaged("a count is 0");
  const int tag = text_.skip_white_space();
  if (tag == '!' || is_digit(tag))
    fail_damaged(fmt::format("a count should not stand before {}", shown(tag)));
  return count;
}

void RleReader::expect(char character) {
  if (text_.skip_blanks() != character)
    fail_damaged(fmt::format("{} should stand where {} is", shown(character), shown(text_.peek())));
  text_.take();
}

void RleReader::read_runs(const std::function<void(std::int64_t y, const Range& x)>& use) {
  std::int64_t x = 0, y = 0;
  for (;;) {
    const std::int64_t count = read_count();
    const int tag = text_.peek();
    if (tag == '!') return;
    if (tag == '$') {
      y += count;
      x = 0;
      // A `$` is also allowed after the last row.
      if (y > domain_[1].size()) fail_damaged(fmt::format("there are more rows than {}", domain_[1].size()));
    } else if (tag == 'b' || tag == '.') {
      check_room(count, x, y);
      x += count;
    } else if (tag == 'o' || tag == 'A') {
      check_room(count, x, y);
      use(y, {x, x + count});
      x += count;
    } else {
      fail_at_tag(tag);
    }
    text_.take();
  }
}

void RleReader::check_room(std::int64_t count, std::int64_t x, std::int64_t y) const {
  if (y >= domain_[1].size()) fail_damaged(fmt::format("there are more rows than {}", domain_[1].size()));
  if (count > domain_[0].size() - x)
    fail_damaged(fmt::format("a row has more cells than {}", domain_[0].size()));
}

void RleReader::fail_at_tag(int tag) const {
  if (tag == RleText::end) fail_damaged("the file ends before its '!'");
  if (std::isalpha(tag) == 0) fail_damaged(fmt::format("{} means nothing here", shown(tag)));
  fail(path_, fmt::format("has a cell of state {} in line {}", shown(tag), text_.line()),
       "give a pattern of cells that are dead or alive, b and o");
}

void RleReader::fail_damaged(const std::string& problem) const {
  fail(path_, fmt::format("damaged or truncated RLE pattern (line {}: {})", text_.line(), problem),
       "get a complete copy of the file");
}

}  // namespace tessera::io::detail
