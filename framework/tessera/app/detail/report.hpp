// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera::app {

/// The report of a run, which has sections of named values, and tables. Each part of a program adds what it
/// knows. The report can be had as text for people and as JSON for programs.
class Report {
 public:
  using Value = std::variant<std::int64_t, double, std::string>;
  using Row = std::vector<std::pair<std::string, Value>>;

  /// Adds values to a section, which is made if it is new. Sections and values keep their order. Throws
  /// InternalError when a table has this name.
  void add(const std::string& section, const Row& values);
  /// Adds a row to a table, which is made if it is new. Throws InternalError when its columns are not those
  /// of the rows before it.
  void add_row(const std::string& table, Row row);

  /// Makes text() show the rows of a table with the largest values of `column` first. The column must hold
  /// doubles.
  void sort_text(const std::string& table, const std::string& column);

  /// Returns the report as text: sections with a line for each value, and tables with columns. The text ends
  /// with a line feed.
  std::string text() const;
  /// Returns the report as a JSON object with an object for each section and a list of objects for each
  /// table. The text ends with a line feed.
  std::string json() const;

 private:
  struct Section {
    std::string name;
    bool is_table = false;
    /// The rows of a table; a section has a single row.
    std::vector<Row> rows;
    /// The column that the text is sorted by; empty: none.
    std::string sorted_by = {};
  };

  Section& section(const std::string& name, bool is_table);

  std::vector<Section> sections_;
};

}  // namespace tessera::app
