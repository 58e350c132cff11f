// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/view/compat.hpp"

namespace tessera {

/// The ways in which work is done on hosts. On devices all work is done by kernels.
enum class HostMode : std::uint8_t {
  kernels,        ///< Kokkos kernels do it, on the threads of the execution space.
  calling_thread  ///< The calling thread does it, without Kokkos: two host threads must not launch at once.
};

/// Calls kernel(index) for all indices below `count`. On devices, and with HostMode::kernels, the calls are
/// enqueued on `execution` under this name; a single call on a host is made at once.
template <class Execution, class Kernel>
void for_each_index(const Execution& execution, [[maybe_unused]] HostMode mode, const char* name,
                    std::int64_t count, const Kernel& kernel) {
  using Policy =
      Kokkos::RangePolicy<Execution, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<std::int64_t>>;
  if constexpr (std::is_same_v<Execution, HostExecutionSpace>) {
    if (mode == HostMode::calling_thread || count == 1) {
      for (std::int64_t index = 0; index < count; ++index) kernel(index);
      return;
    }
  }
  Kokkos::parallel_for(name, Policy(execution, 0, count), kernel);
}

}  // namespace tessera
