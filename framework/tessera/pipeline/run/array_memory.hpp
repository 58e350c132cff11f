// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/view/compat.hpp"
#include "tessera/view/host_mode.hpp"

namespace tessera {

/// Memory for the arrays of a plan, which may be used for one plan after another. Its contents do not matter.
struct ArrayMemory {
  /// Memory that has been used before. It is used again if it is large enough for the plan, and then it is
  /// not touched by the threads that compute first, as new memory is.
  Kokkos::View<std::byte*, MemorySpace> bytes;
  /// The number of bytes that new memory has at least.
  std::int64_t at_least = 0;
  /// Which threads touch new memory first. Kernels must not be launched while another thread launches some.
  HostMode touched_by = HostMode::kernels;
  /// The inputs and outputs that get no memory, since blocks of the caller will be bound to them before they
  /// are used. All of them must be arrays that PlanInstance::bind does not refuse.
  std::vector<std::string> bound = {};
};

}  // namespace tessera
