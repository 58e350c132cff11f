// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera::app {

/// The one report of a run: sections of named values, and tables. Whoever knows something adds it; the same
/// report is text for people and JSON for programs.
class Report {
 public:
  using Value = std::variant<std::int64_t, double, std::string>;
  using Row = std::vector<std::pair<std::string, Value>>;

  /// Adds values to a section, which is made when it is new; sections and values keep their order.
  void add(const std::string& section, const Row& values);
  /// Adds a row to a table, all of whose rows name the same columns.
  void add_row(const std::string& table, Row row);

  /// The text shows the rows of a table with the largest values of this column, of doubles, first.
  void sort_text(const std::string& table, const std::string& column);

  /// Sections with a line per value, tables with columns. Ends with a line feed.
  std::string text() const;
  /// An object with an object per section and a list of objects per table. Ends with a line feed.
  std::string json() const;

 private:
  struct Section {
    std::string name;
    bool is_table = false;
    /// One row, unless it is a table.
    std::vector<Row> rows;
    /// The column that the text is sorted by; empty: none.
    std::string sorted_by = {};
  };

  Section& section(const std::string& name, bool is_table);

  std::vector<Section> sections_;
};

}  // namespace tessera::app
