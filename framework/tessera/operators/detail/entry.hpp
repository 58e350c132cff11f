// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <any>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/operators/detail/values.hpp"
#include "tessera/operators/registry.hpp"

namespace tessera::operators::detail {

/// Returns the name that a stage gets if none is given: that of the operator, with a number if the pipeline
/// has an array of this name.
std::string default_name(const Algorithm& pipeline, const Operator& described);
/// Returns the words that may stand for the values beyond borders.
std::vector<std::string> border_words();
/// The type rules of an operator whose result has the type of its images.
std::vector<TypeRule> same_type();
/// The type rules of an operator that takes images of integers only, and whose result has their type.
std::vector<TypeRule> same_integer_type();
/// The type rules of an operator that takes all types, and whose result is of one type.
std::vector<TypeRule> always(ElementType result);
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

  /// Makes the entry of an operator on one image, without parameters, whose result has the type of the image.
  Entry(std::string name, std::string help, std::string example, Build build)
      : described_{.name = std::move(name), .help = std::move(help), .example = std::move(example)},
        build_(std::move(build)) {
    described_.types = same_type();
  }

  /// Changes the names of the images, of which the first `required` ones must be given.
  Entry& inputs(const std::vector<std::string>& names, int required) {
    described_.inputs = names;
    described_.required_inputs = required;
    return *this;
  }

  /// Changes the types.
  Entry& types(const std::vector<TypeRule>& rules) {
    described_.types = rules;
    return *this;
  }

  /// Adds a parameter. `added` lacks the name, the kind and the default.
  template <class M>
  Entry& parameter(const std::string& name, M P::*member, Parameter added) {
    added.name = name;
    added.kind = kind_of<M>();
    const std::vector<std::string> words = added.choices;
    if (!added.required) added.default_value = value_of_member(P().*member, words);
    described_.parameters.push_back(std::move(added));
    get_.push_back([=](const P& parameters) { return value_of_member(parameters.*member, words); });
    set_.push_back(
        [=](P& parameters, const ParameterValue& value) { set_member(parameters.*member, value, words); });
    return *this;
  }

  /// Adds the parameter `window`, whose extents are at most `greatest`.
  Entry& window(double greatest) {
    return parameter("window", &P::window,
                     {.help = "The extents of the window along x and y.",
                      .unit = "pixels",
                      .least = 1,
                      .greatest = greatest,
                      .odd = true});
  }

  /// Adds the parameter `border`.
  Entry& border(const std::string& help = "The values beyond the borders.") {
    return parameter("border", &P::border, {.help = help, .choices = border_words()});
  }

  /// Returns the operator as the registry has it.
  operator Operator() const {
    Operator result = described_;
    result.apply = [entry = *this](Pipeline& pipeline, const std::vector<Image>& images,
                                   const ParameterValues& values, const std::string& name) {
      return entry.run(pipeline, images, entry.parameters_of(values, name));
    };
    result.call = [entry = *this](Pipeline& pipeline, const std::vector<Image>& images,
                                  const std::any& parameters) {
      return entry.run(pipeline, images, std::any_cast<P>(parameters));
    };
    return result;
  }

 private:
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

// The operators of each source file, without their groups.
std::vector<Operator> arithmetic_operators();
std::vector<Operator> tone_operators();
std::vector<Operator> threshold_operators();
std::vector<Operator> combination_operators();
std::vector<Operator> convolution_operators();
std::vector<Operator> gradient_operators();
std::vector<Operator> morphology_operators();
std::vector<Operator> neighbourhood_operators();
std::vector<Operator> geometry_operators();
std::vector<Operator> resampling_operators();
std::vector<Operator> colour_operators();
std::vector<Operator> global_operators();

}  // namespace tessera::operators::detail
