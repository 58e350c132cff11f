// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace stitch {

/// A line of a table.
struct CsvLine {
  /// The number of the line in the file, from 1.
  std::size_t number = 0;
  /// The fields of the line. There are none if the line has fewer than the header.
  std::vector<std::string_view> fields;
};

/// A table as CSV.
struct CsvTable {
  /// The path of the file, for messages.
  std::string path;
  /// The first line of the file.
  std::string header;
  /// The end of messages about a faulty file, which says what to do about it.
  std::string advice;

  /// Returns the lines of `text` below the header. Lines end with LF or CR LF, and empty lines at the end of
  /// the text do not count. If a line has more fields than the header, further commas belong to its first
  /// field, such as to the name of a file. The fields refer to `text`. Throws InputError if the first line is
  /// not the header.
  std::vector<CsvLine> lines(std::string_view text) const;

  /// Throws InputError about a line of the file.
  [[noreturn]] void refuse(std::size_t number, const std::string& why) const;
};

/// Reads a number that takes up the whole text. Returns false if it does not.
template <class T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace stitch
