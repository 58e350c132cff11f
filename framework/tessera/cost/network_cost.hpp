// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tessera::cost {

/// What a message from one rank to another one costs: a time to start it, and a time for each of its bytes.
struct NetworkCost {
  /// The seconds that a message without any byte takes.
  double seconds_to_start = 0;
  /// The seconds that each byte of a message takes.
  double seconds_per_byte = 0;

  /// Returns the seconds of a message of so many bytes.
  constexpr double message(double bytes) const { return seconds_to_start + bytes * seconds_per_byte; }

  friend bool operator==(const NetworkCost&, const NetworkCost&) = default;
};

}  // namespace tessera::cost
