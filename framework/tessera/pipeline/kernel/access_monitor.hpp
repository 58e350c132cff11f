// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "tessera/domain/box.hpp"

namespace tessera {

/// An access of a stage body outside the footprint of the box that it was computing.
struct AccessViolation {
  /// The id of the stage.
  int stage = 0;
  /// The number of the input among the stage's inputs, from 0.
  int input = 0;
  /// The first dimension in which the point lies outside.
  int dimension = 0;
  /// The point that was read; the dimensions that the input does not have are 0.
  std::int64_t point[max_dimensions] = {};
  /// The footprint of this input.
  Box footprint;
};

/// Keeps the first violation that any thread reports.
class AccessViolations {
 public:
  /// Keeps the violation unless another one was reported before. Threads may call it at the same time.
  void report(const AccessViolation& violation) {
    if (claimed_.exchange(true)) return;
    first_ = violation;
    complete_.store(true, std::memory_order_release);
  }
  /// The violation that was reported first, or null. It may be called only when no thread is computing.
  const AccessViolation* first() const {
    return complete_.load(std::memory_order_acquire) ? &first_ : nullptr;
  }

 private:
  std::atomic<bool> claimed_ = false;
  std::atomic<bool> complete_ = false;
  AccessViolation first_;
};

/// Reports the accesses of one stage to one of its inputs that lie outside the footprint (builds with
/// TESSERA_CHECKS). Such an access reads 0. Hosts only.
struct AccessMonitor {
  /// The object to which violations are reported.
  AccessViolations* violations;
  /// The id of the stage.
  int stage;
  /// The number of the input among the stage's inputs.
  int input = 0;

  /// Reports a read of `point` that leaves `footprint` in `dimension`, and returns 0 in place of the point.
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
