// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "links.hpp"

namespace pagerank {

/// The contents of the first lines of a Matrix Market file.
struct MatrixMarketHeader {
  /// The number of vertices, which is that of rows and that of columns.
  std::int64_t vertices = 0;
  /// The number of entries that follow.
  std::int64_t entries = 0;
  /// True when each entry has a number beside its row and its column.
  bool has_numbers = false;
  /// True when these numbers are integers.
  bool has_integers = false;
  /// True when an entry beside the diagonal stands for both of its directions.
  bool is_symmetric = false;
  /// The number of the line that has the size of the matrix, from 1.
  std::int64_t size_line = 0;
  /// The number of bytes before the entries, or -1 if the file ends before them.
  std::int64_t begin = 0;
};

/// Returns whether the content of a file begins as that of Matrix Market files does. Not collective.
bool is_matrix_market(const std::string& path);

/// Reads the first lines of a file. Not collective. Throws InputError if the matrix is not given by
/// coordinates, if its numbers are complex, if it is neither general nor symmetric, if it is not square, or
/// if it has no rows or too many.
MatrixMarketHeader read_header(const std::string& path);

/// Reads the entries of a file. Each rank reads a part of the bytes, and parses it with all of its threads.
/// Kokkos must have been started. Collective. Throws InputError, on all ranks, with the number of the first
/// line that cannot be used.
Links read_entries(MPI_Comm communicator, const std::string& path, const MatrixMarketHeader& header,
                   const LinkReading& reading);

/// The entries that were read from a part of a file.
struct ParsedEntries {
  std::vector<Link> links;
  /// The number of entries. It is not that of links: an entry may have the weight 0, and is then no link; or
  /// the matrix may be symmetric, so that an entry stands for two links.
  std::int64_t entries = 0;
  /// The number of lines, up to and including the first line that cannot be used.
  std::int64_t lines = 0;
  /// The error in the last line; empty if there is none.
  std::string error = {};
};

/// Parses the entries of a Matrix Market file. Several threads may do so at the same time.
class EntryParser {
 public:
  /// Opens the file. `has_weights` says whether the numbers of entries are weights; otherwise they are
  /// ignored. If the file cannot be opened, size() throws.
  EntryParser(std::string path, const MatrixMarketHeader& header, bool has_weights);
  ~EntryParser();
  EntryParser(const EntryParser&) = delete;
  EntryParser& operator=(const EntryParser&) = delete;

  /// Returns the size of the file in bytes. Throws InputError when the file cannot be read.
  std::int64_t size() const;
  /// Parses the lines that begin in the bytes [begin, end). Throws nothing: the result has the error, if
  /// there is one.
  ParsedEntries parse(std::int64_t begin, std::int64_t end) const noexcept;

 private:
  std::string parse_line(std::string_view line, ParsedEntries& parsed) const;
  bool parse_lines(std::string_view text, ParsedEntries& parsed) const;
  std::int64_t next_line(std::int64_t position, std::vector<char>& memory) const;
  void parse_part(std::int64_t begin, std::int64_t end, ParsedEntries& parsed) const;

  std::string path_;
  MatrixMarketHeader header_;
  bool has_weights_;
  int file_ = -1;
};

}  // namespace pagerank
