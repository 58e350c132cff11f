// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/view/compat.hpp"

namespace tessera::detail {

/// Calls row(kernel, r) for all r of [0, rows) on the threads of `execution`, and returns when all calls have
/// ended. This function is only for builds whose kernels run on hosts. The type of the kernel is erased, so
/// that the compiler need not instantiate Kokkos::parallel_for for each stage. This saves a third of the time
/// to compile a stage. In builds for hosts, only tests launch the kernels of stages.
void launch_rows(const ExecutionSpace& execution, std::int64_t rows, const void* kernel,
                 void (*row)(const void* kernel, std::int64_t row));

/// Calls kernel(r) for all r of [0, rows) on the threads of `execution`, and returns when all calls have
/// ended. This function is only for builds whose kernels run on hosts.
template <class Kernel>
void launch_rows(const ExecutionSpace& execution, std::int64_t rows, const Kernel& kernel) {
  launch_rows(execution, rows, &kernel,
              [](const void* erased, std::int64_t row) { (*static_cast<const Kernel*>(erased))(row); });
}

}  // namespace tessera::detail
