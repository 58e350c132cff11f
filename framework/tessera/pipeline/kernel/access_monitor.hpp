// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "tessera/domain/box.hpp"

namespace tessera {

/// An access of a stage body outside the footprint of the box it was computing.
struct AccessViolation {
  int stage = 0;
  /// Which of the stage's inputs.
  int input = 0;
  int dimension = 0;
  std::int64_t point[max_dimensions] = {};
  Box footprint;
};

/// Keeps the first violation that any thread reports.
class AccessViolations {
 public:
  void report(const AccessViolation& violation) {
    if (claimed_.exchange(true)) return;
    first_ = violation;
    complete_.store(true, std::memory_order_release);
  }
  /// The first one, or null. Ask only when no thread is computing.
  const AccessViolation* first() const {
    return complete_.load(std::memory_order_acquire) ? &first_ : nullptr;
  }

 private:
  std::atomic<bool> claimed_ = false;
  std::atomic<bool> complete_ = false;
  AccessViolation first_;
};

/// To whom the accesses of one stage to one of its inputs are reported (builds with TESSERA_CHECKS); they
/// are answered with zero. Hosts only.
struct AccessMonitor {
  AccessViolations* violations;
  int stage;
  int input = 0;

  template <class T>
  T& outside(const Box& footprint, const int* point, int dimension) const {
    AccessViolation violation{stage, input, dimension, {}, footprint};
    for (int d = 0; d < footprint.dimensions; ++d) violation.point[d] = point[d];
    violations->report(violation);
    static T zero{};
    return zero;
  }
};

}  // namespace tessera
