// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/view/compat.hpp"

namespace tessera::detail {

/// Hosts: calls row(kernel, r) for all r of [0, rows) on the threads of `execution`, and returns when all
/// have ended. The kernel's type is erased, so that no stage needs a Kokkos kernel of its own on hosts, which
/// only tests launch: that is a third of the time to compile a stage.
void launch_rows(const ExecutionSpace& execution, std::int64_t rows, const void* kernel,
                 void (*row)(const void* kernel, std::int64_t row));

/// The same for a kernel whose call operator takes the number of a row.
template <class Kernel>
void launch_rows(const ExecutionSpace& execution, std::int64_t rows, const Kernel& kernel) {
  launch_rows(execution, rows, &kernel,
              [](const void* erased, std::int64_t row) { (*static_cast<const Kernel*>(erased))(row); });
}

}  // namespace tessera::detail
