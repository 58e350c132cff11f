// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/inference/inference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tessera/domain/error.hpp"
#include "tessera/pipeline/inference/footprint.hpp"

namespace tessera {

namespace detail {

Interval<Coordinate> coordinate_over(const Range& range, int dimension, bool traced, Decisions& decisions) {
  const Interval<Coordinate> coordinate(range.begin, range.end - 1, &decisions);
  return traced ? coordinate.traced(Provenance::of(dimension, 1, 1, 0, 0)) : coordinate;
}

void refuse_declared_footprint(int input, int declared, int expected) {
  throw InternalError(
      fmt::format("the stage body declares a footprint of {} dimensions for input {}, which has {}", declared,
                  input, expected));
}

}  // namespace detail

namespace {

/// Runs a body on `box` for every path through its branches, and enters what it reads in `records`. Returns
/// false if there are too many paths, or, if the run is `traced`, if the paths may be different on other
/// boxes.
bool run_all_paths(const BodyOnIntervals& body, const Box& box, bool traced, AccessRecord* records) {
  Decisions decisions;
  int paths = 0;
  do {
    body.run(body.body, box, traced, records, decisions);
    if ((traced && decisions.depends_on_box) || decisions.overflow || ++paths > Decisions::maximum_paths)
      return false;
  } while (decisions.advance());
  return true;
}

/// Returns the largest box (see Provenance).
Box largest_box(int dimensions) {
  Box largest;
  largest.dimensions = dimensions;
  for (int d = 0; d < dimensions; ++d) largest[d] = {-Provenance::limit, Provenance::limit};
  return largest;
}

}  // namespace

void infer_footprint(const BodyOnIntervals& body, const Box& box, Box* required) {
  std::vector<AccessRecord> records(body.input_dimensions.size());
  if (!run_all_paths(body, box, false, records.data()))
    throw InternalError(
        "the stage body has more than 256 undecided paths: use select, min or max for its branches");
  for (std::size_t i = 0; i < records.size(); ++i) {
    required[i].dimensions = body.input_dimensions[i];
    for (int d = 0; d < required[i].dimensions; ++d)
      required[i][d] = {records[i].lowest[d], records[i].highest[d] + 1};
  }
}

ClosedForm::ClosedForm(const BodyOnIntervals& body) : forms_(body.input_dimensions.size()) {
  std::vector<AccessRecord> records(forms_.size());
  for (std::size_t i = 0; i < forms_.size(); ++i) records[i].forms = forms_[i].data();
  exists_ = run_all_paths(body, largest_box(body.dimensions), true, records.data()) &&
            std::ranges::all_of(forms_, [](const InputForms& input) {
              return std::ranges::all_of(input, &IndexForms::are_complete);
            });
}

void ClosedForm::required(const BodyOnIntervals& body, const Box& box, Box* needs) const {
  if (!exists_ || !largest_box(box.dimensions).contains(box)) return infer_footprint(body, box, needs);
  for (std::size_t i = 0; i < forms_.size(); ++i) {
    needs[i].dimensions = body.input_dimensions[i];
    for (int d = 0; d < needs[i].dimensions; ++d) needs[i][d] = forms_[i][d].over(box);
  }
}

bool ClosedForm::swaps_rows(std::span<const int> input_dimensions) const {
  bool swaps = false;
  for (std::size_t i = 0; exists_ && i < forms_.size(); ++i) {
    if (input_dimensions[i] < 2) continue;
    if (forms_[i][0].depends_only_on(0)) return false;
    swaps = swaps || (forms_[i][0].depends_only_on(1) && forms_[i][1].depends_only_on(0));
  }
  return swaps;
}

}  // namespace tessera
