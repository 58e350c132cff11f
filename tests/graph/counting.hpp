// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

namespace tessera::graph_test {

/// The body of a source that emits 0, 1 and so on to `end`.
inline auto count_to(std::int64_t end) {
  return [end](std::int64_t i) { return i < end ? std::optional(i) : std::nullopt; };
}

}  // namespace tessera::graph_test
