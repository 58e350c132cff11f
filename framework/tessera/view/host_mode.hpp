// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/view/compat.hpp"

namespace tessera {

/// The threads of a host that do some work. On devices the mode has no effect, because kernels do all work.
/// `calling_thread` is for work that several host threads do at the same time, because Kokkos kernels must
/// not be launched by several threads at the same time.
enum class HostMode : std::uint8_t {
  kernels,        ///< Kokkos kernels do the work, on the threads of the execution space.
  calling_thread  ///< The calling thread does the work, without Kokkos.
};

/// Calls kernel(index) for all indices in [0, count). If `Execution` is HostExecutionSpace, and if `mode` is
/// HostMode::calling_thread or `count` is 1, the calling thread makes the calls at once. Otherwise the calls
/// are enqueued on `execution`, as a Kokkos kernel with the name `name`.
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
