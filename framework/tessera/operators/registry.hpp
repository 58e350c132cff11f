// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/domain/error.hpp"
#include "tessera/operators/image.hpp"

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
  /// The meaning of the parameter, in a sentence.
  std::string help = {};
  /// The permitted words, if the kind is `word`.
  std::vector<std::string> choices = {};
  /// The unit of the value, such as "pixels"; may be empty.
  std::string unit = {};
  /// The least permitted number.
  double least = -std::numeric_limits<double>::infinity();
  /// The greatest permitted number.
  double greatest = std::numeric_limits<double>::infinity();
  /// True if only odd numbers are permitted, as for windows, which have a point in the middle.
  bool odd = false;
  /// True if a value must be given.
  bool required = false;
  /// True if the parameter may have no value. `help` says what this means.
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

/// An element type that an operator takes, and the type that its result then has.
struct TypeRule {
  /// The type of the images.
  ElementType taken;
  /// The type of the result, in words, such as "uint8" or "the type that 'to' names".
  std::string result;
};

/// An operator as data: its name, its inputs and parameters, its meaning, and the functions that add it to a
/// pipeline. The C++ function of the same name checks its parameters by the same description.
struct Operator {
  /// The name, as in a deck and as of the C++ function.
  std::string name;
  /// The title of the group of operators that it belongs to, such as "Points".
  std::string group = {};
  /// The result of the operator, in a sentence or a few. It also says how the definition differs from that of
  /// other libraries.
  std::string help;
  /// The names of the images that the operator takes, in order.
  std::vector<std::string> inputs = {"image"};
  /// The number of images that must be given. The others may be left out.
  int required_inputs = 1;
  /// The parameters, in the order of the documentation.
  std::vector<Parameter> parameters = {};
  /// The element types that the operator takes. If it takes several images, they have the same type unless
  /// `help` says otherwise.
  std::vector<TypeRule> types = {};
  /// A step of a chain that uses the operator, as in a deck.
  std::string example;
  /// Adds the operator to a pipeline, and returns its result. The last stage has the name `name`, by default
  /// that of the operator, and others have names that begin with it and an underscore. Throws ParameterError
  /// if a parameter does not exist or has no permitted value, and OperandError if the images do not fit.
  std::function<Image(Pipeline& pipeline, const std::vector<Image>& images, const ParameterValues& values,
                      const std::string& name)>
      apply = {};
  /// Does the same with the structure of parameters that the C++ function has.
  std::function<Image(Pipeline& pipeline, const std::vector<Image>& images, const std::any& parameters,
                      const std::string& name)>
      call = {};
};

/// Returns all operators, ordered by groups.
const std::vector<Operator>& all_operators();

/// Returns the operator with this name. Throws InputError, which names the most similar operator, if there is
/// none.
const Operator& find_operator(std::string_view name);

/// Returns the documentation of all operators as a page in Markdown.
std::string documentation();
/// Returns the documentation of one operator as text for a terminal.
std::string explanation(const Operator& described);

namespace detail {

/// Returns the parameters of a call that gives none. Some operators have parameters that must be given.
template <class Parameters>
Parameters default_parameters() {
  static_assert(
      !requires { Parameters::must_be_given; }, "this operator needs its parameters");
  return {};
}

}  // namespace detail

/// The structure of operators without parameters.
struct NoParameters {};

/// An operator that takes `least` to `most` images, as a C++ function with the structure `Parameters`. Calls
/// add it to a pipeline, and return its result. `stage` is the name of the stage, by default that of the
/// operator. They throw ParameterError and OperandError.
template <class Parameters, int least = 1, int most = least>
struct Function {
  /// The name of the operator in the registry.
  std::string_view name;

  /// Adds the operator on one image.
  Image operator()(Pipeline& pipeline, const Image& image,
                   const Parameters& parameters = detail::default_parameters<Parameters>(),
                   const std::string& stage = {}) const
  requires(least == 1)
  {
    return find_operator(name).call(pipeline, {image}, parameters, stage);
  }
  /// Adds the operator on two images.
  Image operator()(Pipeline& pipeline, const Image& first, const Image& second,
                   const Parameters& parameters = detail::default_parameters<Parameters>(),
                   const std::string& stage = {}) const
  requires(least <= 2 && most >= 2)
  {
    return find_operator(name).call(pipeline, {first, second}, parameters, stage);
  }
  /// Adds the operator on three images.
  Image operator()(Pipeline& pipeline, const Image& first, const Image& second, const Image& third,
                   const Parameters& parameters = detail::default_parameters<Parameters>(),
                   const std::string& stage = {}) const
  requires(most == 3)
  {
    return find_operator(name).call(pipeline, {first, second, third}, parameters, stage);
  }
};

}  // namespace tessera::operators
