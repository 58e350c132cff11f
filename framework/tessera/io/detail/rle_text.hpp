// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>

namespace tessera::io::detail {

/// The characters of an RLE pattern file, one after the other, without its comments: lines that begin with
/// '#'.
class RleText {
 public:
  static constexpr int end = -1;

  /// Reads `file` from its beginning.
  explicit RleText(std::FILE* file) : file_(file) { std::rewind(file); }

  /// The next character; `end` at the end, or where the file cannot be read.
  int peek();
  int take();
  /// Passes over blanks, and over ends of lines, too; returns the next character.
  int skip_blanks();
  int skip_white_space();

  /// Of the next character, from 1.
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

/// True when a file's first line that holds something and is no comment begins with `x =`, as the header of
/// an RLE pattern does.
bool is_rle(std::FILE* file);

}  // namespace tessera::io::detail
