// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/app/detail/threads.hpp"
#include "tessera/view/device.hpp"

namespace tessera::app {

/// Where a rank runs, and with what.
struct Placement {
  /// The node's name, ended by a zero.
  std::array<char, 64> node{};
  Affinity affinity{};
  int threads = 1;
  Device device{};
  /// What its plan needs at most.
  std::int64_t peak_bytes = 0;
};

/// That of this rank, once Kokkos has started.
Placement own_placement(int threads, std::int64_t peak_bytes);

/// A line for neighbouring ranks that run at the same place: "ranks 0-3: node a, processors 0-7, device 0
/// (NVIDIA H100 at 0000:3B:00.0), at most 1.2 MiB each", of devices only where there are some. Those of all
/// ranks, when `each_rank`, one by one; else the first few. Without a line feed at the end.
std::string placement_text(const std::vector<Placement>& ranks, bool each_rank);

/// A line about the first ranks whose threads are more than the processors that they share, and one about the
/// first that share a device; empty when all have their own. Without a line feed at the end.
std::string overlap_warning(const std::vector<Placement>& ranks);

}  // namespace tessera::app
