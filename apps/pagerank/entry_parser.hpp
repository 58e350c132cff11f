// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "links.hpp"

namespace pagerank {

/// Reads integers that are separated by blanks. Returns whether `line` has as many of them as `numbers`, none
/// of them negative, and nothing else.
bool parse_integers(std::string_view line, std::span<std::int64_t> numbers);

/// The entries that were read from a part of a file.
struct ParsedEntries {
  std::vector<Link> links;
  /// The number of entries, which is less than that of the links if the matrix is symmetric.
  std::int64_t entries = 0;
  /// The number of lines, up to and including one that cannot be used.
  std::int64_t lines = 0;
  /// The error in the last line; empty if there is none.
  std::string error = {};
};

/// Parses the entries of a Matrix Market file. Several threads may do so at the same time.
class EntryParser {
 public:
  /// Opens the file. `has_weights` says whether the numbers of entries are weights, or are left out. A file
  /// that cannot be read is reported by size().
  EntryParser(std::string path, const MatrixMarketHeader& header, bool has_weights);
  ~EntryParser();
  EntryParser(const EntryParser&) = delete;
  EntryParser& operator=(const EntryParser&) = delete;

  /// Returns the size of the file in bytes. Throws InputError when the file cannot be read.
  std::int64_t size() const;
  /// Parses the lines that begin in the bytes [begin, end). Throws nothing.
  ParsedEntries parse(std::int64_t begin, std::int64_t end) const noexcept;

 private:
  std::string parse_line(std::string_view line, ParsedEntries& parsed) const;
  bool parse_lines(std::string_view text, ParsedEntries& parsed) const;
  std::int64_t next_line(std::int64_t position, std::vector<char>& memory) const;
  std::int64_t skip_long_line(std::int64_t position, std::vector<char>& memory, ParsedEntries& parsed) const;
  void parse_part(std::int64_t begin, std::int64_t end, ParsedEntries& parsed) const;

  std::string path_;
  MatrixMarketHeader header_;
  bool has_weights_;
  int file_ = -1;
};

}  // namespace pagerank
