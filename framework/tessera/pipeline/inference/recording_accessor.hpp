// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/inference/complex_interval.hpp"
#include "tessera/pipeline/inference/index_forms.hpp"

namespace tessera {

/// The indices at which a body reads one input, gathered over all paths of the body (see Decisions).
struct AccessRecord {
  /// The lowest index that was read in each dimension. It is greater than `highest` if nothing was read.
  std::int64_t lowest[max_dimensions];
  /// The highest index that was read in each dimension.
  std::int64_t highest[max_dimensions];
  /// Points to one IndexForms for each dimension, which gathers the forms of the indices. Null if the forms
  /// are not needed.
  IndexForms* forms = nullptr;

  /// Makes a record without any access.
  KOKKOS_FUNCTION AccessRecord() {
    for (int d = 0; d < max_dimensions; ++d) {
      lowest[d] = BoundOf<Coordinate>::highest();
      highest[d] = BoundOf<Coordinate>::lowest();
    }
  }
  /// Adds an index, or an interval of indices, at which the input was read in dimension `d`.
  KOKKOS_FUNCTION void include(int d, const Interval<Coordinate>& index) {
    lowest[d] = detail::lesser(lowest[d], index.lower);
    highest[d] = detail::greater(highest[d], index.upper);
    if (forms) forms[d].include(index);
  }
};

/// The accessor through which a stage body reads an N-dimensional input of T while its footprint is inferred.
/// The accessor records the indices, which are intervals. Each read returns the interval of all values of T.
template <class T, int N>
class RecordingAccessor {
 public:
  /// The type of a point.
  using Value = T;

  /// Makes an accessor that adds indices to `record`. If a branch of the body depends on a value that the
  /// accessor returns, and is undecided, `decisions` says which way the body takes (see Decisions). `record`
  /// and `decisions` must outlive the accessor.
  KOKKOS_FUNCTION RecordingAccessor(AccessRecord& record, Decisions& decisions)
      : record_(&record), decisions_(&decisions) {}

  /// Records a read at N indices, each of which is a number or an interval. Returns the interval of all
  /// values of T.
  template <class... Indices>
  requires(sizeof...(Indices) == N) KOKKOS_FUNCTION IntervalOf<T>
  operator()(const Indices&... indices) const {
    int d = 0;
    (record_->include(d++, to_interval<Coordinate>(indices)), ...);
    return IntervalOf<T>::whole(decisions_).traced({Provenance::constant});
  }

  /// Returns the number 0 with which a sum of values starts. The number refers to `decisions`, because a body
  /// may compare the sum before it has added a value to it.
  KOKKOS_FUNCTION IntervalOf<T> zero() const {
    return IntervalOf<T>(0, 0, decisions_).traced({Provenance::constant});
  }

 private:
  AccessRecord* record_;
  Decisions* decisions_;
};

}  // namespace tessera
