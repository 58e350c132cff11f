// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/kernel/row_traversal.hpp"

#include "tessera/domain/error.hpp"

namespace tessera::detail {
namespace {

struct ErasedRow {
  const void* kernel;
  void (*row)(const void* kernel, std::int64_t row);
  void operator()(std::int64_t r) const { row(kernel, r); }
};

}  // namespace

void launch_rows(const ExecutionSpace& execution, std::int64_t rows, const void* kernel,
                 void (*row)(const void* kernel, std::int64_t row)) {
  if constexpr (runs_on_host) {
    using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for("tessera: stage", Policy(execution, 0, rows), ErasedRow{kernel, row});
    execution.fence();
  } else {
    throw InternalError("launch_rows was called in a build whose kernels run on a device");
  }
}

}  // namespace tessera::detail
