// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/inference/inference.hpp"

#include <vector>

#include "tessera/domain/error.hpp"

namespace tessera {

namespace detail {

Interval<Coordinate> coordinate_over(const Range& range, int dimension, bool traced, Decisions& decisions) {
  const Interval<Coordinate> coordinate(range.begin, range.end - 1, &decisions);
  return traced ? coordinate.traced(Provenance::of(dimension, 1, 1, 0, 0)) : coordinate;
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

}  // namespace tessera
