// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/detail/entry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/domain/text.hpp"

namespace tessera::operators::detail {
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
  if (first.type != other.type)
    throw OperandError(fmt::format("'{}' is {}, but '{}' is {}: cast one of them, as by {{cast: {}, to: {}}}",
                                   one, tessera::name_of(first.type), two, tessera::name_of(other.type), two,
                                   tessera::name_of(first.type)),
                       number);
  if (first.domain != other.domain && extents_text(first) == extents_text(other))
    throw OperandError(fmt::format("'{}' has the points {}, but '{}' has {}: the images must have the same "
                                   "points, and 'crop' makes the first one (0, 0)",
                                   one, to_string(first.domain), two, to_string(other.domain)),
                       number);
  if (first.domain != other.domain)
    throw OperandError(fmt::format("'{}' has {} points, but '{}' has {}: the images must have the same size",
                                   one, extents_text(first), two, extents_text(other)),
                       number);
}

/// Returns what messages of an operator begin with: the name of the operator and of its stage.
std::string message_start(const Operator& described, const std::string& stage) {
  if (stage.empty() || stage == described.name) return described.name + ": ";
  return fmt::format("{} '{}': ", described.name, stage);
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
    const Image& image = images[static_cast<std::size_t>(i)];
    const std::string& array = pipeline[image.id].name;
    if (image.dimensions() < 2)
      throw OperandError(
          image.domain.size() == 1
              ? fmt::format("'{0}' is a number, and no image: use it in an expression, such as 'input - {0}'",
                            array)
              : fmt::format("'{}' is a list of {} values, and no image", array, image.domain.size()),
          i);
    check_type(described, image, array, i);
    check_alike(pipeline, images[0], image, i);
  }
}

std::size_t find_parameter(const Operator& described, const std::string& name) {
  std::vector<std::string> names;
  for (const Parameter& parameter : described.parameters) {
    if (parameter.name == name) return names.size();
    names.push_back(parameter.name);
  }
  throw ParameterError(fmt::format("there is no parameter '{}'{}", name, suggestion(name, names)), name);
}

void check_operands(const std::vector<Image>& images, const std::optional<double>& value) {
  if (images.size() == 2 && value)
    throw ParameterError("value is for operators on one image: leave it out", "value");
  if (images.size() == 1 && !value)
    throw ParameterError("value is missing: give a constant or a second image", "value");
}

void check_required(const Operator& described, const ParameterValues& values) {
  for (const Parameter& parameter : described.parameters)
    if (parameter.required && values.find(parameter.name) == values.end())
      throw ParameterError(fmt::format("{} is missing: {}", parameter.name, parameter.help), parameter.name);
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

}  // namespace tessera::operators::detail
