// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/pipeline/inference/footprint.hpp"

#include <fmt/format.h>

#include "tessera/domain/error.hpp"

namespace tessera::detail {

void refuse_declared_footprint(int input, int declared, int expected) {
  throw InternalError(
      fmt::format("the stage body declares a footprint of {} dimensions for input {}, which has {}", declared,
                  input, expected));
}

}  // namespace tessera::detail

namespace tessera {
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
