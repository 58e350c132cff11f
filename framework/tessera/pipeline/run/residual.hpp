// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// Throws DivergedError if `value`, the residual with the name `residual` of the loop `loop` after `turns`
/// turns, is not finite.
void check_residual(const std::string& loop, std::int64_t turns, const std::string& residual, double value);

}  // namespace tessera
