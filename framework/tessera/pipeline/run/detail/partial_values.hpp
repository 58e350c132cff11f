// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/pipeline/kernel/reduction_stage.hpp"

namespace tessera {

/// One rank's partial values of a global reduction: one per thread of a host, or per share of a device.
class PartialValues {
 public:
  /// `overlaps`: of a reduction that is under way while the next contributions come.
  PartialValues(const ReductionKernel& kernel, int threads, bool device, bool overlaps);

  /// Before the first contribution.
  void clear();
  /// After `clear`: the first contribution is what contributions elsewhere were joined to.
  void begin_with(const std::byte* value);
  /// Where thread t adds its points: t * stride() bytes further on (hosts); where a kernel writes its shares
  /// (devices).
  std::byte* data() { return device_ ? shares_.data() : values_.data(); }
  std::int64_t stride() const { return stride_; }

  /// After every kernel: takes in the shares that it wrote. Waits for it.
  void collect(const ExecutionSpace& execution);
  /// Joins all contributions; the result stays valid until `clear`.
  std::byte* join();
  /// What `join` returned.
  std::byte* total() { return values_.data(); }

  /// Overlapping: joins all contributions and makes room for the next. The result stays valid, as
  /// `under_way`, until it is called again.
  std::byte* take();
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
