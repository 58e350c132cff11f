// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/app/detail/reported_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tessera/domain/number_at.hpp"

namespace tessera::app {
namespace {

/// Returns a number as text. Integers below 2^53 are shown with all digits, and other numbers with six
/// significant digits.
std::string shown(double value) {
  constexpr double exact = 1LL << 53;
  return value == std::floor(value) && std::abs(value) < exact ? fmt::format("{:.0f}", value)
                                                               : fmt::format("{:.6g}", value);
}

}  // namespace

ReportedNumbers::ReportedNumbers(const Algorithm& pipeline, const std::vector<std::string>& names) {
  for (const ArrayDeclaration& stage : pipeline.arrays()) {
    if (std::ranges::find(names, stage.name) == names.end()) continue;
    if (!stage.is_output || stage.domain.size() != 1)
      throw InternalError(fmt::format("'{}' is no output of one element", stage.name));
    numbers_.emplace_back(stage.name);
  }
}

void ReportedNumbers::listen(Bindings& bindings) {
  for (Number& number : numbers_) {
    const auto [place, is_new] = bindings.sinks.emplace(number.name, &number);
    if (!is_new) number.next = std::exchange(place->second, &number);
  }
}

std::string ReportedNumbers::judged(MPI_Comm communicator, const PipelineApplication& application,
                                    const deck::Deck& deck) const {
  if (!application.verdict) return "";
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  std::string line;
  if (rank == 0) {
    std::map<std::string, double> values;
    for (const Number& number : numbers_) values.emplace(number.name, number.value);
    line = application.verdict(values, deck);
  }
  auto size = static_cast<int>(line.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, communicator);
  line.resize(static_cast<std::size_t>(size));
  MPI_Bcast(line.data(), size, MPI_CHAR, 0, communicator);
  return line;
}

std::string ReportedNumbers::text() const {
  std::string text;
  for (const Number& number : numbers_)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number.name, shown(number.value));
  return text;
}

void ReportedNumbers::add(Report& report) const {
  for (const Number& number : numbers_) report.add("numbers", {{number.name, number.value}});
}

void ReportedNumbers::Number::write(const HostBlock& block) {
  if (next != nullptr) next->write(block);
  if (block.box.empty()) return;
  value = number_at(block.type, block.data);
}

}  // namespace tessera::app
