// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tessera/domain/boundary.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/operators/parameter.hpp"

namespace tessera::operators::detail {

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

/// Returns a member as a value, and nothing if it has none. `choices` are the words of the parameter.
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

/// Returns the value in the form that the kind of the parameter has: a whole number becomes a floating-point
/// number or a pair, and a floating-point number that is whole becomes a whole number, where such are asked
/// for. Throws ParameterError if the value is not of this kind or is not permitted.
ParameterValue checked_value(const Parameter& parameter, const ParameterValue& value);

}  // namespace tessera::operators::detail
