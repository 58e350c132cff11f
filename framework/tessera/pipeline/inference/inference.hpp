// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <utility>

#include "tessera/domain/box.hpp"
#include "tessera/domain/error.hpp"
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

/// One IndexForms for each dimension of each input of a stage.
template <std::size_t Inputs>
using InputForms = std::array<std::array<IndexForms, max_dimensions>, Inputs>;

namespace detail {

/// Returns the coordinate of `dimension` as the interval of all points of `range`. If `traced` is true, the
/// coordinate has an affine provenance (see Provenance), else the provenance `varying`. `traced` may be true
/// only if `range` is [-Provenance::limit, Provenance::limit).
inline Interval<Coordinate> coordinate_over(const Range& range, int dimension, bool traced,
                                            Decisions& decisions) {
  const Interval<Coordinate> coordinate(range.begin, range.end - 1, &decisions);
  return traced ? coordinate.traced(Provenance::of(dimension, 1, 1, 0, 0)) : coordinate;
}

/// Runs the body once. Each input is a RecordingAccessor, and each coordinate is the interval of the points
/// of `box` along its dimension. `traced` says whether the coordinates have a provenance (see
/// coordinate_over).
template <class Body, class... Inputs, std::size_t... Input, std::size_t... Dimension>
void run_on_intervals(const Body& body, const Box& box, bool traced,
                      std::array<AccessRecord, sizeof...(Inputs)>& records, Decisions& decisions,
                      std::index_sequence<Input...>, std::index_sequence<Dimension...>) {
  static_cast<void>(
      body(RecordingAccessor<typename Inputs::Value, Inputs::dimensions>(records[Input], decisions)...,
           coordinate_over(box[Dimension], static_cast<int>(Dimension), traced, decisions)...));
}

}  // namespace detail

/// Returns the box of each input that `body` may read while it computes `box`, an N-dimensional box that is
/// not empty. The code that computes the stage is run with intervals as coordinates, as in Halide's bounds
/// inference (J. Ragan-Kelley et al., PLDI 2013). The code runs once for every path: a combination of ways
/// through the undecided branches (see Decisions). An input that is never read gets an empty box. Throws
/// InternalError if the body has more than Decisions::maximum_paths paths, or too many undecided branches on
/// one path. One run takes about a microsecond.
template <int N, class... Inputs, class Body>
std::array<Box, sizeof...(Inputs)> infer_footprint(const Body& body, const Box& box) {
  std::array<AccessRecord, sizeof...(Inputs)> records;
  Decisions decisions;
  int paths = 0;
  do {
    detail::run_on_intervals<Body, Inputs...>(body, box, false, records, decisions,
                                              std::index_sequence_for<Inputs...>{},
                                              std::make_index_sequence<N>{});
    if (decisions.overflow || ++paths > Decisions::maximum_paths)
      throw InternalError(
          "the stage body has more than 256 undecided paths: use select, min or max for its branches");
  } while (decisions.advance());
  std::array<Box, sizeof...(Inputs)> required;
  constexpr std::array<int, sizeof...(Inputs)> dimensions{Inputs::dimensions...};
  for (std::size_t i = 0; i < sizeof...(Inputs); ++i) {
    required[i].dimensions = dimensions[i];
    for (int d = 0; d < dimensions[i]; ++d)
      required[i][d] = {records[i].lowest[d], records[i].highest[d] + 1};
  }
  return required;
}

/// Finds the closed form of the footprint of `body`. It runs `body` on the box [-Provenance::limit,
/// Provenance::limit) in all N dimensions, and stores the forms of the indices in `forms`. Returns whether
/// these forms describe everything that `body` reads, on each box within this one. They do not if an index is
/// neither affine nor constant, if `body` compares something that depends on the box, if a number overflows,
/// or if there are too many forms, undecided branches or paths.
template <int N, class... Inputs, class Body>
bool infer_forms(const Body& body, InputForms<sizeof...(Inputs)>& forms) {
  Box largest;
  largest.dimensions = N;
  for (int d = 0; d < N; ++d) largest[d] = {-Provenance::limit, Provenance::limit};
  std::array<AccessRecord, sizeof...(Inputs)> records;
  for (std::size_t i = 0; i < sizeof...(Inputs); ++i) records[i].forms = forms[i].data();
  Decisions decisions;
  int paths = 0;
  do {
    detail::run_on_intervals<Body, Inputs...>(body, largest, true, records, decisions,
                                              std::index_sequence_for<Inputs...>{},
                                              std::make_index_sequence<N>{});
    if (decisions.depends_on_box || decisions.overflow || ++paths > Decisions::maximum_paths) return false;
  } while (decisions.advance());
  for (const auto& input : forms)
    for (const IndexForms& index : input)
      if (!index.are_complete()) return false;
  return true;
}

}  // namespace tessera
