// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>
#include <variant>

#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {
namespace plan {

/// Whether Kind is one of the kinds that are listed. A case for several kinds of nodes takes
/// `const AnyOf<Allocate, Free> auto&`.
template <class Kind, class... Kinds>
concept AnyOf = (std::same_as<std::remove_cvref_t<Kind>, Kinds> || ...);

}  // namespace plan

namespace detail {

/// Joins functions for different kinds of nodes to one overloaded function.
template <class... Functions>
struct StepCases : Functions... {
  using Functions::operator()...;
};

}  // namespace detail

/// Calls the function of `cases` that takes the kind of the node, and returns its result. Every kind must
/// have exactly one case. No case may take any kind, as it would hide that a new kind is not treated.
template <class Node, class... Cases>
decltype(auto) visit_step(Node& node, Cases&&... cases) {
  return std::visit(detail::StepCases<std::decay_t<Cases>...>{std::forward<Cases>(cases)...}, node.step);
}

}  // namespace tessera
