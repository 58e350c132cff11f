// SPDX-License-Identifier: BSD-3-Clause
#include "links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "entry_parser.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/compat.hpp"

namespace pagerank {
namespace {

using tessera::InputError;

constexpr const char* banner = "%%MatrixMarket";

[[noreturn]] void fail(const std::string& path, std::int64_t line, const std::string& message) {
  throw InputError(fmt::format("{}:{}: {}", path, line, message));
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// Reads the first line, which says what kind of matrix the file has.
void read_kind(const std::string& path, const std::string& line, MatrixMarketHeader& header) {
  const std::vector<std::string> words = words_of(lower_case(line));
  if (words.size() != 5 || words[0] != lower_case(banner) || words[1] != "matrix")
    fail(path, 1,
         "is no matrix of Matrix Market: the first line is to be '%%MatrixMarket matrix coordinate FIELD "
         "SYMMETRY'");
  if (words[2] != "coordinate")
    fail(path, 1, fmt::format("'{}' is not read: store the graph as coordinates of its links", words[2]));
  if (words[3] != "pattern" && words[3] != "integer" && words[3] != "real")
    fail(path, 1,
         fmt::format("numbers that are '{}' are no weights of links: give pattern, integer or real",
                     words[3]));
  if (words[4] != "general" && words[4] != "symmetric")
    fail(path, 1,
         fmt::format("links cannot be '{}', as those of the two directions would have other signs or values: "
                     "store the matrix as general",
                     words[4]));
  header.has_numbers = words[3] != "pattern";
  header.has_integers = words[3] == "integer";
  header.is_symmetric = words[4] == "symmetric";
}

/// Reads the line with the numbers of rows, columns and entries.
void read_size(const std::string& path, const std::string& line, MatrixMarketHeader& header) {
  std::array<std::int64_t, 3> numbers{};
  if (!parse_integers(line, numbers))
    fail(path, header.size_line, "is to have three integers: rows, columns and entries");
  if (numbers[0] != numbers[1])
    fail(path, header.size_line,
         fmt::format("the matrix is {} x {}, and that of a graph is square: give as many columns as rows",
                     numbers[0], numbers[1]));
  if (numbers[0] == 0) fail(path, header.size_line, "the graph has no vertices: give at least one row");
  if (numbers[0] > most_vertices)
    fail(path, header.size_line,
         fmt::format("the graph has {} vertices, and {} are the most that can be ranked", numbers[0],
                     most_vertices));
  header.vertices = numbers[0];
  header.entries = numbers[2];
}

/// A part of the bytes of a file, and what was read from it.
struct Piece {
  /// The lines that begin in these bytes belong to the piece.
  std::int64_t begin = 0;
  std::int64_t end = 0;
  ParsedEntries parsed = {};
};

/// Parses the pieces of a file, one at each index. Kernels must not throw, so that errors are kept.
struct ParsePieces {
  Piece* pieces;
  const EntryParser* parser;

  void operator()(std::int64_t index) const {
    Piece& piece = pieces[index];
    piece.parsed = parser->parse(piece.begin, piece.end);
  }
};

/// Parses this rank's part of the bytes, in as many pieces as it has threads.
std::vector<Piece> parse_part(const EntryParser& parser, std::int64_t begin, std::int64_t end) {
  using Space = tessera::HostExecutionSpace;
  const std::int64_t count = std::max(1, Space().concurrency());
  std::vector<Piece> pieces(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    pieces[static_cast<std::size_t>(i)].begin = begin + (end - begin) * i / count;
    pieces[static_cast<std::size_t>(i)].end = begin + (end - begin) * (i + 1) / count;
  }
  Kokkos::parallel_for("pagerank: parse",
                       Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(0, count),
                       ParsePieces{pieces.data(), &parser});
  Space().fence();
  return pieces;
}

std::int64_t sum_of_ranks(MPI_Comm communicator, std::int64_t number) {
  MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_SUM, communicator);
  return number;
}

/// Throws InputError, on all ranks, about the first line that cannot be used. `lines_before` are the lines of
/// the file before this rank's part, which are known if no earlier rank has such a line.
void check_lines(MPI_Comm communicator, const std::string& path, const std::vector<Piece>& pieces,
                 std::int64_t lines_before) {
  tessera::collectively(communicator, [&] {
    for (const Piece& piece : pieces) {
      if (!piece.parsed.error.empty()) fail(path, lines_before + piece.parsed.lines, piece.parsed.error);
      lines_before += piece.parsed.lines;
    }
  });
}

void check_count(const std::string& path, const MatrixMarketHeader& header, std::int64_t found) {
  const std::string announced = number_of(header.entries, "entry", "entries");
  if (found < header.entries)
    fail(path, header.size_line,
         fmt::format("announces {}, and {} follow: the file is truncated", announced, found));
  if (found > header.entries)
    fail(path, header.size_line,
         fmt::format("announces {}, and {} follow: correct the number, or the file", announced, found));
}

/// Returns the links of all pieces.
std::vector<Link> joined(std::vector<Piece>& pieces) {
  std::vector<Link> links = std::move(pieces.front().parsed.links);
  std::size_t count = links.size();
  for (std::size_t i = 1; i < pieces.size(); ++i) count += pieces[i].parsed.links.size();
  links.reserve(count);
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const std::vector<Link>& more = pieces[i].parsed.links;
    links.insert(links.end(), more.begin(), more.end());
    pieces[i].parsed.links = {};
  }
  return links;
}

}  // namespace

bool is_matrix_market(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string begin(std::string(banner).size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return lower_case(begin) == lower_case(banner);
}

MatrixMarketHeader read_header(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::getline(file, line);
  MatrixMarketHeader header{.size_line = 1};
  read_kind(path, line, header);
  while (std::getline(file, line)) {
    ++header.size_line;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '%') continue;
    read_size(path, line, header);
    // After the last line, which may have no line feed, there is no position.
    header.begin = file.eof() ? -1 : static_cast<std::int64_t>(file.tellg());
    return header;
  }
  fail(path, header.size_line,
       "is the last line, and none has the size of the matrix: the file is truncated");
}

Links read_entries(MPI_Comm communicator, const std::string& path, const MatrixMarketHeader& header,
                   const LinkReading& reading) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  const EntryParser parser(path, header, reading.has_weights);
  std::vector<Piece> pieces;
  tessera::collectively(communicator, [&] {
    const std::int64_t begin = header.begin < 0 ? parser.size() : header.begin;
    const std::int64_t bytes = std::max<std::int64_t>(parser.size() - begin, 0);
    pieces = parse_part(parser, begin + bytes / ranks * rank + bytes % ranks * rank / ranks,
                        begin + bytes / ranks * (rank + 1) + bytes % ranks * (rank + 1) / ranks);
  });
  std::int64_t lines = 0, lines_before = 0, found = 0;
  for (const Piece& piece : pieces) {
    lines += piece.parsed.lines;
    found += piece.parsed.entries;
  }
  MPI_Exscan(&lines, &lines_before, 1, MPI_INT64_T, MPI_SUM, communicator);
  if (rank == 0) lines_before = 0;
  check_lines(communicator, path, pieces, lines_before + header.size_line);
  check_count(path, header, sum_of_ranks(communicator, found));
  return {header.vertices, joined(pieces), 1};
}

}  // namespace pagerank
