// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/schedule/schedule.hpp"

namespace tessera {

std::string_view name_of(Placement placement) {
  constexpr std::string_view names[] = {"distributed", "rank",       "replicated", "tile",
                                        "window",      "outer_tile", "auto"};
  return names[static_cast<std::size_t>(placement)];
}

}  // namespace tessera
