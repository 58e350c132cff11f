// SPDX-License-Identifier: BSD-3-Clause
#include "matrix_market.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <span>
#include <sstream>
#include <type_traits>
#include <utility>

#include "collective.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/view/collectively.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/launch.hpp"

namespace pagerank {
namespace {

using tessera::HostExecutionSpace, tessera::InputError;

constexpr const char* banner = "%%MatrixMarket";

/// The bytes that are read and parsed at a time, unless a line is longer.
constexpr std::int64_t chunk_bytes = std::int64_t(4) << 20;
/// The bytes that are read at a time to find the next line feed.
constexpr std::int64_t search_bytes = std::int64_t(1) << 16;
/// The greatest number of bytes of a line with an entry. Comments and blank lines may be longer.
constexpr std::size_t longest_entry = 4096;
constexpr const char* too_long = "is longer than any line of entries: is this a text file?";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Returns a text without the blanks at its beginning.
std::string_view without_leading_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

/// Takes `number` from the beginning of `text`, and removes it there. Returns whether there is a number, with
/// a blank or nothing behind it. A real number that is too large becomes infinite, and one that is too small
/// becomes 0.
template <class Number>
bool take_number(std::string_view& text, Number& number) {
  text = without_leading_blanks(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  // If a real number is out of range, from_chars does not tell whether it is too large or too small.
  if constexpr (std::is_floating_point_v<Number>)
    if (error == std::errc::result_out_of_range)
      number = std::strtod(std::string(text.data(), end).c_str(), nullptr);
  if (error != std::errc() && (std::is_integral_v<Number> || error != std::errc::result_out_of_range))
    return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return text.empty() || is_blank(text.front());
}

/// Takes a number like take_number. Returns whether it is an integer, which may have any number of digits.
bool take_integer(std::string_view& text, double& number) {
  const std::string_view begin = without_leading_blanks(text);
  if (!take_number(text, number)) return false;
  const std::string_view token = begin.substr(0, begin.size() - text.size());
  return token.find_first_not_of("+-0123456789") == std::string_view::npos;
}

/// Returns the beginning of a line in quotation marks for a message. Anything but printable ASCII becomes a
/// question mark, so that the message has one line.
std::string quoted(std::string_view line) {
  constexpr std::size_t most = 60;
  std::string text(line.substr(0, most));
  while (!text.empty() && is_blank(text.back())) text.pop_back();
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return fmt::format("'{}{}'", text, line.size() > most ? "..." : "");
}

/// Reads bytes at a position of a file to `memory`. Returns their number, which is less than `bytes` only at
/// the end of the file. Throws InputError if the file cannot be read.
std::int64_t read_at(int file, char* memory, std::int64_t bytes, std::int64_t position) {
  std::int64_t done = 0;
  while (done < bytes) {
    const ssize_t read =
        ::pread(file, memory + done, static_cast<std::size_t>(bytes - done), position + done);
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) throw InputError(fmt::format("cannot be read: {}", std::strerror(errno)));
    if (read == 0) break;
    done += read;
  }
  return done;
}

/// Reads integers that are separated by blanks to `numbers`. Returns whether `line` has exactly
/// numbers.size() of them, not negative, and nothing else.
bool parse_integers(std::string_view line, std::span<std::int64_t> numbers) {
  for (std::int64_t& number : numbers)
    if (!take_number(line, number) || number < 0) return false;
  return without_leading_blanks(line).empty();
}

/// Throws InputError about a line of a file.
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

/// Reads the first line, which says what kind of matrix the file has, to `header`.
void read_kind(const std::string& path, const std::string& line, MatrixMarketHeader& header) {
  const std::vector<std::string> words = words_of(lower_case(line));
  if (words.size() != 5 || words[0] != lower_case(banner) || words[1] != "matrix")
    fail(path, 1,
         "is no matrix of Matrix Market: the first line must be '%%MatrixMarket matrix coordinate FIELD "
         "SYMMETRY'");
  if (words[2] != "coordinate")
    fail(path, 1, fmt::format("'{}' is not read: store the graph as coordinates of its links", words[2]));
  if (words[3] != "pattern" && words[3] != "integer" && words[3] != "real")
    fail(path, 1,
         fmt::format("numbers that are '{}' are no weights of links: give pattern, integer or real",
                     words[3]));
  if (words[4] != "general" && words[4] != "symmetric")
    fail(path, 1,
         fmt::format("links cannot be '{}', as a link and its reverse would differ in sign or value: "
                     "store the matrix as general",
                     words[4]));
  header.has_numbers = words[3] != "pattern";
  header.has_integers = words[3] == "integer";
  header.is_symmetric = words[4] == "symmetric";
}

/// Reads the line with the numbers of rows, columns and entries to `header`.
void read_size(const std::string& path, const std::string& line, MatrixMarketHeader& header) {
  std::array<std::int64_t, 3> numbers{};
  if (!parse_integers(line, numbers))
    fail(path, header.size_line, "must have three integers: rows, columns and entries");
  if (numbers[0] != numbers[1])
    fail(path, header.size_line,
         fmt::format(
             "the matrix is {} x {}, but the matrix of a graph is square: give as many columns as rows",
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
std::vector<Piece> parse_on_threads(const EntryParser& parser, std::int64_t begin, std::int64_t end) {
  const std::int64_t count = std::max(1, HostExecutionSpace().concurrency());
  std::vector<Piece> pieces(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    pieces[static_cast<std::size_t>(i)].begin = begin + (end - begin) * i / count;
    pieces[static_cast<std::size_t>(i)].end = begin + (end - begin) * (i + 1) / count;
  }
  tessera::for_each_index(HostExecutionSpace(), tessera::HostMode::kernels, "pagerank: parse", count,
                          ParsePieces{pieces.data(), &parser});
  HostExecutionSpace().fence();
  return pieces;
}

/// Throws InputError, on all ranks, about the first line that cannot be used. `lines_before` is the number of
/// lines before this rank's part. It is too low if an earlier rank has met such a line, but then the error of
/// that rank counts.
void check_lines(MPI_Comm communicator, const std::string& path, const std::vector<Piece>& pieces,
                 std::int64_t lines_before) {
  tessera::collectively(communicator, [&] {
    for (const Piece& piece : pieces) {
      if (!piece.parsed.error.empty()) fail(path, lines_before + piece.parsed.lines, piece.parsed.error);
      lines_before += piece.parsed.lines;
    }
  });
}

/// Throws InputError unless the number of entries is the one that the header announces.
void check_count(const std::string& path, const MatrixMarketHeader& header, std::int64_t found) {
  if (found == header.entries) return;
  fail(path, header.size_line,
       fmt::format("announces {}, and {} follow: {}", number_of(header.entries, "entry", "entries"), found,
                   found < header.entries ? "the file is truncated" : "correct the number, or the file"));
}

/// Returns the links of all pieces, which are moved out of them.
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

EntryParser::EntryParser(std::string path, const MatrixMarketHeader& header, bool has_weights)
    : path_(std::move(path)),
      header_(header),
      has_weights_(has_weights && header.has_numbers),
      file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {}

EntryParser::~EntryParser() {
  if (file_ >= 0) ::close(file_);
}

std::int64_t EntryParser::size() const {
  struct stat status = {};
  if (file_ < 0 || ::fstat(file_, &status) != 0)
    throw InputError(fmt::format("{}: cannot be read: {}", path_, std::strerror(errno)));
  return status.st_size;
}

/// Adds the links of the entry in a line to `parsed`. Returns the error; it is empty if the line is an entry,
/// a comment, or blank.
std::string EntryParser::parse_line(std::string_view line, ParsedEntries& parsed) const {
  std::string_view rest = without_leading_blanks(line);
  if (rest.empty() || rest.front() == '%') return {};
  if (line.size() > longest_entry) return too_long;
  std::int64_t row = 0, column = 0;
  double number = 1;
  const auto has_number = [&] {
    return !header_.has_numbers ||
           (header_.has_integers ? take_integer(rest, number) : take_number(rest, number));
  };
  const bool is_entry = take_number(rest, row) && take_number(rest, column) && has_number() &&
                        without_leading_blanks(rest).empty();
  if (!is_entry)
    return fmt::format("{} is no entry: give a row, a column{}", quoted(line),
                       header_.has_integers  ? " and an integer"
                       : header_.has_numbers ? " and a number"
                                             : ", and nothing else");
  if (row < 1 || row > header_.vertices || column < 1 || column > header_.vertices)
    return fmt::format("({}, {}) is not in the matrix, which is {} x {}: count from 1", row, column,
                       header_.vertices, header_.vertices);
  ++parsed.entries;
  const double weight = has_weights_ ? number : 1;
  if (!std::isfinite(weight) || weight < 0)
    return fmt::format(
        "{} is no weight of a link: give a finite number that is not negative, or "
        "input.weights=ignore",
        weight);
  if (weight == 0) return {};
  const auto from = static_cast<Vertex>(row - 1), to = static_cast<Vertex>(column - 1);
  parsed.links.push_back({from, to, weight});
  if (header_.is_symmetric && from != to) parsed.links.push_back({to, from, weight});
  return {};
}

/// Parses whole lines, and adds their links to `parsed`. Returns whether all lines can be used.
bool EntryParser::parse_lines(std::string_view text, ParsedEntries& parsed) const {
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    ++parsed.lines;
    parsed.error = parse_line(text.substr(0, length), parsed);
    if (!parsed.error.empty()) return false;
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return true;
}

/// Returns the position behind the first line feed from `position` on, or the end of the file. `memory` is
/// scratch.
std::int64_t EntryParser::next_line(std::int64_t position, std::vector<char>& memory) const {
  for (;;) {
    const std::int64_t bytes = read_at(file_, memory.data(), search_bytes, position);
    const std::size_t feed = std::string_view(memory.data(), static_cast<std::size_t>(bytes)).find('\n');
    if (feed != std::string_view::npos) return position + static_cast<std::int64_t>(feed) + 1;
    position += bytes;
    if (bytes < search_bytes) return position;
  }
}

/// Parses the lines that begin in the bytes [begin, end), and adds their links to `parsed`.
void EntryParser::parse_part(std::int64_t begin, std::int64_t end, ParsedEntries& parsed) const {
  std::vector<char> memory(static_cast<std::size_t>(chunk_bytes));
  // A line that has begun before belongs to the piece before. If the byte before is a line feed, the first
  // line begins at `begin`.
  std::int64_t position = begin > header_.begin ? next_line(begin - 1, memory) : begin;
  while (position < end) {
    const auto wanted = static_cast<std::int64_t>(memory.size());
    const std::int64_t bytes = read_at(file_, memory.data(), wanted, position);
    if (bytes == 0) return;
    const std::string_view text(memory.data(), static_cast<std::size_t>(bytes));
    // `last` is the line feed of the last line that begins in this piece, which may lie behind the piece. If
    // that line does not end in this chunk, only the lines before it are parsed, and the next chunk begins
    // with it.
    std::size_t last = text.find('\n', static_cast<std::size_t>(std::min(end - position, bytes)) - 1);
    if (last == std::string_view::npos) last = bytes < wanted ? text.size() - 1 : text.rfind('\n');
    if (last == std::string_view::npos) {
      // A line is longer than the chunk. If it may be a comment or blank, a larger chunk is read.
      const std::string_view rest = without_leading_blanks(text);
      if (rest.empty() || rest.front() == '%') {
        memory.resize(2 * memory.size());
        continue;
      }
      last = text.size() - 1;  // It cannot be used: no entry is as long as a chunk.
    }
    if (!parse_lines(text.substr(0, last + 1), parsed)) return;
    position += static_cast<std::int64_t>(last) + 1;
  }
}

ParsedEntries EntryParser::parse(std::int64_t begin, std::int64_t end) const noexcept {
  ParsedEntries parsed;
  try {
    parse_part(begin, end, parsed);
  } catch (const std::exception& error) {
    parsed.error = error.what();
    ++parsed.lines;
  }
  return parsed;
}

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
    // If the size is in the last line, the file ends before the entries.
    header.begin = file.eof() ? -1 : static_cast<std::int64_t>(file.tellg());
    return header;
  }
  fail(path, header.size_line,
       "is the last line, and no line has the size of the matrix: the file is truncated");
}

Links read_entries(MPI_Comm communicator, const std::string& path, const MatrixMarketHeader& header,
                   const LinkReading& reading) {
  const int rank = rank_in(communicator), ranks = tessera::ranks_of(communicator);
  const EntryParser parser(path, header, reading.has_weights);
  std::vector<Piece> pieces;
  tessera::collectively(communicator, [&] {
    const std::int64_t begin = header.begin < 0 ? parser.size() : header.begin;
    const std::int64_t bytes = std::max<std::int64_t>(parser.size() - begin, 0);
    const auto bound = [&](std::int64_t part) {
      return begin + bytes / ranks * part + bytes % ranks * part / ranks;
    };
    pieces = parse_on_threads(parser, bound(rank), bound(rank + 1));
  });
  std::int64_t lines = 0, lines_before = 0, found = 0;
  for (const Piece& piece : pieces) {
    lines += piece.parsed.lines;
    found += piece.parsed.entries;
  }
  MPI_Exscan(&lines, &lines_before, 1, MPI_INT64_T, MPI_SUM, communicator);
  if (rank == 0) lines_before = 0;  // MPI_Exscan leaves it undefined there.
  check_lines(communicator, path, pieces, lines_before + header.size_line);
  MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT64_T, MPI_SUM, communicator);
  check_count(path, header, found);
  return {header.vertices, joined(pieces), 1};
}

}  // namespace pagerank
