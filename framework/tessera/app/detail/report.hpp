// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera::app {

/// The report of a run. It consists of sections, which hold named values, and of tables. The parts of a
/// program add their values and rows. The report can be returned as text and as JSON.
class Report {
 public:
  using Value = std::variant<std::int64_t, double, std::string>;
  using Row = std::vector<std::pair<std::string, Value>>;

  /// Adds values to a section. If there is no section of this name, it is made. Sections and values stay in
  /// the order in which they are added. Throws InternalError if there is a table of this name.
  void add(const std::string& section, const Row& values);
  /// Adds a row to a table. If there is no table of this name, it is made. Throws InternalError if the row
  /// does not have the same columns as the other rows of the table, or if there is a section of this name.
  void add_row(const std::string& table, Row row);

  /// Makes text() sort the rows of a table, so that the largest values of `column` come first. All values of
  /// the column must have the type double.
  void sort_text(const std::string& table, const std::string& column);

  /// Returns the report as text. A section has a line for each value, and a table has a line for each row.
  /// The text ends with a line feed.
  std::string text() const;
  /// Returns the report as a JSON object. The object contains an object for each section, and a list of
  /// objects, one for each row, for each table. The text ends with a line feed.
  std::string json() const;

 private:
  struct Section {
    std::string name;
    bool is_table = false;
    /// The rows of a table. A section that is not a table has a single row, which holds its values.
    std::vector<Row> rows;
    /// The column by which text() sorts the rows. If it is empty, the rows are not sorted.
    std::string sorted_by = {};
  };

  Section& section(const std::string& name, bool is_table);

  std::vector<Section> sections_;
};

}  // namespace tessera::app
