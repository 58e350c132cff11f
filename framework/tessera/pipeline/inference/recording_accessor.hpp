// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/inference/index_forms.hpp"
#include "tessera/pipeline/inference/interval_arithmetic.hpp"

namespace tessera {

/// The indices at which one input was read, gathered over all paths of a body.
struct AccessRecord {
  /// The lowest index read, by dimension; above `highest` when nothing was read.
  std::int64_t lowest[max_dimensions];
  /// The highest index read, by dimension.
  std::int64_t highest[max_dimensions];
  /// One IndexForms per dimension, in which the forms of the indices are gathered; null when they are not
  /// needed.
  IndexForms* forms = nullptr;

  /// A record of no access.
  KOKKOS_FUNCTION AccessRecord() {
    for (int d = 0; d < max_dimensions; ++d) {
      lowest[d] = BoundOf<Coordinate>::highest();
      highest[d] = BoundOf<Coordinate>::lowest();
    }
  }
  /// Adds an index, or interval of indices, at which dimension `d` was read.
  KOKKOS_FUNCTION void include(int d, const Interval<Coordinate>& index) {
    lowest[d] = detail::lesser(lowest[d], index.lower);
    highest[d] = detail::greater(highest[d], index.upper);
    if (forms) forms[d].include(index);
  }
};

/// The accessor through which a stage body reads an N-dimensional input of T while its footprint is inferred.
/// It records the indices, which are intervals; the values that it returns may be anything that their type
/// can hold.
template <class T, int N>
class RecordingAccessor {
 public:
  /// The type of a point.
  using Value = T;

  /// An accessor that records into `record`; undecided conditions that follow from its values use the tape
  /// `decisions`. Both must outlive it.
  KOKKOS_FUNCTION RecordingAccessor(AccessRecord& record, Decisions& decisions)
      : record_(&record), decisions_(&decisions) {}

  /// Records a read at N indices, numbers or intervals, and returns the interval of all values of T.
  template <class... Indices>
  requires(sizeof...(Indices) == N) KOKKOS_FUNCTION Interval<T>
  operator()(const Indices&... indices) const {
    int d = 0;
    (record_->include(d++, to_interval<Coordinate>(indices)), ...);
    return Interval<T>::whole(decisions_).traced({Provenance::constant});
  }

  /// The number 0, as the start of a sum. It carries the tape, because a sum may be compared before a value
  /// was added to it.
  KOKKOS_FUNCTION Interval<T> zero() const {
    return Interval<T>(0, 0, decisions_).traced({Provenance::constant});
  }

 private:
  AccessRecord* record_;
  Decisions* decisions_;
};

}  // namespace tessera
