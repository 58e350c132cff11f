// SPDX-License-Identifier: BSD-3-Clause
#include "csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/error.hpp"

namespace stitch {
namespace {

/// Returns the lines of a text without their ends, and without empty lines at the end of the text.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

/// Returns `count` fields, of which the first one may have commas, or none if there are fewer.
std::vector<std::string_view> fields_of(std::string_view line, std::ptrdiff_t count) {
  if (std::ranges::count(line, ',') + 1 < count) return {};
  std::vector<std::string_view> fields(static_cast<std::size_t>(count));
  for (std::size_t i = fields.size(); --i > 0;) {
    const std::size_t comma = line.rfind(',');
    fields[i] = line.substr(comma + 1);
    line = line.substr(0, comma);
  }
  fields[0] = line;
  return fields;
}

}  // namespace

std::vector<CsvLine> CsvTable::lines(std::string_view text) const {
  const std::vector<std::string_view> all = split(text);
  if (all.empty() || all.front() != header) refuse(1, fmt::format("the first line is not {}", header));
  std::vector<CsvLine> lines;
  for (std::size_t i = 1; i < all.size(); ++i)
    lines.push_back({i + 1, fields_of(all[i], std::ranges::count(header, ',') + 1)});
  return lines;
}

void CsvTable::refuse(std::size_t number, const std::string& why) const {
  throw tessera::InputError(fmt::format("{}:{}: {}: {}", path, number, why, advice));
}

}  // namespace stitch
