// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/detail/entry.hpp"

#include <fmt/format.h>

#include <algorithm>
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

constexpr ElementType image_types[] = {ElementType::uint8, ElementType::uint16, ElementType::float32};

/// Returns the types that an operator takes, for messages.
std::string taken_types(const Operator& described) {
  std::vector<std::string_view> names;
  for (const TypeRule& rule : described.types) names.push_back(tessera::name_of(rule.taken));
  return fmt::format("{}", fmt::join(names, ", "));
}

void check_type(const Operator& described, const Image& image, const std::string& array, int number) {
  for (const TypeRule& rule : described.types)
    if (rule.taken == image.type) return;
  const std::string message = fmt::format("'{}' is {}, and the operator takes {}: ", array,
                                          tessera::name_of(image.type), taken_types(described));
  const std::string_view wanted = tessera::name_of(described.types.back().taken);
  const bool can_be_cast = std::ranges::find(image_types, image.type) != std::end(image_types);
  throw OperandError(
      message + (can_be_cast ? fmt::format("cast it first, with {{cast: {}, to: {}}}", array, wanted)
                             : fmt::format("read or compute it as {}", wanted)),
      number);
}

/// Throws OperandError unless the images have the same type and the same points.
void check_alike(const Algorithm& pipeline, const Image& first, const Image& other, int number) {
  const std::string& one = pipeline[first.id].name;
  const std::string& two = pipeline[other.id].name;
  std::string message;
  if (first.type != other.type)
    message = fmt::format("'{}' is {}, but '{}' is {}: cast one of them, as by {{cast: {}, to: {}}}", one,
                          tessera::name_of(first.type), two, tessera::name_of(other.type), two,
                          tessera::name_of(first.type));
  else if (first.domain == other.domain)
    return;
  else if (extents_text(first) == extents_text(other))
    message = fmt::format(
        "'{}' has the points {}, but '{}' has {}: the images must have the same points, "
        "and 'crop' makes the first one (0, 0)",
        one, to_string(first.domain), two, to_string(other.domain));
  else
    message = fmt::format("'{}' has {} points, but '{}' has {}: the images must have the same size", one,
                          extents_text(first), two, extents_text(other));
  throw OperandError(message, number);
}

/// Returns the beginning of messages of an operator: the name of the operator and of its stage.
std::string message_start(const Operator& described, const std::string& stage) {
  if (stage.empty() || stage == described.name) return described.name + ": ";
  return fmt::format("{} '{}': ", described.name, stage);
}

[[noreturn]] void refuse(const Parameter& parameter, const std::string& what) {
  throw ParameterError(parameter.name + " " + what, parameter.name);
}

/// Returns whether a number is whole, and small enough to be exact as a double, which has 53 bits.
bool is_whole(double number) { return std::floor(number) == number && std::abs(number) < 9.0e15; }

/// Returns the value in the form that the kind of the parameter has, if there is such a form.
ParameterValue converted(const Parameter& parameter, const ParameterValue& value) {
  const auto* const whole = std::get_if<std::int64_t>(&value);
  const auto* const number = std::get_if<double>(&value);
  const auto* const row = std::get_if<std::vector<double>>(&value);
  const ParameterKind kind = parameter.kind;
  if (kind == ParameterKind::number && whole) return static_cast<double>(*whole);
  if (kind == ParameterKind::integer && number && is_whole(*number))
    return static_cast<std::int64_t>(*number);
  if (kind == ParameterKind::pair && whole) return std::vector<double>(2, static_cast<double>(*whole));
  if (kind == ParameterKind::matrix && row) return Matrix{*row};
  return value;
}

bool has_kind(const ParameterValue& value, ParameterKind kind) {
  // The index of the alternative of ParameterValue for each kind.
  constexpr std::size_t alternatives[] = {0, 1, 2, 3, 4, 4, 5};
  if (value.index() != alternatives[static_cast<std::size_t>(kind)]) return false;
  if (kind != ParameterKind::pair) return true;
  const auto& pair = std::get<std::vector<double>>(value);
  return pair.size() == 2 && is_whole(pair[0]) && is_whole(pair[1]);
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
  const bool is_permitted = !parameter.odd || std::fmod(std::abs(number), 2.0) == 1.0;
  if (!in_range || !is_permitted)
    refuse(parameter, fmt::format("is {}: it must be {}", number, range_text(parameter)));
}

}  // namespace

std::string default_name(const Algorithm& pipeline, const Operator& described) {
  const auto exists = [&pipeline](const std::string& name) {
    return std::any_of(pipeline.arrays().begin(), pipeline.arrays().end(),
                       [&name](const ArrayDeclaration& array) { return array.name == name; });
  };
  std::string name = described.name;
  for (int number = 2; exists(name); ++number) name = fmt::format("{}_{}", described.name, number);
  return name;
}

void check_images(const Algorithm& pipeline, const Operator& described, const std::vector<Image>& images) {
  const int count = static_cast<int>(images.size());
  const int most = static_cast<int>(described.inputs.size());
  if (count < described.required_inputs || count > most)
    throw OperandError(fmt::format("it takes {} ({}), and was given {}",
                                   described.required_inputs < most
                                       ? fmt::format("{} to {} images", described.required_inputs, most)
                                   : most == 1 ? "one image"
                                               : fmt::format("{} images", most),
                                   fmt::join(described.inputs, ", "), count),
                       std::max(std::min(count, most - 1), 0));
  for (int i = 0; i < count; ++i) {
    const Image& image = images[i];
    const std::string& array = pipeline[image.id].name;
    if (image.dimensions() < 2)
      throw OperandError(
          image.domain.size() == 1
              ? fmt::format("'{0}' is a number, not an image: use it in an expression, such as 'input - {0}'",
                            array)
              : fmt::format("'{}' is a list of {} values, not an image", array, image.domain.size()),
          i);
    check_type(described, image, array, i);
    check_alike(pipeline, images[0], image, i);
  }
}

void check_operands(const std::vector<Image>& images, const std::optional<double>& value) {
  if (images.size() == 2 && value)
    throw ParameterError("value is for operators on one image: leave it out", "value");
  if (images.size() == 1 && !value)
    throw ParameterError("value is missing: give a constant or a second image", "value");
}

void read_values(const Operator& described, const ParameterValues& values,
                 const std::function<void(std::size_t, const ParameterValue&)>& set) {
  std::vector<std::string> names;
  for (const Parameter& parameter : described.parameters) {
    names.push_back(parameter.name);
    if (parameter.required && values.find(parameter.name) == values.end())
      throw ParameterError(fmt::format("{} is missing: {}", parameter.name, parameter.help), parameter.name);
  }
  for (const auto& [name, value] : values) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      throw ParameterError(fmt::format("there is no parameter '{}'{}", name, suggestion(name, names)), name);
    const auto i = static_cast<std::size_t>(found - names.begin());
    set(i, checked_value(described.parameters[i], value));
  }
}

void with_message_start(const Operator& described, const std::string& stage,
                        const std::function<void()>& action) {
  try {
    action();
  } catch (const ParameterError& error) {
    throw ParameterError(message_start(described, stage) + error.what(), error.parameter);
  } catch (const OperandError& error) {
    throw OperandError(message_start(described, stage) + error.what(), error.operand);
  }
}

std::vector<std::string> border_words() {
  return {"clamp", "mirror", "mirror_interior", "constant", "periodic"};
}

std::vector<TypeRule> same_type() {
  std::vector<TypeRule> rules;
  for (ElementType type : image_types) rules.push_back({type, std::string(tessera::name_of(type))});
  return rules;
}

std::vector<TypeRule> same_integer_type() {
  std::vector<TypeRule> rules = same_type();
  rules.pop_back();
  return rules;
}

std::vector<TypeRule> always(ElementType result) {
  std::vector<TypeRule> rules;
  for (ElementType type : image_types) rules.push_back({type, std::string(tessera::name_of(result))});
  return rules;
}

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
