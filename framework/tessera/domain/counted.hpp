// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

/// Returns a count and its noun, with an "s" unless the count is 1: "1 rank", "2 ranks".
std::string counted(std::int64_t count, std::string_view noun);

}  // namespace tessera
