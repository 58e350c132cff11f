// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/domain/error.hpp"

namespace tessera::operators {

/// The kinds of parameters that operators have.
enum class ParameterKind {
  boolean,  ///< true or false
  integer,  ///< a whole number
  number,   ///< a floating-point number
  word,     ///< one of several words
  pair,     ///< two whole numbers, for x and y
  list,     ///< a list of numbers
  matrix    ///< a list of rows, which are lists of numbers
};

/// Returns the name of the kind for messages and documentation, such as "whole number".
std::string_view name_of(ParameterKind kind);

/// A list of rows of numbers.
using Matrix = std::vector<std::vector<double>>;

/// The value of a parameter. The kinds `pair` and `list` have a list of numbers. A whole number may stand
/// where a floating-point number is asked for, and a single number n where a pair is: it means [n, n].
using ParameterValue = std::variant<bool, std::int64_t, double, std::string, std::vector<double>, Matrix>;

/// Returns the value as it is written in a deck, such as "[5, 5]".
std::string to_string(const ParameterValue& value);

/// The values of some parameters of an operator, by the names of the parameters.
using ParameterValues = std::map<std::string, ParameterValue, std::less<>>;

/// The description of a parameter of an operator.
struct Parameter {
  /// The name, as in a deck.
  std::string name = {};
  /// What the parameter means, in a sentence.
  std::string help = {};
  /// The permitted words, if the kind is `word`.
  std::vector<std::string> choices = {};
  /// The unit of the value, such as "pixels"; may be empty.
  std::string unit = {};
  /// The least permitted number.
  double least = -std::numeric_limits<double>::infinity();
  /// The greatest permitted number.
  double greatest = std::numeric_limits<double>::infinity();
  /// Whether only odd numbers are permitted, as for windows, which have a point in the middle.
  bool odd = false;
  /// Whether a value must be given.
  bool required = false;
  /// Whether the parameter may have no value. `help` says what this means.
  bool optional = false;
  /// The kind of the value.
  ParameterKind kind = ParameterKind::number;
  /// The value if none is given. There is none if the parameter is required or optional.
  std::optional<ParameterValue> default_value = {};
};

/// An error in the value of a parameter of an operator. Its message does not say where the value comes from.
struct ParameterError : InputError {
  /// Makes an error with a message. `parameter_name` is the name of the parameter.
  ParameterError(const std::string& message, std::string parameter_name)
      : InputError(message), parameter(std::move(parameter_name)) {}
  /// The name of the parameter.
  std::string parameter;
};

/// An error in an input of an operator: its type, its size, or that it is missing.
struct OperandError : InputError {
  /// Makes an error with a message. `number` is the number of the input, counted from 0.
  OperandError(const std::string& message, int number) : InputError(message), operand(number) {}
  /// The number of the input, counted from 0.
  int operand;
};

}  // namespace tessera::operators
