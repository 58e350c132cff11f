// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/domain/coordinate.hpp"
#include "tessera/view/accessor.hpp"

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

/// To whom the accesses of one stage are reported (builds with TESSERA_CHECKS).
struct AccessMonitor {
  AccessViolations* violations;
  int stage;
};

/// An Accessor that reports accesses outside `footprint` and answers them with zero. Hosts only.
template <class T, int N>
class CheckedAccessor {
 public:
  using Value = T;

  CheckedAccessor(const Accessor<const T, N>& accessor, const Box& footprint, int input,
                  AccessMonitor monitor)
      : accessor_(accessor), footprint_(&footprint), input_(input), monitor_(monitor) {}

  template <class... Indices>
  requires(sizeof...(Indices) == N) T operator()(Indices... indices) const {
    const int point[] = {Coordinate(indices).value...};
    for (int d = 0; d < N; ++d)
      if (!(*footprint_)[d].contains(point[d])) return report(point, d);
    return accessor_(indices...);
  }

  T zero() const { return {}; }

 private:
  T report(const int* point, int d) const {
    AccessViolation violation{monitor_.stage, input_, d, {}, *footprint_};
    for (int e = 0; e < N; ++e) violation.point[e] = point[e];
    monitor_.violations->report(violation);
    return zero();
  }

  Accessor<const T, N> accessor_;
  const Box* footprint_;
  int input_;
  AccessMonitor monitor_;
};

}  // namespace tessera
