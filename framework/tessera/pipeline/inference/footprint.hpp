// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <concepts>

#include "tessera/pipeline/inference/inference.hpp"

namespace tessera {

/// A body that says itself what it reads, by a host function `footprint(input, box)`: while the body computes
/// `box`, which is not empty, it reads no more of input number `input` than the box returned. Inference
/// leaves such a body alone, so its call operator may use plain numbers.
template <class Body>
concept DeclaresFootprint = requires(const Body& body, int input, const Box& box) {
  { body.footprint(input, box) } -> std::convertible_to<Box>;
};

/// The footprint of a stage body, which the body declares or which is inferred. `N` is the number of
/// coordinates that the body takes, and `Inputs` are ArrayTypes. When a Footprint is made, the body runs once
/// to find a closed form, which gives exactly the boxes of infer_footprint, in nanoseconds, for boxes within
/// Provenance::limit. For other boxes, and for bodies without a closed form, the body runs for each box.
template <class Body, int N, class... Inputs>
class Footprint {
 public:
  /// Copies the body and looks for a closed form of its footprint.
  explicit Footprint(const Body& body) : body_(body) {
    if constexpr (sizeof...(Inputs) == 0)
      closed_ = true;  // a function of coordinates reads nothing
    else if constexpr (!DeclaresFootprint<Body>)
      closed_ = infer_forms<N, Inputs...>(body_, forms_);
  }

  /// Writes the box of each input, sizeof...(Inputs) of them, that the body may read while it computes `box`,
  /// which must not be empty. Throws InternalError as infer_footprint does, and when a declared box has other
  /// dimensions than its input.
  void required([[maybe_unused]] const Box& box, [[maybe_unused]] Box* needs) const {
    if constexpr (sizeof...(Inputs) == 0) {
      return;
    } else if constexpr (DeclaresFootprint<Body>) {
      for (int i = 0; i < static_cast<int>(sizeof...(Inputs)); ++i) needs[i] = declared(i, box);
    } else if (closed_ && is_within_limit(box)) {
      for (std::size_t i = 0; i < sizeof...(Inputs); ++i) {
        needs[i].dimensions = dimensions_[i];
        for (int d = 0; d < dimensions_[i]; ++d) needs[i][d] = forms_[i][d].over(box);
      }
    } else {
      const auto boxes = infer_footprint<N, Inputs...>(body_, box);
      for (std::size_t i = 0; i < sizeof...(Inputs); ++i) needs[i] = boxes[i];
    }
  }

  /// Whether the body reads an input at (..y.., ..x..), as transposes do, and reads no input along the
  /// input's own rows. Always `false` where the footprint has no closed form.
  bool swaps_rows() const {
    bool swaps = false;
    if constexpr (sizeof...(Inputs) > 0) {
      for (std::size_t i = 0; closed_ && i < sizeof...(Inputs); ++i) {
        if (dimensions_[i] < 2) continue;
        if (forms_[i][0].depends_only_on(0)) return false;
        swaps = swaps || (forms_[i][0].depends_only_on(1) && forms_[i][1].depends_only_on(0));
      }
    }
    return swaps;
  }

  /// Whether the footprint has a closed form, so that `required` runs the body only for boxes beyond
  /// Provenance::limit.
  bool has_closed_form() const { return closed_; }

 private:
  static constexpr std::array<int, sizeof...(Inputs)> dimensions_{Inputs::dimensions...};

  static bool is_within_limit(const Box& box) {
    for (int d = 0; d < N; ++d)
      if (box[d].begin < -Provenance::limit || box[d].end > Provenance::limit) return false;
    return true;
  }

  Box declared(int input, const Box& box) const {
    const Box need = body_.footprint(input, box);
    const int expected = dimensions_[static_cast<std::size_t>(input)];
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
