// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/inference/interval.hpp"

namespace tessera {

/// The indices at which a body reads one dimension of an input, as a function of the box that the body runs
/// on: the hull of a few affine forms and constants.
class IndexForms {
 public:
  /// The most forms that are kept.
  static constexpr int capacity = 4;

  /// Adds an index that the body reads at. It joins the form that is parallel to it, or becomes a new form;
  /// if it has no form or there is no room for one more, the forms are no longer complete.
  KOKKOS_FUNCTION void include(const Interval<Coordinate>& index) {
    Provenance form = index.provenance;
    if (form.kind == Provenance::constant) {
      form.low = static_cast<int>(index.lower);
      form.high = static_cast<int>(index.upper);
    }
    int i = 0;
    while (i < count_ && !forms_[i].is_parallel_to(form)) ++i;
    if (form.kind == Provenance::varying || i == capacity) {
      complete_ = false;
    } else if (i == count_) {
      forms_[count_++] = form;
    } else {
      forms_[i] = hull(forms_[i], form);
    }
  }

  /// Whether the forms describe all indices that were included.
  bool are_complete() const { return complete_; }

  /// Whether there is exactly one form, and it is affine in this dimension of the box.
  bool depends_only_on(int dimension) const {
    return complete_ && count_ == 1 && forms_[0].kind == Provenance::affine &&
           forms_[0].dimension == dimension;
  }

  /// The range of indices over `box`, which is not empty and lies within Provenance::limit. When nothing is
  /// read, the range ends where it begins or before, as in AccessRecord.
  Range over(const Box& box) const {
    std::int64_t lower = BoundOf<Coordinate>::highest(), upper = BoundOf<Coordinate>::lowest();
    for (int i = 0; i < count_; ++i) {
      const Range& range = box[forms_[i].dimension];
      const Provenance::Span span = forms_[i].over(range.begin, range.end - 1);
      lower = detail::lesser(lower, span.lower);
      upper = detail::greater(upper, span.upper);
    }
    return {lower, upper + 1};
  }

 private:
  Provenance forms_[capacity];
  int count_ = 0;
  bool complete_ = true;
};

}  // namespace tessera
