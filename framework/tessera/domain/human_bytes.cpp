// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/human_bytes.hpp"

#include <fmt/format.h>

#include <array>

namespace tessera {

std::string human_bytes(std::int64_t bytes) {
  constexpr std::array units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace tessera
