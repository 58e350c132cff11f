// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tessera/view/collectively.hpp"
#include "tessera/view/mpi_objects.hpp"

namespace tessera::app {

/// The report of a run: sections, which hold named values, and tables.
class Report {
 public:
  using Value = std::variant<std::int64_t, double, std::string>;
  using Row = std::vector<std::pair<std::string, Value>>;

  /// Adds values to a section, which is made if there is none. Sections and values stay in the order of the
  /// calls. Throws InternalError if there is a table of this name.
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
    /// text() sorts the rows by this column. It does not sort them if the name is empty.
    std::string sorted_by = {};
  };

  Section& section(const std::string& name, bool is_table);

  std::vector<Section> sections_;
};

/// Returns the lists that all ranks pass, in the order of the ranks, on rank 0. Returns no lists on other
/// ranks. Rank 0 receives from one rank after the other, so that the function is suitable for reports, but
/// too slow for pixels. Collective.
template <class T>
std::vector<std::vector<T>> gather(MPI_Comm communicator, const std::vector<T>& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto message_of = [](std::int64_t count) {
    return LargeMessage(count * static_cast<std::int64_t>(sizeof(T)));
  };
  std::int64_t count = std::ssize(mine);
  if (rank_in(communicator) != 0) {
    const LargeMessage message = message_of(count);
    MPI_Send(&count, 1, MPI_INT64_T, 0, 0, communicator);
    MPI_Send(mine.data(), message.count(), message.type(), 0, 0, communicator);
    return {};
  }
  std::vector<std::vector<T>> lists{mine};
  for (int from = 1; from < ranks_of(communicator); ++from) {
    MPI_Recv(&count, 1, MPI_INT64_T, from, 0, communicator, MPI_STATUS_IGNORE);
    const LargeMessage message = message_of(count);
    std::vector<T>& list = lists.emplace_back(static_cast<std::size_t>(count));
    MPI_Recv(list.data(), message.count(), message.type(), from, 0, communicator, MPI_STATUS_IGNORE);
  }
  return lists;
}

}  // namespace tessera::app
