// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/inference/footprint.hpp"

#include <fmt/format.h>

#include "tessera/domain/error.hpp"

namespace tessera::detail {

void refuse_declared_footprint(int input, int declared, int expected) {
  throw InternalError(
      fmt::format("the stage body declares a footprint of {} dimensions for input {}, which has {}", declared,
                  input, expected));
}

}  // namespace tessera::detail
