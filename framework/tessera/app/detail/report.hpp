// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera::app {

/// The report of a run: sections, which hold named values, and tables.
class Report {
 public:
  using Value = std::variant<std::int64_t, double, std::string>;
  using Row = std::vector<std::pair<std::string, Value>>;

  /// Adds values to a section, which is made if there is none. All stay in the order in which they are added.
  /// Throws InternalError if there is a table of this name.
  void add(const std::string& section, const Row& values);
  /// Adds a row to a table, which is made if there is none. Throws InternalError if the row does not have the
  /// same columns as the other rows, or if there is a section of this name.
  void add_row(const std::string& table, Row row);

  /// Makes text() begin a table with the largest values of `column`, which must have the type double.
  void sort_text(const std::string& table, const std::string& column);

  /// Returns the report as text, with a line for each value and each row.
  std::string text() const;
  /// Returns the report as json() does if `path` ends in `.json`, else as text() does.
  std::string text_for(const std::filesystem::path& path) const {
    return path.extension() == ".json" ? json() : text();
  }
  /// Returns the report as a JSON object, with an object for each section, and a list of objects, one for
  /// each row, for each table.
  std::string json() const;

 private:
  struct Section {
    std::string name;
    bool is_table = false;
    /// The rows of a table, or the values of a section.
    std::vector<Row> rows;
    /// The column by which text() sorts the rows, or an empty text.
    std::string sorted_by = {};
  };

  Section& section(const std::string& name, bool is_table);

  std::vector<Section> sections_;
};

}  // namespace tessera::app
