// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/kernel/reduction_stage.hpp"

namespace tessera {

/// The partial values of a global reduction on one rank. On hosts, there is one value for each thread, also
/// if hosts compute the reduction for a device. On devices, each kernel writes several values, called shares,
/// of which the last ones are joined by the host.
class PartialValues {
 public:
  /// Allocates the partial values. `overlaps` says whether the reduction is under way while the next
  /// contributions are made.
  PartialValues(const ReductionKernel& kernel, int threads, bool device, bool overlaps);

  /// Forgets all contributions. This function must be called before the first contribution.
  void clear();
  /// Makes `value`, which contains the contributions of an earlier plan, the first contribution. This
  /// function must be called after clear().
  void begin_with(const std::byte* value);
  /// Returns the memory for contributions. On hosts, thread t adds its points to the value that begins at the
  /// byte t * stride(). On devices, kernels write their shares to this memory.
  std::byte* data() { return device_ ? shares_.data() : values_.data(); }
  /// Returns the number of bytes from the value of one thread to the value of the next thread.
  std::int64_t stride() const { return stride_; }

  /// Waits for a kernel of a device, and joins the shares that the kernel wrote. This function must be called
  /// after every kernel of a device, and only on devices.
  void collect(const ExecutionSpace& execution);
  /// Joins all contributions and returns the result. The result stays valid until clear() is called.
  std::byte* join();
  /// Returns the value that join() returned last.
  std::byte* total() { return values_.data(); }

  /// Joins all contributions, returns the result, and makes room for the next contributions. The result stays
  /// valid until take() is called again. This function may be called only if `overlaps` was true.
  std::byte* take();
  /// Returns the value that take() returned last.
  std::byte* under_way() { return under_way_.data(); }

  const ReductionKernel& kernel() const { return kernel_; }

 private:
  const ReductionKernel& kernel_;
  bool device_;
  std::int64_t count_;
  std::int64_t stride_;
  Kokkos::View<std::byte*, Kokkos::HostSpace> values_;
  Kokkos::View<std::byte*, Kokkos::HostSpace> under_way_;
  Kokkos::View<std::byte*, MemorySpace> shares_;
  /// The shares that a kernel has left, on the host.
  Kokkos::View<std::byte*, compat::HostPinnedSpace> joined_shares_;
};

}  // namespace tessera
