// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "tessera/domain/boundary.hpp"
#include "tessera/domain/element_type.hpp"

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

}  // namespace tessera::operators::detail
