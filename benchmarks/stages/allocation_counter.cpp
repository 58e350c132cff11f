// SPDX-License-Identifier: BSD-3-Clause
#include "stages/allocation_counter.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>

namespace bench {
namespace {

/// Kokkos' callbacks take no argument of ours. Arrays are allocated by one thread.
std::int64_t current_bytes = 0;
std::int64_t peak_bytes = 0;

void allocated(Kokkos::Tools::SpaceHandle, const char*, const void*, std::uint64_t bytes) {
  current_bytes += static_cast<std::int64_t>(bytes);
  peak_bytes = std::max(peak_bytes, current_bytes);
}

void deallocated(Kokkos::Tools::SpaceHandle, const char*, const void*, std::uint64_t bytes) {
  current_bytes -= static_cast<std::int64_t>(bytes);
}

}  // namespace

AllocationCounter::AllocationCounter() {
  current_bytes = peak_bytes = 0;
  Kokkos::Tools::Experimental::set_allocate_data_callback(allocated);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(deallocated);
}

AllocationCounter::~AllocationCounter() {
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
}

std::int64_t AllocationCounter::peak() const { return peak_bytes; }

}  // namespace bench
