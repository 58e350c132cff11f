// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace tessera::cost {

/// What a message costs: a time for each message, and a time for each of its bytes.
struct NetworkCost {
  /// The seconds that a message takes, however short it is (ts).
  double latency_seconds = 0;
  /// The seconds that each byte of a message takes (tb).
  double seconds_per_byte = 0;

  /// Returns the seconds that a message of `bytes` bytes takes.
  double seconds(std::int64_t bytes) const {
    return latency_seconds + static_cast<double>(bytes) * seconds_per_byte;
  }
};

}  // namespace tessera::cost
