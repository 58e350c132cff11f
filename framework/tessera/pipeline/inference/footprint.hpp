// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <concepts>

#include "tessera/pipeline/inference/inference.hpp"

namespace tessera {

/// A body that declares its footprint by a host function `footprint(input, box)`. The function returns a box
/// of input number `input`, counted from 0. While the body computes `box`, which is not empty, it reads no
/// points of this input outside the returned box. Inference never runs such a body, so its call operator may
/// use plain numbers.
template <class Body>
concept DeclaresFootprint = requires(const Body& body, int input, const Box& box) {
  { body.footprint(input, box) } -> std::convertible_to<Box>;
};

/// The footprint of a stage body, which is either declared by the body (see DeclaresFootprint) or inferred.
/// `N` is the number of coordinates that the body takes, and `Inputs` are the ArrayTypes of the inputs. To
/// infer a footprint, the constructor runs the body to find a closed form: a formula that gives exactly the
/// boxes that infer_footprint returns, but takes only nanoseconds. The formula holds for boxes within
/// [-Provenance::limit, Provenance::limit) in every dimension. For other boxes, and if there is no closed
/// form, the body is run for each box.
template <class Body, int N, class... Inputs>
class Footprint {
 public:
  /// Copies the body. Unless the body declares its footprint, the constructor looks for a closed form.
  explicit Footprint(const Body& body) : body_(body) {
    if constexpr (sizeof...(Inputs) == 0)
      closed_ = true;  // a function of coordinates reads nothing
    else if constexpr (!DeclaresFootprint<Body>)
      closed_ = infer_forms<N, Inputs...>(body_, forms_);
  }

  /// Writes to `needs` the box of each input that the body may read while it computes `box`, which must not
  /// be empty. `needs` has room for sizeof...(Inputs) boxes. Throws InternalError if inference fails (see
  /// infer_footprint), or if a declared box does not have as many dimensions as the input.
  void required([[maybe_unused]] const Box& box, [[maybe_unused]] Box* needs) const {
    if constexpr (sizeof...(Inputs) == 0) {
      return;
    } else if constexpr (DeclaresFootprint<Body>) {
      for (int i = 0; i < static_cast<int>(sizeof...(Inputs)); ++i) needs[i] = declared(i, box);
    } else if (closed_ && is_within_limit(box)) {
      for (std::size_t i = 0; i < sizeof...(Inputs); ++i) {
        needs[i].dimensions = input_dimensions[i];
        for (int d = 0; d < input_dimensions[i]; ++d) needs[i][d] = forms_[i][d].over(box);
      }
    } else {
      const auto boxes = infer_footprint<N, Inputs...>(body_, box);
      for (std::size_t i = 0; i < sizeof...(Inputs); ++i) needs[i] = boxes[i];
    }
  }

  /// Whether the body transposes, so that rows of an input become columns. This is true if, for at least one
  /// input, the first index depends only on y and the second index only on x, and if no input with two or
  /// more dimensions has a first index that depends only on x. Always `false` if the footprint has no closed
  /// form.
  bool swaps_rows() const {
    bool swaps = false;
    if constexpr (sizeof...(Inputs) > 0) {
      for (std::size_t i = 0; closed_ && i < sizeof...(Inputs); ++i) {
        if (input_dimensions[i] < 2) continue;
        if (forms_[i][0].depends_only_on(0)) return false;
        swaps = swaps || (forms_[i][0].depends_only_on(1) && forms_[i][1].depends_only_on(0));
      }
    }
    return swaps;
  }

  /// Whether the footprint has a closed form. If it has, `required` runs the body only for boxes that reach
  /// beyond Provenance::limit.
  bool has_closed_form() const { return closed_; }

 private:
  static constexpr std::array<int, sizeof...(Inputs)> input_dimensions{Inputs::dimensions...};

  static bool is_within_limit(const Box& box) {
    for (int d = 0; d < N; ++d)
      if (box[d].begin < -Provenance::limit || box[d].end > Provenance::limit) return false;
    return true;
  }

  Box declared(int input, const Box& box) const {
    const Box need = body_.footprint(input, box);
    const int expected = input_dimensions[static_cast<std::size_t>(input)];
    if (need.dimensions != expected)
      throw InternalError(
          fmt::format("the stage body declares a footprint of {} dimensions for input {}, which has {}",
                      need.dimensions, input, expected));
    return need;
  }

  Body body_;
  InputForms<sizeof...(Inputs)> forms_;
  bool closed_ = false;
};

}  // namespace tessera
