// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <any>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/operators/image.hpp"
#include "tessera/operators/parameter.hpp"

namespace tessera::operators {

/// An element type that an operator takes, and the type that its result then has.
struct TypeRule {
  /// The type of the images.
  ElementType taken;
  /// The type of the result, in words, such as "uint8" or "the type that 'to' names".
  std::string result;
};

/// An operator as data: what it is called, what it takes, what it means, and how it is added to a pipeline.
/// The C++ function of the same name checks its parameters by the same description.
struct Operator {
  /// The name, as in a deck and as of the C++ function.
  std::string name;
  /// The group of operators that it belongs to, such as "point".
  std::string group = {};
  /// What the operator computes, in a sentence or a few. It also says how the definition differs from that of
  /// other libraries.
  std::string help;
  /// The names of the images that the operator takes, in order.
  std::vector<std::string> inputs = {"image"};
  /// The number of images that must be given. The others may be left out.
  int required_inputs = 1;
  /// The parameters, in the order in which documentation lists them.
  std::vector<Parameter> parameters = {};
  /// The element types that the operator takes. If it takes several images, they have the same type unless
  /// `help` says otherwise.
  std::vector<TypeRule> types = {};
  /// A step of a chain that uses the operator, as in a deck.
  std::string example;
  /// Adds the operator to a pipeline, and returns its result. The last stage has the name `name`, and others
  /// have names that begin with `name` and an underscore. Throws ParameterError if a parameter does not exist
  /// or has no permitted value, and OperandError if the images do not fit.
  std::function<Image(Pipeline& pipeline, const std::vector<Image>& images, const ParameterValues& values,
                      const std::string& name)>
      apply = {};
  /// Does the same with the structure of parameters that the C++ function has.
  std::function<Image(Pipeline& pipeline, const std::vector<Image>& images, const std::any& parameters)>
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

}  // namespace tessera::operators
