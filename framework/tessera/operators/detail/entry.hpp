// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/operators/detail/values.hpp"
#include "tessera/operators/registry.hpp"

namespace tessera::operators::detail {

/// What the description of a parameter says beside its name, its kind and its default.
struct ParameterText {
  std::string help;
  std::string unit = {};
  double least = -std::numeric_limits<double>::infinity();
  double greatest = std::numeric_limits<double>::infinity();
  bool odd = false;
  /// Whether a value must be given.
  bool required = false;
  /// Whether there may be no value, and no default either. The member is then a std::optional.
  bool optional = false;
};

/// Returns what messages of an operator begin with: the name of the operator and of its stage.
std::string message_start(const Operator& described, const std::string& stage);
/// Returns the name that a stage gets if none is given: that of the operator, with a number if the pipeline
/// has an array of this name.
std::string default_name(const Algorithm& pipeline, const Operator& described);
/// Throws OperandError unless the operator takes these images.
void check_images(const Algorithm& pipeline, const Operator& described, const std::vector<Image>& images);
/// Returns the place of the parameter with this name. Throws ParameterError if there is none.
std::size_t find_parameter(const Operator& described, const std::string& name);
/// Throws ParameterError unless there is either a second image or a constant, `value`.
void check_operands(const std::vector<Image>& images, const std::optional<double>& value);
/// Throws ParameterError if a parameter that must be given has no value.
void check_required(const Operator& described, const ParameterValues& values);
/// Calls `action`. If it throws a ParameterError or an OperandError, throws it with the operator and the
/// stage named.
void with_message_start(const Operator& described, const std::string& stage,
                        const std::function<void()>& action);

/// An operator whose parameters are the members of a structure P. This is the only description of the
/// parameters: the C++ function and the registry both check by it. P has a member `name` for the name of the
/// stage.
template <class P>
class Entry {
 public:
  /// A function that adds the operator to a pipeline. The images and parameters have been checked, and `name`
  /// is not empty.
  using Build = std::function<Image(Pipeline&, const std::vector<Image>&, const P&)>;

  /// Makes the entry of an operator without parameters. `described` has everything but parameters and
  /// `apply`.
  Entry(Operator described, Build build) : described_(std::move(described)), build_(std::move(build)) {}

  /// Adds a parameter.
  template <class M>
  Entry& parameter(const std::string& name, M P::*member, const ParameterText& text) {
    Parameter added{.name = name,
                    .kind = kind_of<M>(),
                    .default_value = {},
                    .optional = text.optional,
                    .unit = text.unit,
                    .least = text.least,
                    .greatest = text.greatest,
                    .odd = text.odd,
                    .choices = choices_of<M>(),
                    .help = text.help};
    if (!text.required) added.default_value = value_of_member(P().*member);
    described_.parameters.push_back(std::move(added));
    get_.push_back([member](const P& parameters) { return value_of_member(parameters.*member); });
    set_.push_back(
        [member](P& parameters, const ParameterValue& value) { set_member(parameters.*member, value); });
    return *this;
  }

  /// Adds the operator to a pipeline.
  Image run(Pipeline& pipeline, const std::vector<Image>& images, P parameters) const {
    const std::string given = parameters.name;
    if (parameters.name.empty()) parameters.name = default_name(pipeline, described_);
    Image result;
    with_message_start(described_, given, [&] {
      check_images(pipeline, described_, images);
      for (std::size_t i = 0; i < get_.size(); ++i) {
        const std::optional<ParameterValue> value = get_[i](parameters);
        const Parameter& description = described_.parameters[i];
        if (value && value != description.default_value) checked_value(description, *value);
      }
      result = build_(pipeline, images, parameters);
    });
    return result;
  }

  /// Returns the operator as the registry has it.
  Operator erased() const {
    Operator result = described_;
    result.apply = [entry = *this](Pipeline& pipeline, const std::vector<Image>& images,
                                   const ParameterValues& values, const std::string& name) {
      return entry.run(pipeline, images, entry.parameters_of(values, name));
    };
    return result;
  }

 private:
  P parameters_of(const ParameterValues& values, const std::string& name) const {
    P parameters;
    parameters.name = name;
    with_message_start(described_, name, [&] {
      check_required(described_, values);
      for (const auto& [key, value] : values) {
        const std::size_t i = find_parameter(described_, key);
        set_[i](parameters, checked_value(described_.parameters[i], value));
      }
    });
    return parameters;
  }

  Operator described_;
  Build build_;
  std::vector<std::function<std::optional<ParameterValue>(const P&)>> get_;
  std::vector<std::function<void(P&, const ParameterValue&)>> set_;
};

/// The type rules of an operator whose result has the type of its images.
std::vector<TypeRule> same_type();
/// Describes a point operator on one image whose result has the type of the image, without parameters.
Operator tone_operator(const std::string& name, const std::string& help, const std::string& example);
/// The type rules of an operator that takes images of integers only, and whose result has their type.
std::vector<TypeRule> same_integer_type();
/// The type rules of an operator that takes all types, and whose result is of one type.
std::vector<TypeRule> always(ElementType result);

// The operators of each source file, for the registry.

/// The operators of arithmetic.cpp.
std::vector<Operator> arithmetic_operators();
/// The operators of tone.cpp.
std::vector<Operator> tone_operators();
/// The operators of threshold.cpp.
std::vector<Operator> threshold_operators();
/// The operators of combination.cpp.
std::vector<Operator> combination_operators();
/// The operators of convolution.cpp.
std::vector<Operator> convolution_operators();
/// The operators of gradient.cpp.
std::vector<Operator> gradient_operators();
/// The operators of morphology.cpp.
std::vector<Operator> morphology_operators();
/// The operators of neighbourhood.cpp.
std::vector<Operator> neighbourhood_operators();
/// The bilateral filter of neighbourhood.cpp.
std::vector<Operator> bilateral_operators();
/// The operators of geometry.cpp.
std::vector<Operator> geometry_operators();
/// The operators of resampling.cpp.
std::vector<Operator> resampling_operators();
/// The operators of colour.cpp.
std::vector<Operator> colour_operators();
/// The operators of gradient.cpp that find edges.
std::vector<Operator> edge_operators();
/// The operators of global.cpp.
std::vector<Operator> global_operators();

}  // namespace tessera::operators::detail
