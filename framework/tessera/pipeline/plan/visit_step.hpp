// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>
#include <variant>

#include "tessera/pipeline/plan/plan_nodes.hpp"

namespace tessera {
namespace plan {

/// Whether `Kind` is one of `Kinds`. A case of visit_step for several kinds of nodes has a parameter such as
/// `const AnyOf<Allocate, Free> auto&`.
template <class Kind, class... Kinds>
concept AnyOf = (std::same_as<std::remove_cvref_t<Kind>, Kinds> || ...);

}  // namespace plan

namespace detail {

/// Combines functions for different kinds of nodes into one overloaded function.
template <class... Functions>
struct StepCases : Functions... {
  using Functions::operator()...;
};

}  // namespace detail

/// Calls the function of `cases` that accepts the kind of the node, and returns the result of this function.
/// Every kind must have exactly one case. A case must not accept all kinds, as a function with a parameter
/// `const auto&` does, because the compiler could then not report that a new kind has no case.
template <class Node, class... Cases>
decltype(auto) visit_step(Node& node, Cases&&... cases) {
  return std::visit(detail::StepCases<std::decay_t<Cases>...>{std::forward<Cases>(cases)...}, node.step);
}

}  // namespace tessera
