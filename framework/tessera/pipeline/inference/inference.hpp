// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <utility>

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/inference/recording_accessor.hpp"

namespace tessera {

/// The type of one input of a stage: an N-dimensional array of T.
template <class T, int N>
struct ArrayType {
  /// The type of a point.
  using Value = T;
  /// The number of dimensions.
  static constexpr int dimensions = N;
};

/// The forms of the indices at which a body reads one input: one IndexForms for each dimension.
using InputForms = std::array<IndexForms, max_dimensions>;

/// A stage body, in a form that does not depend on its type. Inference is thereby compiled only once, and not
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

/// See BodyOnIntervals::run.
template <class Body, class... Inputs, std::size_t... Input, std::size_t... Dimension>
void run_on_intervals(const Body& body, const Box& box, bool traced, AccessRecord* records,
                      Decisions& decisions, std::index_sequence<Input...>,
                      std::index_sequence<Dimension...>) {
  static_cast<void>(
      body(RecordingAccessor<typename Inputs::Value, Inputs::dimensions>(records[Input], decisions)...,
           coordinate_over(box[Dimension], static_cast<int>(Dimension), traced, decisions)...));
}

}  // namespace detail

/// Returns `body`, which takes N coordinates and inputs of the types `Inputs`, for inference.
template <int N, class... Inputs, class Body>
BodyOnIntervals on_intervals(const Body& body) {
  static constexpr std::array<int, sizeof...(Inputs)> dimensions{Inputs::dimensions...};
  const auto run = [](const void* erased, const Box& box, bool traced, AccessRecord* records,
                      Decisions& decisions) {
    detail::run_on_intervals<Body, Inputs...>(*static_cast<const Body*>(erased), box, traced, records,
                                              decisions, std::index_sequence_for<Inputs...>{},
                                              std::make_index_sequence<N>{});
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

/// Finds the closed form of the footprint of `body`. It runs `body` on the box [-Provenance::limit,
/// Provenance::limit) in all dimensions, and stores the forms of the indices of each input in `forms`.
/// Returns whether these forms describe everything that `body` reads, on each box within this one. They do
/// not if an index is neither affine nor constant, if `body` compares something that depends on the box, if a
/// number overflows, or if there are too many forms, undecided branches or paths.
bool infer_forms(const BodyOnIntervals& body, InputForms* forms);

}  // namespace tessera
