// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/run/detail/partial_values.hpp"

#include <cstring>

#include "tessera/view/block_layout.hpp"

namespace tessera {

PartialValues::PartialValues(const ReductionKernel& kernel, int threads, bool device, bool overlaps)
    : kernel_(kernel),
      device_(device && !kernel.needs_host()),
      count_(device_ ? 1 : threads),
      stride_(aligned_bytes(kernel.value_bytes())),
      values_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: partial values"),
              static_cast<std::size_t>(count_ * stride_)) {
  if (device_) {
    shares_ = decltype(shares_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: partial values"),
                                static_cast<std::size_t>(kernel.device_shares() * kernel.value_bytes()));
    joined_shares_ =
        decltype(joined_shares_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: partial values"),
                                 static_cast<std::size_t>(kernel.joined_shares() * kernel.value_bytes()));
  }
  if (overlaps)
    under_way_ =
        decltype(under_way_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera: partial values"),
                             static_cast<std::size_t>(stride_));
  clear();
}

std::byte* PartialValues::take() {
  std::memcpy(under_way_.data(), join(), static_cast<std::size_t>(kernel_.value_bytes()));
  clear();
  return under_way_.data();
}

void PartialValues::clear() {
  for (std::int64_t k = 0; k < count_; ++k) kernel_.init(values_.data() + k * stride_);
}

void PartialValues::begin_with(const std::byte* value) {
  std::memcpy(values_.data(), value, static_cast<std::size_t>(kernel_.value_bytes()));
}

void PartialValues::collect(const ExecutionSpace& execution) {
  compat::copy_bytes(execution, joined_shares_.data(), shares_.data(), joined_shares_.size());
  compat::fence(execution);
  for (int k = 0; k < kernel_.joined_shares(); ++k)
    kernel_.join(values_.data(), joined_shares_.data() + k * kernel_.value_bytes());
}

std::byte* PartialValues::join() {
  for (std::int64_t k = 1; k < count_; ++k) kernel_.join(values_.data(), values_.data() + k * stride_);
  return values_.data();
}

}  // namespace tessera
