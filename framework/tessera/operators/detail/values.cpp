// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/detail/values.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tessera/domain/text.hpp"

namespace tessera::operators {

std::string_view name_of(ParameterKind kind) {
  constexpr std::string_view names[] = {"true or false",         "whole number",    "number",      "word",
                                        "pair of whole numbers", "list of numbers", "list of rows"};
  return names[static_cast<std::size_t>(kind)];
}

namespace {

std::string text_of(const std::vector<double>& list) { return fmt::format("[{}]", fmt::join(list, ", ")); }

struct ToText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const std::vector<double>& value) const { return text_of(value); }
  std::string operator()(const Matrix& value) const {
    std::vector<std::string> rows;
    for (const auto& row : value) rows.push_back(text_of(row));
    return fmt::format("[{}]", fmt::join(rows, ", "));
  }
};

}  // namespace

std::string to_string(const ParameterValue& value) { return std::visit(ToText(), value); }

namespace detail {
namespace {

[[noreturn]] void refuse(const Parameter& parameter, const std::string& what) {
  throw ParameterError(parameter.name + " " + what, parameter.name);
}

bool is_whole(double number) { return std::floor(number) == number && std::abs(number) < 9.0e15; }

/// Returns the value in the form that the kind of the parameter has, if there is such a form.
ParameterValue converted(const Parameter& parameter, const ParameterValue& value) {
  const auto* const whole = std::get_if<std::int64_t>(&value);
  const auto* const number = std::get_if<double>(&value);
  switch (parameter.kind) {
    case ParameterKind::number:
      if (whole) return static_cast<double>(*whole);
      break;
    case ParameterKind::integer:
      if (number && is_whole(*number)) return static_cast<std::int64_t>(*number);
      break;
    case ParameterKind::pair:
      if (whole) return std::vector<double>(2, static_cast<double>(*whole));
      break;
    case ParameterKind::matrix:
      if (const auto* const row = std::get_if<std::vector<double>>(&value)) return Matrix{*row};
      break;
    default:
      break;
  }
  return value;
}

bool has_kind(const ParameterValue& value, ParameterKind kind) {
  switch (kind) {
    case ParameterKind::boolean:
      return std::holds_alternative<bool>(value);
    case ParameterKind::integer:
      return std::holds_alternative<std::int64_t>(value);
    case ParameterKind::number:
      return std::holds_alternative<double>(value);
    case ParameterKind::word:
      return std::holds_alternative<std::string>(value);
    case ParameterKind::pair: {
      const auto* const pair = std::get_if<std::vector<double>>(&value);
      return pair && pair->size() == 2 && is_whole((*pair)[0]) && is_whole((*pair)[1]);
    }
    case ParameterKind::list:
      return std::holds_alternative<std::vector<double>>(value);
    case ParameterKind::matrix:
      break;
  }
  return std::holds_alternative<Matrix>(value);
}

/// Returns the range of permitted numbers for messages.
std::string range_text(const Parameter& parameter) {
  const std::string unit = parameter.unit.empty() ? "" : " " + parameter.unit;
  const std::string odd = parameter.odd ? "odd and " : "";
  if (std::isinf(parameter.least) && std::isinf(parameter.greatest)) return odd + "finite";
  if (std::isinf(parameter.greatest)) return fmt::format("{}at least {}{}", odd, parameter.least, unit);
  if (std::isinf(parameter.least)) return fmt::format("{}at most {}{}", odd, parameter.greatest, unit);
  return fmt::format("{}from {} to {}{}", odd, parameter.least, parameter.greatest, unit);
}

void check_number(const Parameter& parameter, double number) {
  const bool in_range = std::isfinite(number) && number >= parameter.least && number <= parameter.greatest;
  const bool odd = !parameter.odd || std::fmod(std::abs(number), 2.0) == 1.0;
  if (!in_range || !odd)
    refuse(parameter, fmt::format("is {}: it must be {}", number, range_text(parameter)));
}

}  // namespace

ParameterValue checked_value(const Parameter& parameter, const ParameterValue& value) {
  const ParameterValue result = converted(parameter, value);
  if (!has_kind(result, parameter.kind))
    refuse(parameter, fmt::format("is {}: it must be a {}", to_string(value), name_of(parameter.kind)));
  if (const auto* const word = std::get_if<std::string>(&result)) {
    for (const std::string& choice : parameter.choices)
      if (choice == *word) return result;
    refuse(parameter, fmt::format("is '{}': it must be one of {}{}", *word,
                                  fmt::join(parameter.choices, ", "), suggestion(*word, parameter.choices)));
  }
  if (const auto* const whole = std::get_if<std::int64_t>(&result))
    check_number(parameter, static_cast<double>(*whole));
  if (const auto* const number = std::get_if<double>(&result)) check_number(parameter, *number);
  const auto* const list = std::get_if<std::vector<double>>(&result);
  const auto* const matrix = std::get_if<Matrix>(&result);
  if ((list && list->empty()) || (matrix && matrix->empty())) refuse(parameter, "is missing");
  if (list)
    for (double number : *list) check_number(parameter, number);
  if (matrix)
    for (const auto& row : *matrix)
      for (double number : row) check_number(parameter, number);
  return result;
}

}  // namespace detail
}  // namespace tessera::operators
