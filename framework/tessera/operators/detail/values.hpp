// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tessera/domain/boundary.hpp"
#include "tessera/domain/element_type.hpp"
#include "tessera/operators/parameter.hpp"

namespace tessera::operators::detail {

/// The words that stand for the values of an enumeration E in decks, as an array of pairs of a word and a
/// value. Each enumeration that is the type of a parameter has a specialization.
template <class E>
inline constexpr int words_of = 0;

template <>
inline constexpr std::array<std::pair<std::string_view, Boundary>, 5> words_of<Boundary>{{
    {"clamp", Boundary::clamp},
    {"mirror", Boundary::mirror},
    {"mirror_interior", Boundary::mirror_interior},
    {"constant", Boundary::constant},
    {"periodic", Boundary::periodic},
}};

template <>
inline constexpr std::array<std::pair<std::string_view, ElementType>, 3> words_of<ElementType>{{
    {"uint8", ElementType::uint8},
    {"uint16", ElementType::uint16},
    {"float32", ElementType::float32},
}};

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

/// Returns the words that may stand for a member of type M, which are none unless M is an enumeration.
template <class M>
std::vector<std::string> choices_of() {
  std::vector<std::string> choices;
  if constexpr (std::is_enum_v<M>)
    for (const auto& word : words_of<M>) choices.emplace_back(word.first);
  return choices;
}

/// Returns a member as a value, and nothing if it has none. An enumerator without a word becomes an empty
/// text, which is never permitted.
template <class M>
std::optional<ParameterValue> value_of_member(const M& member) {
  constexpr ParameterKind kind = kind_of<M>();
  if constexpr (kind == ParameterKind::word) {
    for (const auto& [word, value] : words_of<M>)
      if (value == member) return std::string(word);
    return std::string();
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
void set_member(M& member, const ParameterValue& value) {
  constexpr ParameterKind kind = kind_of<M>();
  if constexpr (kind == ParameterKind::word) {
    for (const auto& [word, enumerator] : words_of<M>)
      if (word == std::get<std::string>(value)) member = enumerator;
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
