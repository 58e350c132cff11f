// SPDX-License-Identifier: BSD-3-Clause
#include "entry_parser.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <type_traits>
#include <utility>

#include "tessera/domain/error.hpp"

namespace pagerank {
namespace {

constexpr std::int64_t chunk_bytes = std::int64_t(4) << 20;
/// The bytes that are read at a time where a line feed is looked for.
constexpr std::int64_t skipped_bytes = std::int64_t(1) << 16;
/// No entry is longer. Comments and blank lines may be.
constexpr std::size_t longest_entry = 4096;
constexpr const char* too_long = "is longer than any line of entries: is this a text file?";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

/// Takes a number from the beginning of `text`. Returns whether there is one, with a blank or nothing behind.
/// A real number that is too large or too small is infinite or 0.
template <class Number>
bool take_number(std::string_view& text, Number& number) {
  text = without_blanks(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if constexpr (std::is_floating_point_v<Number>)
    if (error == std::errc::result_out_of_range)
      number = std::strtod(std::string(text.data(), end).c_str(), nullptr);
  if (error != std::errc() && (std::is_integral_v<Number> || error != std::errc::result_out_of_range))
    return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return text.empty() || is_blank(text.front());
}

/// Takes an integer, which may have any number of digits.
bool take_integer(std::string_view& text, double& number) {
  const std::string_view begin = without_blanks(text);
  if (!take_number(text, number)) return false;
  const std::string_view token = begin.substr(0, begin.size() - text.size());
  return token.find_first_not_of("+-0123456789") == std::string_view::npos;
}

/// Returns a line for a message, without what would make the message more than one line.
std::string quoted(std::string_view line) {
  constexpr std::size_t most = 60;
  std::string text(line.substr(0, most));
  while (!text.empty() && is_blank(text.back())) text.pop_back();
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return fmt::format("'{}{}'", text, line.size() > most ? "..." : "");
}

/// Reads bytes at a position of a file. Returns fewer only at its end.
std::int64_t read_at(int file, char* memory, std::int64_t bytes, std::int64_t position) {
  std::int64_t done = 0;
  while (done < bytes) {
    const ssize_t read =
        ::pread(file, memory + done, static_cast<std::size_t>(bytes - done), position + done);
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) throw tessera::InputError(fmt::format("cannot be read: {}", std::strerror(errno)));
    if (read == 0) break;
    done += read;
  }
  return done;
}

}  // namespace

bool parse_integers(std::string_view line, std::span<std::int64_t> numbers) {
  for (std::int64_t& number : numbers)
    if (!take_number(line, number) || number < 0) return false;
  return without_blanks(line).empty();
}

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
    throw tessera::InputError(fmt::format("{}: cannot be read: {}", path_, std::strerror(errno)));
  return status.st_size;
}

/// Adds the entry of a line. Returns what is wrong with the line; nothing if it is an entry, a comment, or
/// blank.
std::string EntryParser::parse_line(std::string_view line, ParsedEntries& parsed) const {
  std::string_view rest = without_blanks(line);
  if (rest.empty() || rest.front() == '%') return {};
  if (line.size() > longest_entry) return too_long;
  std::int64_t row = 0, column = 0;
  double number = 1;
  const auto has_number = [&] {
    return !header_.has_numbers ||
           (header_.has_integers ? take_integer(rest, number) : take_number(rest, number));
  };
  const bool is_entry =
      take_number(rest, row) && take_number(rest, column) && has_number() && without_blanks(rest).empty();
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

/// Parses whole lines. Returns whether all of them can be used.
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
    const std::int64_t bytes = read_at(file_, memory.data(), skipped_bytes, position);
    const std::size_t feed = std::string_view(memory.data(), static_cast<std::size_t>(bytes)).find('\n');
    if (feed != std::string_view::npos) return position + static_cast<std::int64_t>(feed) + 1;
    position += bytes;
    if (bytes < skipped_bytes) return position;
  }
}

/// Skips a line that is longer than a chunk, which cannot be an entry. Returns the position behind it, or -1
/// if it is neither a comment nor blank. `memory` is scratch.
std::int64_t EntryParser::skip_long_line(std::int64_t position, std::vector<char>& memory,
                                         ParsedEntries& parsed) const {
  ++parsed.lines;
  for (;;) {
    const std::int64_t bytes = read_at(file_, memory.data(), chunk_bytes, position);
    const std::string_view text(memory.data(), static_cast<std::size_t>(bytes));
    const std::string_view rest = without_blanks(text.substr(0, text.find('\n')));
    if (!rest.empty()) {
      if (rest.front() == '%') return next_line(position, memory);
      parsed.error = too_long;
      return -1;
    }
    const std::size_t feed = text.find('\n');
    if (feed != std::string_view::npos) return position + static_cast<std::int64_t>(feed) + 1;
    position += bytes;
    if (bytes < chunk_bytes) return position;
  }
}

void EntryParser::parse_part(std::int64_t begin, std::int64_t end, ParsedEntries& parsed) const {
  std::vector<char> memory(static_cast<std::size_t>(chunk_bytes));
  // A line that has begun before is left to the piece before, which is seen by the byte before.
  std::int64_t position = begin > header_.begin ? next_line(begin - 1, memory) : begin;
  while (position < end) {
    const std::int64_t bytes = read_at(file_, memory.data(), chunk_bytes, position);
    if (bytes == 0) return;
    const std::string_view text(memory.data(), static_cast<std::size_t>(bytes));
    // The last line that begins in this piece may end behind it. If it does not end in this chunk, the lines
    // before it are parsed, and it begins the next chunk.
    std::size_t last = text.find('\n', static_cast<std::size_t>(std::min(end - position, bytes)) - 1);
    if (last == std::string_view::npos) last = bytes < chunk_bytes ? text.size() - 1 : text.rfind('\n');
    if (last == std::string_view::npos) {
      position = skip_long_line(position, memory, parsed);
      if (position < 0) return;
      continue;
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

}  // namespace pagerank
