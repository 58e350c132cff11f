// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::cost {

/// The cost of a message: a time for each message, and a time for each of its bytes.
struct NetworkCost {
  /// The seconds that a message takes, however short it is (ts).
  double latency_seconds = 0;
  /// The seconds that each byte of a message takes (tb).
  double seconds_per_byte = 0;

  /// Returns the seconds that a message of `bytes` bytes takes.
  constexpr double seconds(double bytes) const { return latency_seconds + bytes * seconds_per_byte; }
  /// Returns true when both costs have the same numbers.
  friend bool operator==(const NetworkCost&, const NetworkCost&) = default;
};

}  // namespace tessera::cost
