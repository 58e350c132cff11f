// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace bench {

/// Counts the bytes that Kokkos allocates, in all memory spaces, while it lives: one at a time.
class AllocationCounter {
 public:
  AllocationCounter();
  ~AllocationCounter();
  AllocationCounter(const AllocationCounter&) = delete;
  AllocationCounter& operator=(const AllocationCounter&) = delete;

  /// The most bytes that were allocated at one time.
  std::int64_t peak() const;
};

}  // namespace bench
