// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <any>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/operators/detail/image_stage.hpp"
#include "tessera/operators/registry.hpp"

namespace tessera::operators {

/// A call of an operator: its parameters, the pipeline and the name of its last stage, and its images.
template <class P>
struct Call : P, detail::NewStage {
  std::vector<Image> images;
};

namespace detail {

// Conversions between the members of the structures of parameters and ParameterValue.

/// Returns the kind of parameter that a member of type M is.
template <class M>
constexpr ParameterKind kind_of() {
  if constexpr (std::is_same_v<M, bool>)
    return ParameterKind::boolean;
  else if constexpr (std::is_enum_v<M>)
    return ParameterKind::word;
  else if constexpr (std::is_integral_v<M>)
    return ParameterKind::integer;
  else if constexpr (std::is_same_v<M, double> || std::is_same_v<M, std::optional<double>>)
    return ParameterKind::number;
  else if constexpr (std::is_same_v<M, std::array<int, 2>>)
    return ParameterKind::pair;
  else if constexpr (std::is_same_v<M, std::vector<double>>)
    return ParameterKind::list;
  else {
    static_assert(std::is_same_v<M, Matrix>, "no parameter of an operator has this type");
    return ParameterKind::matrix;
  }
}

/// Returns the word for a value of an enumeration, and an empty text, which is never permitted, if there is
/// none. `choices` has the words of the enumerators in order, unless these have names in the domain.
template <class E>
std::string word_of(E value, const std::vector<std::string>& choices) {
  if constexpr (std::is_same_v<E, Boundary> || std::is_same_v<E, ElementType>) {
    return std::string(tessera::name_of(value));
  } else {
    const auto number = static_cast<std::size_t>(value);
    return number < choices.size() ? choices[number] : std::string();
  }
}

/// Returns the value of a member; nothing if the member is an empty optional. `choices` are the words of the
/// parameter.
template <class M>
std::optional<ParameterValue> value_of_member(const M& member, const std::vector<std::string>& choices) {
  constexpr ParameterKind kind = kind_of<M>();
  if constexpr (kind == ParameterKind::word) {
    return word_of(member, choices);
  } else if constexpr (kind == ParameterKind::integer) {
    return static_cast<std::int64_t>(member);
  } else if constexpr (kind == ParameterKind::pair) {
    return std::vector<double>(member.begin(), member.end());
  } else if constexpr (std::is_same_v<M, std::optional<double>>) {
    if (!member) return std::nullopt;
    return *member;
  } else {
    return member;
  }
}

/// Sets a member to a value, which checked_value has accepted.
template <class M>
void set_member(M& member, const ParameterValue& value, const std::vector<std::string>& choices) {
  constexpr ParameterKind kind = kind_of<M>();
  if constexpr (kind == ParameterKind::word) {
    int number = 0;
    while (word_of(static_cast<M>(number), choices) != std::get<std::string>(value)) ++number;
    member = static_cast<M>(number);
  } else if constexpr (kind == ParameterKind::integer) {
    member = static_cast<M>(std::get<std::int64_t>(value));
  } else if constexpr (kind == ParameterKind::pair) {
    const auto& numbers = std::get<std::vector<double>>(value);
    member = {static_cast<int>(numbers[0]), static_cast<int>(numbers[1])};
  } else if constexpr (kind == ParameterKind::number) {
    member = std::get<double>(value);
  } else {
    member = std::get<M>(value);
  }
}

/// Returns the value in the form of the kind of the parameter: a whole number becomes a floating-point number
/// or a pair if the kind requires it, and a floating-point number that is whole becomes a whole number.
/// Throws ParameterError if the value is not of this kind or is not permitted.
ParameterValue checked_value(const Parameter& parameter, const ParameterValue& value);

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
/// Throws ParameterError unless there is either a second image or a constant, `value`.
void check_operands(const std::vector<Image>& images, const std::optional<double>& value);
/// Calls set(i, value) with the number of the parameter and with its value as `checked_value` returns it, for
/// each value. Throws ParameterError if a parameter does not exist, or has no value although it must be
/// given.
void read_values(const Operator& described, const ParameterValues& values,
                 const std::function<void(std::size_t, const ParameterValue&)>& set);
/// Calls `action`. Adds the names of the operator and the stage to a ParameterError or OperandError that it
/// throws.
void with_message_start(const Operator& described, const std::string& stage,
                        const std::function<void()>& action);

/// An operator whose parameters are the members of a structure P. Both the C++ function and the registry
/// check parameters by this description.
template <class P>
class Entry {
 public:
  /// A function that adds the operator to a pipeline. The images and parameters have been checked, and the
  /// stage has a name.
  using Build = std::function<Image(const Call<P>&)>;

  /// Makes the entry of an operator on one image, without parameters, whose result has the type of the image.
  Entry(std::string name, std::string help, std::string example, Build build)
      : described_{.name = std::move(name), .help = std::move(help), .example = std::move(example)},
        build_(std::move(build)) {
    described_.types = same_type();
  }

  /// Changes the names of the images. The first `required` images must be given.
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

  /// Adds a parameter. `added` lacks the name, the help, the kind, the default and whether it is optional.
  template <class M>
  Entry& parameter(const std::string& name, M P::*member, const std::string& help, Parameter added = {}) {
    added.name = name;
    added.help = help;
    added.kind = kind_of<M>();
    added.optional = std::is_same_v<M, std::optional<double>>;
    const std::vector<std::string> words = added.choices;
    const P defaults{};
    if (!added.required) added.default_value = value_of_member(defaults.*member, words);
    described_.parameters.push_back(std::move(added));
    get_.push_back([=](const P& parameters) { return value_of_member(parameters.*member, words); });
    set_.push_back(
        [=](P& parameters, const ParameterValue& value) { set_member(parameters.*member, value, words); });
    return *this;
  }

  /// Adds the parameter `window`, whose extents are at most `greatest`.
  Entry& window(double greatest) {
    return parameter("window", &P::window, "The extents of the window along x and y.",
                     {.unit = "pixels", .least = 1, .greatest = greatest, .odd = true});
  }

  /// Adds the parameter `sigma`, a standard deviation.
  Entry& sigma(const std::string& help = "The standard deviation.") {
    return parameter("sigma", &P::sigma, help, {.unit = "pixels", .least = 0.1, .greatest = 50});
  }

  /// Adds the parameter `border`.
  Entry& border(const std::string& help = "The values beyond the borders.") {
    return parameter("border", &P::border, help, {.choices = border_words()});
  }

  /// Returns the operator as the registry has it.
  operator Operator() const {
    Operator result = described_;
    result.apply = [entry = *this](Pipeline& pipeline, const std::vector<Image>& images,
                                   const ParameterValues& values, const std::string& name) {
      return entry.run(pipeline, images, entry.parameters_of(values, name), name);
    };
    result.call = [entry = *this](Pipeline& pipeline, const std::vector<Image>& images,
                                  const std::any& parameters, const std::string& name) {
      return entry.run(pipeline, images, std::any_cast<P>(parameters), name);
    };
    return result;
  }

 private:
  Image run(Pipeline& pipeline, const std::vector<Image>& images, const P& given,
            const std::string& name) const {
    const Call<P> call{given, {pipeline, name.empty() ? default_name(pipeline, described_) : name}, images};
    Image result;
    with_message_start(described_, name, [&] {
      check_images(pipeline, described_, images);
      for (std::size_t i = 0; i < get_.size(); ++i) {
        const std::optional<ParameterValue> value = get_[i](call);
        const Parameter& description = described_.parameters[i];
        if (value && value != description.default_value) checked_value(description, *value);
      }
      result = build_(call);
    });
    return result;
  }

  P parameters_of(const ParameterValues& values, const std::string& name) const {
    P parameters;
    with_message_start(described_, name, [&] {
      read_values(described_, values,
                  [&](std::size_t i, const ParameterValue& value) { set_[i](parameters, value); });
    });
    return parameters;
  }

  Operator described_;
  Build build_;
  std::vector<std::function<std::optional<ParameterValue>(const P&)>> get_;
  std::vector<std::function<void(P&, const ParameterValue&)>> set_;
};

// The operators of each source file. The registry adds the titles of their groups.
std::vector<Operator> arithmetic_operators();
std::vector<Operator> tone_operators();
std::vector<Operator> convolution_operators();
std::vector<Operator> neighbourhood_operators();
std::vector<Operator> geometry_operators();
std::vector<Operator> colour_operators();
std::vector<Operator> global_operators();

}  // namespace detail
}  // namespace tessera::operators
