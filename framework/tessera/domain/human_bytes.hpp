// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace tessera {

/// Returns a number of bytes as a text with a unit, such as "12.5 MiB" or "100 bytes". The unit is the
/// largest one in which the number is at least 1, from bytes to TiB. The text has one decimal place unless
/// the unit is bytes.
std::string human_bytes(std::int64_t bytes);

}  // namespace tessera
