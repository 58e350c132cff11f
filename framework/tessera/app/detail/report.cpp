// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/error.hpp"
#include "tessera/domain/json.hpp"

namespace tessera::app {
namespace {

bool is_text(const Report::Value& value) { return std::holds_alternative<std::string>(value); }

std::string text_of(const Report::Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.6g}", *number);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

Json json_of(const Report::Row& row) {
  Json json = Json::Object();
  for (const auto& [name, value] : row) std::visit([&, &key = name](const auto& v) { json[key] = v; }, value);
  return json;
}

/// Returns a text with one line for each value. If a value is a text of several lines, these lines follow
/// below the name of the value.
std::string section_text(const Report::Row& row) {
  std::size_t width = 0;
  for (const auto& [name, value] : row) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : row) {
    std::string words = text_of(value);
    if (words.find('\n') == std::string::npos) {
      text += fmt::format("  {:<{}}  {}\n", name, width, words);
      continue;
    }
    while (!words.empty() && words.back() == '\n') words.pop_back();
    for (std::size_t at = 0; (at = words.find('\n', at)) != std::string::npos; at += 5)
      words.replace(at, 1, "\n    ");
    text += fmt::format("  {}\n    {}\n", name, words);
  }
  return text;
}

/// Returns the rows of a table in the order of the text. The rows with the largest values of
/// `column` come first. If `column` is empty, the order is not changed.
std::vector<Report::Row> sorted(std::vector<Report::Row> rows, const std::string& column) {
  const auto value = [&](const Report::Row& row) {
    const auto cell = std::ranges::find(row, column, &Report::Row::value_type::first);
    return std::get<double>(cell->second);
  };
  if (!column.empty()) std::ranges::stable_sort(rows, std::ranges::greater(), value);
  return rows;
}

/// Returns the table as text. Texts are aligned to the left, and numbers to the right.
std::string table_text(const std::vector<Report::Row>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& [name, value] : rows.front()) widths.push_back(name.size());
  for (const Report::Row& row : rows)
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], text_of(row[i].second).size());
  const auto line = [&](const auto& cell) {
    std::string text;
    for (std::size_t i = 0; i < widths.size(); ++i)
      text += is_text(rows.front()[i].second) ? fmt::format("  {:<{}}", cell(i), widths[i])
                                              : fmt::format("  {:>{}}", cell(i), widths[i]);
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  std::string text = line([&](std::size_t i) { return rows.front()[i].first; });
  for (const Report::Row& row : rows) text += line([&](std::size_t i) { return text_of(row[i].second); });
  return text;
}

}  // namespace

Report::Section& Report::section(const std::string& name, bool is_table) {
  const auto found =
      std::find_if(sections_.begin(), sections_.end(), [&](const Section& s) { return s.name == name; });
  if (found != sections_.end()) return *found;
  return sections_.emplace_back(Section{name, is_table, {}, {}});
}

void Report::add(const std::string& name, const Row& values) {
  Section& place = section(name, false);
  if (place.is_table) throw InternalError(fmt::format("'{}' of the report is a table", name));
  place.rows.resize(1);
  place.rows.front().insert(place.rows.front().end(), values.begin(), values.end());
}

void Report::add_row(const std::string& table, Row row) {
  Section& place = section(table, true);
  const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (!place.is_table ||
      (!place.rows.empty() &&
       !std::equal(row.begin(), row.end(), place.rows.front().begin(), place.rows.front().end(), same_name)))
    throw InternalError(fmt::format("a row does not fit the table '{}' of the report", table));
  place.rows.push_back(std::move(row));
}

void Report::sort_text(const std::string& table, const std::string& column) {
  section(table, true).sorted_by = column;
}

std::string Report::text() const {
  std::string text;
  for (const Section& section : sections_)
    text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", section.name,
                        section.is_table ? table_text(sorted(section.rows, section.sorted_by))
                                         : section_text(section.rows.front()));
  return text;
}

std::string Report::json() const {
  Json json = Json::Object();
  for (const Section& section : sections_) {
    if (!section.is_table) {
      json[section.name] = json_of(section.rows.front());
      continue;
    }
    Json::List rows;
    for (const Row& row : section.rows) rows.push_back(json_of(row));
    json[section.name] = std::move(rows);
  }
  return to_text(json, 1) + "\n";
}

}  // namespace tessera::app
