// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/inference/interval.hpp"

namespace tessera {

/// The indices at which a body reads one dimension of an input, as a function of the box on which the body
/// runs. The function is the hull of a few forms, each of which is affine or constant (see Provenance).
class IndexForms {
 public:
  /// The greatest number of forms.
  static constexpr int capacity = 4;

  /// Adds an index at which the body reads. If there is already a form that is parallel to the form of the
  /// index (see Provenance::is_parallel_to), that form is widened to include the index. Otherwise the form of
  /// the index is added. If the provenance of the index is `varying`, or there are already `capacity` forms,
  /// the index is not added, and the forms are no longer complete.
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

  /// Whether the forms are complete, and there is exactly one form, which is affine in this dimension of the
  /// box.
  bool depends_only_on(int dimension) const {
    return complete_ && count_ == 1 && forms_[0].kind == Provenance::affine &&
           forms_[0].dimension == dimension;
  }

  /// Returns the range of the indices over `box`. `box` must not be empty, and must lie within
  /// [-Provenance::limit, Provenance::limit) in every dimension. If nothing was read, the range is empty: its
  /// end is less than its beginning.
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
