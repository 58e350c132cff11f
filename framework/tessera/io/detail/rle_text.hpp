// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>

namespace tessera::io::detail {

/// Reads an RLE pattern file, one character after the other. Comments, which are lines that begin with '#',
/// are left out.
class RleText {
 public:
  /// The value that stands for the end of the file.
  static constexpr int end = -1;

  /// Reads `file` from its beginning.
  explicit RleText(std::FILE* file) : file_(file) { std::rewind(file); }

  /// Returns the next character, but does not move on. Returns `end` at the end of the file, or when the
  /// file cannot be read.
  int peek();
  /// Returns the next character, and moves on to the character after it.
  int take();
  /// Moves on to the next character that is not a blank, and returns this character.
  int skip_blanks();
  /// Moves on to the next character that is neither a blank nor the end of a line, and returns this
  /// character.
  int skip_white_space();

  /// Returns the number of the line of the next character, counted from 1.
  std::int64_t line() const { return line_; }

 private:
  int peek_raw();
  int take_raw();

  std::FILE* file_;
  std::array<char, 1 << 16> piece_;
  std::size_t size_ = 0;
  std::size_t place_ = 0;
  std::int64_t line_ = 1;
  bool begins_line_ = true;
};

/// Returns whether a file begins like an RLE pattern: the first line that is neither blank nor a comment
/// begins with `x =`.
bool is_rle(std::FILE* file);

}  // namespace tessera::io::detail
