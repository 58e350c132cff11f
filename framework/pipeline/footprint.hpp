// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <utility>

#include "tessera/domain/box.hpp"
#include "tessera/domain/error.hpp"
#include "tessera/pipeline/recording_accessor.hpp"

namespace tessera {

/// The type of one input of a stage: an N-dimensional array of T.
template <class T, int N>
struct ArrayType {
  using Value = T;
  static constexpr int dimensions = N;
};

namespace detail {

template <class Body, class... Inputs, std::size_t... Input, std::size_t... Dimension>
void run_on_intervals(const Body& body, const Box& box, std::array<AccessRecord, sizeof...(Inputs)>& records,
                      Decisions& decisions, std::index_sequence<Input...>,
                      std::index_sequence<Dimension...>) {
  static_cast<void>(
      body(RecordingAccessor<typename Inputs::Value, Inputs::dimensions>(records[Input], decisions)...,
           Interval<Coordinate>(box[Dimension].begin, box[Dimension].end - 1, &decisions)...));
}

}  // namespace detail

/// The boxes of the inputs that `body` may read while it computes `box`, an N-dimensional box that is not
/// empty: the body itself runs once per path with interval coordinates (as Halide's bounds inference, from
/// the same code that executes). An input that is never read gets an empty box. Throws InternalError when the
/// body has more than 256 undecided paths. Costs about a microsecond.
template <int N, class... Inputs, class Body>
std::array<Box, sizeof...(Inputs)> infer_footprint(const Body& body, const Box& box) {
  std::array<AccessRecord, sizeof...(Inputs)> records;
  Decisions decisions;
  int paths = 0;
  do {
    detail::run_on_intervals<Body, Inputs...>(
        body, box, records, decisions, std::index_sequence_for<Inputs...>{}, std::make_index_sequence<N>{});
    if (decisions.overflow || ++paths > Decisions::maximum_paths)
      throw InternalError(
          "the stage body has more than 256 undecided paths: use select, min or max for its branches");
  } while (decisions.advance());
  std::array<Box, sizeof...(Inputs)> required;
  constexpr int dimensions[] = {Inputs::dimensions...};
  for (std::size_t i = 0; i < sizeof...(Inputs); ++i) {
    required[i].dimensions = dimensions[i];
    for (int d = 0; d < dimensions[i]; ++d)
      required[i][d] = {records[i].lowest[d], records[i].highest[d] + 1};
  }
  return required;
}

}  // namespace tessera
