// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/app/threads.hpp"

namespace tessera::app {

/// Where a rank runs, and with what.
struct Placement {
  /// The node's name, ended by a zero.
  std::array<char, 64> node{};
  Affinity affinity{};
  int threads = 1;
  /// Of its node; -1 for none.
  int device = -1;
  /// What its plan needs at most.
  std::int64_t peak_bytes = 0;
};

/// That of this rank.
Placement own_placement(int threads, int device, std::int64_t peak_bytes);

/// A line for neighbouring ranks that run at the same place: "ranks 0-3: node a, processors 0-7, at most 1.2
/// MiB each". Those of all ranks, when `each_rank`, one by one; else the first few. Without a line feed at
/// the end.
std::string placement_text(const std::vector<Placement>& ranks, bool each_rank);

/// A line about the first ranks whose threads are more than the processors that they share; empty when all
/// have their own.
std::string overlap_warning(const std::vector<Placement>& ranks);

}  // namespace tessera::app
