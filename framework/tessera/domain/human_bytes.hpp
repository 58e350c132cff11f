// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// A number of bytes as people read it, in the largest unit that fits: "12.5 MiB".
std::string human_bytes(std::int64_t bytes);

}  // namespace tessera
