// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "tessera/domain/box.hpp"

namespace tessera {

/// An access of a stage body to a point of an input that lies outside the footprint of the box that is
/// computed.
struct AccessViolation {
  /// The id of the stage.
  int stage = 0;
  /// The number of the input among the stage's inputs, from 0.
  int input = 0;
  /// The first dimension in which the point lies outside.
  int dimension = 0;
  /// The point that was read. Its coordinates are 0 in dimensions that the input does not have.
  std::int64_t point[max_dimensions] = {};
  /// The footprint, which is the box of the input that the body may read.
  Box footprint;
};

/// Keeps the first violation that any thread reports.
class AccessViolations {
 public:
  /// Keeps the violation unless another one was reported before. Several threads may call this function at
  /// the same time.
  void report(const AccessViolation& violation) {
    if (claimed_.exchange(true)) return;
    first_ = violation;
    complete_.store(true, std::memory_order_release);
  }
  /// Returns the violation that was reported first, or null if there was none. This function may be called
  /// only when no thread is computing.
  const AccessViolation* first() const {
    return complete_.load(std::memory_order_acquire) ? &first_ : nullptr;
  }

 private:
  std::atomic<bool> claimed_ = false;
  std::atomic<bool> complete_ = false;
  AccessViolation first_;
};

/// Reports the accesses outside the footprint that one stage makes to one of its inputs. Such an access reads
/// 0. Accesses are reported only on hosts, in builds with TESSERA_CHECKS.
struct AccessMonitor {
  /// The object to which violations are reported.
  AccessViolations* violations;
  /// The id of the stage.
  int stage;
  /// The number of the input among the stage's inputs, from 0.
  int input = 0;

  /// Reports a read of `point`, which lies outside `footprint` in `dimension`. Returns 0 in place of the
  /// value of the point.
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
