// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <vector>

#include "tessera/pipeline/inference/inference.hpp"

namespace tessera {

/// The closed form of the footprint of a body: a formula that gives exactly the boxes that infer_footprint
/// returns, but takes only nanoseconds. The formula holds for boxes within [-Provenance::limit,
/// Provenance::limit) in every dimension. A footprint has no closed form if an index is neither affine nor
/// constant, if the body compares something that depends on the box, if a number overflows, or if there are
/// too many forms, undecided branches or paths.
class ClosedForm {
 public:
  /// Makes the closed form of a body that reads nothing.
  ClosedForm() = default;
  /// Runs the body on the box [-Provenance::limit, Provenance::limit) in all dimensions to find the closed
  /// form of its footprint.
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

/// A body that declares its footprint by a host function `footprint(input, box)`. The function returns a box
/// of input number `input`, counted from 0. While the body computes `box`, which is not empty, it reads no
/// points of this input outside the returned box. Inference never runs such a body, so its call operator may
/// use plain numbers.
template <class Body>
concept DeclaresFootprint = requires(const Body& body, int input, const Box& box) {
  { body.footprint(input, box) } -> std::convertible_to<Box>;
};

namespace detail {

/// Throws InternalError: a body declares a box of `declared` dimensions for an input of `expected`
/// dimensions.
[[noreturn]] void refuse_declared_footprint(int input, int declared, int expected);

}  // namespace detail

/// The footprint of a stage body, which is either declared by the body (see DeclaresFootprint) or inferred.
/// `N` is the number of coordinates that the body takes, and `Inputs` are the ArrayTypes of the inputs. The
/// constructor finds the closed form of a footprint, if it has one (see ClosedForm). If it has none, the body
/// is run for each box.
template <class Body, int N, class... Inputs>
class Footprint {
 public:
  /// Copies the body. Unless the body declares its footprint, the constructor looks for a closed form.
  explicit Footprint(const Body& body) : body_(body) {
    if constexpr (is_inferred) closed_form_ = ClosedForm(on_intervals<N, Inputs...>(body_));
  }

  /// Writes to `needs` the box of each input that the body may read while it computes `box`, which must not
  /// be empty. `needs` has room for sizeof...(Inputs) boxes. Throws InternalError if inference fails (see
  /// infer_footprint), or if a declared box does not have as many dimensions as the input.
  void required([[maybe_unused]] const Box& box, [[maybe_unused]] Box* needs) const {
    if constexpr (is_inferred)
      closed_form_.required(on_intervals<N, Inputs...>(body_), box, needs);
    else if constexpr (sizeof...(Inputs) > 0)
      for (int i = 0; i < static_cast<int>(sizeof...(Inputs)); ++i) needs[i] = declared(i, box);
  }

  /// Whether the body transposes, so that rows of an input become columns. This is true if, for at least one
  /// input, the first index depends only on y and the second index only on x, and if no input with two or
  /// more dimensions has a first index that depends only on x. Always `false` if the footprint has no closed
  /// form.
  bool swaps_rows() const { return is_inferred && closed_form_.swaps_rows(input_dimensions); }

  /// Whether the footprint has a closed form. If it has, `required` runs the body only for boxes that reach
  /// beyond Provenance::limit.
  bool has_closed_form() const { return is_inferred ? closed_form_.exists() : sizeof...(Inputs) == 0; }

 private:
  static constexpr bool is_inferred = sizeof...(Inputs) > 0 && !DeclaresFootprint<Body>;
  static constexpr std::array<int, sizeof...(Inputs)> input_dimensions{Inputs::dimensions...};

  Box declared(int input, const Box& box) const {
    const Box need = body_.footprint(input, box);
    const int expected = input_dimensions[static_cast<std::size_t>(input)];
    if (need.dimensions != expected) detail::refuse_declared_footprint(input, need.dimensions, expected);
    return need;
  }

  Body body_;
  ClosedForm closed_form_;
};

}  // namespace tessera
