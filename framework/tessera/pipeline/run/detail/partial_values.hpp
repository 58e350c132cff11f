// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/kernel/reduction_stage.hpp"

namespace tessera {

/// The partial values of a global reduction on one rank: one for each thread of a host, or for each share of
/// a device.
class PartialValues {
 public:
  /// Allocates the partial values. `overlaps` says whether the reduction is under way while the next
  /// contributions are made.
  PartialValues(const ReductionKernel& kernel, int threads, bool device, bool overlaps);

  /// Forgets all contributions. Must be called before the first one.
  void clear();
  /// Takes as the first contribution a value to which contributions of an earlier plan were joined. Must be
  /// called after clear().
  void begin_with(const std::byte* value);
  /// The memory for contributions. On hosts thread t adds its points to the value at t * stride() bytes; on
  /// devices kernels write their shares here.
  std::byte* data() { return device_ ? shares_.data() : values_.data(); }
  /// The bytes from the value of one thread to that of the next.
  std::int64_t stride() const { return stride_; }

  /// Devices: waits for a kernel and joins the shares that it wrote. Must be called after every kernel.
  void collect(const ExecutionSpace& execution);
  /// Joins all contributions. The result stays valid until clear() is called.
  std::byte* join();
  /// The value that join() returned.
  std::byte* total() { return values_.data(); }

  /// For reductions that overlap: joins all contributions and makes room for the next ones. The result stays
  /// valid, and is returned by under_way(), until take() is called again.
  std::byte* take();
  /// The value that take() returned.
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
  decltype(Kokkos::create_mirror_view(
      std::declval<const Kokkos::View<std::byte*, MemorySpace>&>())) host_shares_;
};

}  // namespace tessera
