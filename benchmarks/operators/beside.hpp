// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "operators/operator_case.hpp"

namespace bench {

/// How cases are run.
struct BesideSettings {
  int size = 4096;
  int threads = 2;
  /// The number of rounds, in each of which either side is timed once.
  int rounds = 11;
  /// Whether times are those of the processor, for a single thread on a machine that does other things, too.
  bool processor_time = false;
};

/// The medians of the rounds.
struct Beside {
  double milliseconds = 0;
  double peer_milliseconds = 0;
  /// Tessera's time over that of the peer in the same round.
  double ratio = 0;
  /// A text that says what differs. It is empty if the results agree.
  std::string difference;
};

/// Times a case by Tessera, with the schedule of a chain without one, and by the peer, in turn, and compares
/// their results.
Beside run_beside(const OperatorCase& work, const BesideSettings& settings);

}  // namespace bench
