// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// Returns a number of bytes as people read it, such as "12.5 MiB": in the largest unit, up to TiB, of which
/// there is at least one.
std::string human_bytes(std::int64_t bytes);

}  // namespace tessera
