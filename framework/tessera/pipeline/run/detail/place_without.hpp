// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/pipeline/plan/plan.hpp"

namespace tessera {

/// Places the buffers of a plan without those whose entry in `is_left_out` is true. Memory that only such
/// buffers would use is left out, so that the others move together. Writes the offset of each buffer to
/// `offsets`, which is -1 for a buffer that is left out. Returns the bytes of the memory for all others.
std::int64_t place_without(const Plan& plan, const std::vector<bool>& is_left_out,
                           std::vector<std::int64_t>& offsets);

}  // namespace tessera
