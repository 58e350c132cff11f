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

/// The place where a rank runs, and the resources that it uses there.
struct Placement {
  /// The name of the node, which ends with a zero byte.
  std::array<char, 64> node{};
  Affinity affinity{};
  int threads = 1;
  Device device{};
  /// The most bytes that its plan needs.
  std::int64_t peak_bytes = 0;
};

/// Returns the placement of this rank. Kokkos must have started.
Placement own_placement(int threads, std::int64_t peak_bytes);

/// Returns a line for each group of neighbouring ranks that run at the same place, such as "ranks 0-3: node
/// a, processors 0-7, device 0 (NVIDIA H100 at 0000:3B:00.0), at most 1.2 MiB each"; devices are named where
/// there are any. If `each_rank` is true every rank has a line, else only the first few groups have one. The
/// text does not end with a line feed.
std::string placement_text(const std::vector<Placement>& ranks, bool each_rank);

/// Returns a line about the first ranks that share fewer processors than they have threads, and one about the
/// first ranks that share a device, or an empty text when there are none. It does not end with a line feed.
std::string overlap_warning(const std::vector<Placement>& ranks);

}  // namespace tessera::app
