// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/inference/complex_interval.hpp"
#include "tessera/pipeline/inference/interval.hpp"

namespace tessera {

/// The indices that a body reads in one dimension of an input, as a function of the box that the body
/// computes. The function is the hull of a few forms, which are affine or constant (see Provenance).
class IndexForms {
 public:
  /// The greatest number of forms.
  static constexpr int capacity = 4;

  /// Adds an index that the body reads. If there is already a form that is parallel to the form of the index
  /// (see Provenance::is_parallel_to), that form is widened to include the index. Otherwise the form of the
  /// index is added. If the provenance of the index is `varying`, or there are already `capacity` forms, the
  /// index is not added, and the forms are no longer complete.
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

/// The indices that a body reads of one input, gathered over all paths of the body (see Decisions).
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
  /// Adds an index, or an interval of indices, that was read in dimension `d`.
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

  /// Records a read at N indices, which are numbers or intervals. Returns the interval of all values of T.
  template <class... Indices>
  requires(sizeof...(Indices) == N)
  KOKKOS_FUNCTION IntervalOf<T> operator()(const Indices&... indices) const {
    int d = 0;
    (record_->include(d++, to_interval<Coordinate>(indices)), ...);
    return IntervalOf<T>::whole(decisions_).traced({Provenance::constant});
  }

  /// Returns the number 0, with which a sum of values starts. The number refers to `decisions`, because a
  /// body may compare the sum before it has added a value to it.
  KOKKOS_FUNCTION IntervalOf<T> zero() const {
    return IntervalOf<T>(0, 0, decisions_).traced({Provenance::constant});
  }

 private:
  AccessRecord* record_;
  Decisions* decisions_;
};

/// The type of one input of a stage: an N-dimensional array of T.
template <class T, int N>
struct ArrayType {
  /// The type of a point.
  using Value = T;
  /// The number of dimensions.
  static constexpr int dimensions = N;
};

/// The forms of the indices that a body reads of one input: one IndexForms for each dimension.
using InputForms = std::array<IndexForms, max_dimensions>;

/// A stage body, in a form that does not depend on its type. Inference is compiled only once with it, and not
/// for each stage. It does not own the body.
struct BodyOnIntervals {
  /// The body.
  const void* body;
  /// Runs the body once. Each input is a RecordingAccessor on one of `records`, and each coordinate is the
  /// interval of the points of `box` along its dimension (see coordinate_over).
  void (*run)(const void* body, const Box& box, bool traced, AccessRecord* records, Decisions& decisions);
  /// The number of coordinates that the body takes.
  int dimensions;
  /// The number of dimensions of each input.
  std::span<const int> input_dimensions;
};

namespace detail {

/// Returns the coordinate of `dimension` as the interval of all points of `range`. If `traced` is true, the
/// coordinate has an affine provenance (see Provenance), else the provenance `varying`. `traced` may be true
/// only if `range` is [-Provenance::limit, Provenance::limit).
Interval<Coordinate> coordinate_over(const Range& range, int dimension, bool traced, Decisions& decisions);

}  // namespace detail

/// Returns `body`, which takes N coordinates and inputs of the types `Inputs`, for inference.
template <int N, class... Inputs, class Body>
BodyOnIntervals on_intervals(const Body& body) {
  static constexpr std::array<int, sizeof...(Inputs)> dimensions{Inputs::dimensions...};
  const auto run = [](const void* erased, const Box& box, bool traced, AccessRecord* records,
                      Decisions& decisions) {
    const auto call = [&]<std::size_t... I, std::size_t... D>(std::index_sequence<I...>,
                                                              std::index_sequence<D...>) {
      static_cast<void>((*static_cast<const Body*>(erased))(
          RecordingAccessor<typename Inputs::Value, Inputs::dimensions>(records[I], decisions)...,
          detail::coordinate_over(box[D], static_cast<int>(D), traced, decisions)...));
    };
    call(std::index_sequence_for<Inputs...>{}, std::make_index_sequence<N>{});
  };
  return {&body, run, N, dimensions};
}

/// Writes to `required` the box of each input that `body` may read while it computes `box`, which must not be
/// empty. `required` has room for one box for each input. The code that computes the stage is run with
/// intervals as coordinates, as in Halide's bounds inference (J. Ragan-Kelley et al., PLDI 2013). The code
/// runs once for every path: a combination of ways through the undecided branches (see Decisions). An input
/// that is never read gets an empty box. Throws InternalError if the body has more than
/// Decisions::maximum_paths paths, or too many undecided branches on one path. One run takes about a
/// microsecond.
void infer_footprint(const BodyOnIntervals& body, const Box& box, Box* required);

/// Returns the box of each input that `body` may read while it computes `box` (see the function above).
template <int N, class... Inputs, class Body>
std::array<Box, sizeof...(Inputs)> infer_footprint(const Body& body, const Box& box) {
  std::array<Box, sizeof...(Inputs)> required;
  infer_footprint(on_intervals<N, Inputs...>(body), box, required.data());
  return required;
}

}  // namespace tessera
