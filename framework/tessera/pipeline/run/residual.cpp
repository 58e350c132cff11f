// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/residual.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tessera/domain/error.hpp"

namespace tessera {

void check_residual(const std::string& loop, std::int64_t turns, const std::string& residual, double value) {
  if (std::isfinite(value)) return;
  throw DivergedError(
      fmt::format("the loop '{}' diverges: after turn {} its residual '{}' is {}; start from other data "
                  "or change its parameters",
                  loop, turns, residual, value));
}

}  // namespace tessera
