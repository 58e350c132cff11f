// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "tessera/io/detail/blocks.hpp"
#include "tessera/io/detail/sinks.hpp"
#include "tessera/io/detail/sources.hpp"

namespace tessera::io::detail {
namespace {

bool is_blank(int character) { return character == ' ' || character == '\t' || character == '\r'; }

/// Reads an RLE pattern file, one character after the other, without comments: lines that begin with '#'.
class RleText {
 public:
  /// The value that stands for the end of the file.
  static constexpr int end = EOF;

  /// Reads `file` from its beginning.
  explicit RleText(std::FILE* file) : file_(file) { std::rewind(file); }

  /// Returns the next character, but does not move on; `end` at the end of the file.
  int peek() {
    while (begins_line_ && peek_raw() == '#')
      while (take_raw() != end && !begins_line_) {
      }
    return peek_raw();
  }

  /// Returns the next character, and moves on to the character after it.
  int take() {
    peek();
    return take_raw();
  }

  /// Moves on to the next character that is not a blank, and returns this character.
  int skip_blanks() {
    while (is_blank(peek())) take();
    return peek();
  }

  /// Moves on to the next character that is neither a blank nor the end of a line, and returns it.
  int skip_white_space() {
    while (skip_blanks() == '\n') take();
    return peek();
  }

  /// Returns the number of the line of the next character, counted from 1.
  std::int64_t line() const { return line_; }

 private:
  int peek_raw() {
    if (!next_) next_ = ::getc_unlocked(file_);
    return *next_;
  }

  int take_raw() {
    const int character = peek_raw();
    if (character == end) return end;
    next_.reset();
    begins_line_ = character == '\n';
    if (begins_line_) ++line_;
    return character;
  }

  std::FILE* file_;
  std::optional<int> next_;
  std::int64_t line_ = 1;
  bool begins_line_ = true;
};

constexpr std::int64_t largest_number = std::numeric_limits<std::int32_t>::max();

/// Returns the text that error messages show for a character.
std::string shown(int character) {
  if (character == RleText::end) return "the end of the file";
  if (character == '\n') return "the end of the line";
  return std::isprint(character) != 0 ? fmt::format("'{}'", static_cast<char>(character))
                                      : fmt::format("the byte {}", character);
}

/// Sets the cells of `block` in `part` to `value`.
void set(const HostBlock& block, const Box& part, int value) {
  for (std::int64_t y = part[1].begin; y < part[1].end; ++y) {
    const Box row{part[0], {y, y + 1}};
    std::memset(address_of(block, row), value, static_cast<std::size_t>(part[0].size()));
  }
}

/// Decodes one RLE pattern file of the Game of Life, in the format of Golly and LifeWiki
/// (https://conwaylife.com/wiki/Run_Length_Encoded). Every function throws InputError when the file is
/// damaged, or when its pattern has another rule than the Game of Life.
class RleReader {
 public:
  /// Opens the file, and reads everything before the cells.
  explicit RleReader(const std::string& path, const ImageChoice& = {})
      : path_(path), file_(open_for_reading(path)), text_(file_.get()) {
    read_header();
  }

  ElementType type() const { return ElementType::uint8; }
  /// Returns the domain of the pattern: (x, y), where both begin at 0.
  const Box& domain() const { return domain_; }

  /// Fills a block. Decodes the cells up to the '!', so that it may be called only once.
  void read(const HostBlock& block) {
    if (!block.box.empty()) set(block, block.box, 0);
    std::int64_t x = 0, y = 0;
    for (;;) {
      const std::int64_t count = read_count();
      const int tag = text_.peek();
      if (tag == '!') return;
      if (tag == '$') {
        y += count;
        x = 0;
        // A `$` is also allowed after the last row.
        if (y > domain_[1].size())
          fail_damaged(fmt::format("there are more rows than {}", domain_[1].size()));
      } else if (tag == 'b' || tag == '.') {
        check_room(count, x, y);
        x += count;
      } else if (tag == 'o' || tag == 'A') {
        check_room(count, x, y);
        const Box live = intersection(block.box, Box{{x, x + count}, {y, y + 1}});
        if (!live.empty()) set(block, live, 1);
        x += count;
      } else {
        fail_at_tag(tag);
      }
      text_.take();
    }
  }

 private:
  void read_header() {
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

  std::int64_t read_extent(char name) {
    expect(name);
    expect('=');
    if (std::isdigit(text_.skip_blanks()) == 0)
      fail_damaged(fmt::format("a number should stand where {} is", shown(text_.peek())));
    const std::int64_t extent = read_number();
    if (extent == 0) fail(path_, "is a pattern without cells", "give one with 1 x 1 cells or more");
    return extent;
  }

  void read_rule() {
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

  std::int64_t read_number() {
    std::int64_t number = 0;
    while (std::isdigit(text_.peek()) != 0) {
      number = number * 10 + (text_.take() - '0');
      if (number > largest_number) fail_damaged(fmt::format("a number is larger than {}", largest_number));
    }
    return number;
  }

  /// Reads how often the next tag, such as `b`, `o` or `$`, is repeated: the number before it, or once.
  std::int64_t read_count() {
    if (std::isdigit(text_.skip_white_space()) == 0) return 1;
    const std::int64_t count = read_number();
    if (count == 0) fail_damaged("a count is 0");
    const int tag = text_.skip_white_space();
    if (tag == '!' || std::isdigit(tag) != 0)
      fail_damaged(fmt::format("a count should not stand before {}", shown(tag)));
    return count;
  }

  void expect(char character) {
    if (text_.skip_blanks() != character)
      fail_damaged(fmt::format("{} should stand where {} is", shown(character), shown(text_.peek())));
    text_.take();
  }

  /// Throws InputError unless `count` cells fit into row `y` from column `x` on.
  void check_room(std::int64_t count, std::int64_t x, std::int64_t y) const {
    if (y >= domain_[1].size()) fail_damaged(fmt::format("there are more rows than {}", domain_[1].size()));
    if (count > domain_[0].size() - x)
      fail_damaged(fmt::format("a row has more cells than {}", domain_[0].size()));
  }

  [[noreturn]] void fail_at_tag(int tag) const {
    if (tag == RleText::end) fail_damaged("the file ends before its '!'");
    if (std::isalpha(tag) == 0) fail_damaged(fmt::format("{} means nothing here", shown(tag)));
    fail(path_, fmt::format("has a cell of state {} in line {}", shown(tag), text_.line()),
         "give a pattern of cells that are dead or alive, b and o");
  }

  [[noreturn]] void fail_damaged(const std::string& problem) const {
    fail(path_, fmt::format("damaged or truncated RLE pattern (line {}: {})", text_.line(), problem));
  }

  std::string path_;
  File file_;
  RleText text_;
  Box domain_;
};

/// The largest number of characters in a line of an RLE pattern file.
constexpr std::size_t longest_line = 70;

/// Encodes an RLE pattern file, without dead cells at the ends of rows and dead rows at the end of the
/// pattern.
class RleWriter final : public RowWriter {
 public:
  RleWriter(const UnfinishedFile& output, const Box& domain, ElementType, int)
      : file_(output),
        line_(fmt::format("x = {}, y = {}, rule = B3/S23", domain[0].size(), domain[1].size())) {
    end_line();
  }

  void write_rows(const HostBlock& rows) override {
    for (std::int64_t y = rows.box[1].begin; y < rows.box[1].end; ++y) write_row(rows, y);
  }

  void finish() override {
    put(1, '!');
    end_line();
    file_.append(lines_.data(), lines_.size());
    file_.close();
  }

 private:
  void write_row(const HostBlock& rows, std::int64_t y) {
    const auto is_alive = [](std::byte cell) { return cell != std::byte{0}; };
    const std::byte* cell = row_address(rows, rows.box[0].begin, y, channels_of(rows.box).begin);
    const std::byte* const end = cell + rows.box[0].size();
    for (const std::byte* live = std::find_if(cell, end, is_alive); live != end;
         live = std::find_if(cell, end, is_alive)) {
      put(ended_rows_, '$');
      ended_rows_ = 0;
      put(live - cell, 'b');
      cell = std::find_if_not(live, end, is_alive);
      put(cell - live, 'o');
    }
    ++ended_rows_;
  }

  void put(std::int64_t count, char tag) {
    if (count == 0) return;
    const std::string item = count == 1 ? std::string(1, tag) : fmt::format("{}{}", count, tag);
    if (line_.size() + item.size() > longest_line) end_line();
    line_ += item;
  }

  void end_line() {
    constexpr std::size_t enough = 1 << 16;
    lines_.append(std::exchange(line_, {})).push_back('\n');
    if (lines_.size() < enough) return;
    file_.append(lines_.data(), lines_.size());
    lines_.clear();
  }

  FileWriter file_;
  /// The lines that have not been written yet, and the one that has not ended.
  std::string lines_, line_;
  /// The number of rows that have ended since the last live cell.
  std::int64_t ended_rows_ = 0;
};

}  // namespace

/// Reads and writes patterns of the Game of Life in the format of Golly and LifeWiki, which begin with `x =
/// W, y = H` after comments. A live cell is 1, a dead one 0; cells that are written are alive if they are not
/// 0. Each rank decodes the whole file and keeps its block.
extern const FormatFunctions rle_format = {inspect_by<RleReader>, open_by_rank<read_by<RleReader>>,
                                           create_by_rows<RleWriter>};

/// Returns whether a file begins like an RLE pattern: the first line that is neither blank nor a comment
/// begins with `x =`.
bool is_rle(std::FILE* file) {
  RleText text(file);
  if (text.skip_white_space() != 'x') return false;
  text.take();
  return text.skip_blanks() == '=';
}

}  // namespace tessera::io::detail
