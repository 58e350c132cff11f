// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/io/detail/rle_text.hpp"

namespace tessera::io::detail {
namespace {

bool is_blank(int character) { return character == ' ' || character == '\t' || character == '\r'; }

}  // namespace

int RleText::peek_raw() {
  if (place_ == size_) {
    size_ = std::fread(piece_.data(), 1, piece_.size(), file_);
    place_ = 0;
  }
  return size_ == 0 ? end : static_cast<unsigned char>(piece_[place_]);
}

int RleText::take_raw() {
  const int character = peek_raw();
  if (character == end) return end;
  ++place_;
  begins_line_ = character == '\n';
  if (begins_line_) ++line_;
  return character;
}

int RleText::peek() {
  while (begins_line_ && peek_raw() == '#')
    while (take_raw() != end && !begins_line_) {
    }
  return peek_raw();
}

int RleText::take() {
  peek();
  return take_raw();
}

int RleText::skip_blanks() {
  while (is_blank(peek())) take();
  return peek();
}

int RleText::skip_white_space() {
  while (skip_blanks() == '\n') take();
  return peek();
}

bool is_rle(std::FILE* file) {
  RleText text(file);
  if (text.skip_white_space() != 'x') return false;
  text.take();
  return text.skip_blanks() == '=';
}

}  // namespace tessera::io::detail
