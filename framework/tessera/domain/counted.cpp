// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/domain/counted.hpp"

#include <fmt/format.h>

namespace tessera {

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace tessera
