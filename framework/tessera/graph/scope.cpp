// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/graph/scope.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::graph::detail {

std::string stamp_text(const Scope& scope) {
  if (scope.kind == Scope::Kind::group) return stamp_text(*scope.parent);
  const char* word = scope.kind == Scope::Kind::root   ? "item"
                     : scope.kind == Scope::Kind::turn ? "turn"
                                                       : "part";
  const std::string own = fmt::format("{} {}", word, scope.ordinal);
  return scope.parent == nullptr ? own : fmt::format("{}, {}", stamp_text(*scope.parent), own);
}

std::vector<std::int64_t> path_of(const Scope& scope) {
  std::vector<std::int64_t> path;
  for (const Scope* at = &scope; at != nullptr; at = at->parent)
    if (at->kind != Scope::Kind::group) path.push_back(at->ordinal);
  std::ranges::reverse(path);
  return path;
}

}  // namespace tessera::graph::detail
