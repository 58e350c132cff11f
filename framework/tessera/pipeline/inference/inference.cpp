// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/inference/inference.hpp"

#include <fmt/format.h>

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

void infer_footprint(const BodyOnIntervals& body, const Box& box, Box* required) {
  std::vector<AccessRecord> records(body.input_dimensions.size());
  Decisions decisions;
  int paths = 0;
  do {
    body.run(body.body, box, false, records.data(), decisions);
    if (decisions.overflow || ++paths > Decisions::maximum_paths)
      throw InternalError(
          "the stage body has more than 256 undecided paths: use select, min or max for its branches");
  } while (decisions.advance());
  for (std::size_t i = 0; i < records.size(); ++i) {
    required[i].dimensions = body.input_dimensions[i];
    for (int d = 0; d < required[i].dimensions; ++d)
      required[i][d] = {records[i].lowest[d], records[i].highest[d] + 1};
  }
}

bool infer_forms(const BodyOnIntervals& body, InputForms* forms) {
  Box largest;
  largest.dimensions = body.dimensions;
  for (int d = 0; d < body.dimensions; ++d) largest[d] = {-Provenance::limit, Provenance::limit};
  const std::size_t inputs = body.input_dimensions.size();
  std::vector<AccessRecord> records(inputs);
  for (std::size_t i = 0; i < inputs; ++i) records[i].forms = forms[i].data();
  Decisions decisions;
  int paths = 0;
  do {
    body.run(body.body, largest, true, records.data(), decisions);
    if (decisions.depends_on_box || decisions.overflow || ++paths > Decisions::maximum_paths) return false;
  } while (decisions.advance());
  for (std::size_t i = 0; i < inputs; ++i)
    for (const IndexForms& index : forms[i])
      if (!index.are_complete()) return false;
  return true;
}

namespace {

bool is_within_limit(const Box& box) {
  for (int d = 0; d < box.dimensions; ++d)
    if (box[d].begin < -Provenance::limit || box[d].end > Provenance::limit) return false;
  return true;
}

}  // namespace

ClosedForm::ClosedForm(const BodyOnIntervals& body)
    : forms_(body.input_dimensions.size()), exists_(infer_forms(body, forms_.data())) {}

void ClosedForm::required(const BodyOnIntervals& body, const Box& box, Box* needs) const {
  if (!exists_ || !is_within_limit(box)) return infer_footprint(body, box, needs);
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
