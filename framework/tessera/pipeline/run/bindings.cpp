// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/bindings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tessera/domain/error.hpp"
#include "tessera/view/block_layout.hpp"

namespace tessera {

void check_residual(const std::string& loop, std::int64_t turns, const std::string& residual, double value) {
  if (std::isfinite(value)) return;
  throw DivergedError(
      fmt::format("the loop '{}' diverges: after turn {} its residual '{}' is {}; start from other data "
                  "or change its parameters",
                  loop, turns, residual, value));
}

std::int64_t place_without(const Plan& plan, const std::vector<bool>& is_left_out,
                           std::vector<std::int64_t>& offsets) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i)
    if (!is_left_out[i]) kept.push_back(i);
  std::ranges::sort(kept, {}, [&](std::size_t i) { return plan.buffers[i].offset; });
  offsets.assign(plan.buffers.size(), -1);
  std::int64_t end = 0, shift = 0;
  for (const std::size_t i : kept) {
    const Buffer& buffer = plan.buffers[i];
    shift += std::max<std::int64_t>(buffer.offset - end, 0);
    offsets[i] = buffer.offset - shift;
    end = std::max(end, buffer.offset + aligned_bytes(buffer.bytes));
  }
  return end - shift;
}

}  // namespace tessera
