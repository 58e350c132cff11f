// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/inference/inference.hpp"

namespace tessera {

/// The closed form of the footprint of a body: a formula that gives exactly the boxes that infer_footprint
/// returns, but takes only nanoseconds. The formula holds for boxes within [-Provenance::limit,
/// Provenance::limit) in every dimension.
class ClosedForm {
 public:
  /// Makes the closed form of a body that reads nothing.
  ClosedForm() = default;
  /// Runs the body to find the closed form of its footprint.
  explicit ClosedForm(const BodyOnIntervals& body);

  /// Whether the footprint has a closed form.
  bool exists() const { return exists_; }
  /// Writes to `needs` the box of each input that `body` may read while it computes `box`, which must not be
  /// empty. The body is run if there is no closed form, or if the form does not hold for `box`. Throws
  /// InternalError if inference fails (see infer_footprint).
  void required(const BodyOnIntervals& body, const Box& box, Box* needs) const;
  /// Whether rows of an input become columns (see Footprint::swaps_rows).
  bool swaps_rows(std::span<const int> input_dimensions) const;

 private:
  std::vector<InputForms> forms_;
  bool exists_ = true;
};

}  // namespace tessera
