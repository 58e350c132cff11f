// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/inference/index_forms.hpp"
#include "tessera/pipeline/inference/interval_arithmetic.hpp"

namespace tessera {

/// Everything one input was read at, gathered over all paths of a body. The range of each dimension is
/// inclusive.
struct AccessRecord {
  std::int64_t lowest[max_dimensions];
  std::int64_t highest[max_dimensions];
  /// Where the forms of the indices are gathered, one per dimension; null where nobody asks for them.
  IndexForms* forms = nullptr;

  KOKKOS_FUNCTION AccessRecord() {
    for (int d = 0; d < max_dimensions; ++d) {
      lowest[d] = BoundOf<Coordinate>::highest();
      highest[d] = BoundOf<Coordinate>::lowest();
    }
  }
  KOKKOS_FUNCTION void include(int d, const Interval<Coordinate>& index) {
    lowest[d] = detail::lesser(lowest[d], index.lower);
    highest[d] = detail::greater(highest[d], index.upper);
    if (forms) forms[d].include(index);
  }
};

/// What a stage body reads through while its footprint is inferred: indices are intervals and are recorded,
/// values are anything their type can hold.
template <class T, int N>
class RecordingAccessor {
 public:
  using Value = T;

  KOKKOS_FUNCTION RecordingAccessor(AccessRecord& record, Decisions& decisions)
      : record_(&record), decisions_(&decisions) {}

  template <class... Indices>
  requires(sizeof...(Indices) == N) KOKKOS_FUNCTION Interval<T>
  operator()(const Indices&... indices) const {
    int d = 0;
    (record_->include(d++, to_interval<Coordinate>(indices)), ...);
    return Interval<T>::whole(decisions_).traced({Provenance::constant});
  }

  /// Knows the tape: a sum may be compared before it meets a value.
  KOKKOS_FUNCTION Interval<T> zero() const {
    return Interval<T>(0, 0, decisions_).traced({Provenance::constant});
  }

 private:
  AccessRecord* record_;
  Decisions* decisions_;
};

}  // namespace tessera
