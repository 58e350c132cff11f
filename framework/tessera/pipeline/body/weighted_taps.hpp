// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "tessera/pipeline/body/functions.hpp"
#include "tessera/pipeline/inference/footprint.hpp"

namespace tessera {

/// A stage body that resamples rows: each point is the weighted sum of `Taps` elements of a row of the input,
/// which lie `Step` elements apart. The first of them may lie anywhere, as it does where an image is made
/// larger or smaller, or is warped along x. The stage has three inputs:
///
/// 1. the array whose rows are resampled;
/// 2. the index of the first element of each point along x, as an array of one dimension;
/// 3. the weights, as an array of (x, tap): `Taps` weights belong to each point along x.
///
/// If the weights are floating-point numbers, the elements are converted to their type, and the sum is
/// computed from the first element to the last. If the weights are integers of 16 bits in units of 2^-14, the
/// elements must be of 8 bits. The sum is then that of (element - 128) * weight, an integer of 16 bits in
/// units of 2^-7, and multiply_rounded rounds each term. The subtraction of 128 keeps the factors within 16
/// bits. With weights that add up to 1 this is 128 less than the weighted mean. The sum must lie within
/// [-256, 256).
///
/// `First` has the call operator `first(x)` for a Coordinate, which is what the second input holds. It must
/// never decrease from x to x + Step. An image whose samples of several channels lie side by side has one
/// channel for each of `Step` neighbouring points.
///
/// Hosts compute such a stage by permuting vectors, if the processor has instructions for this. No transpose
/// and no gather is then needed.
template <int Taps, int Step, class First>
struct WeightedTaps {
  static_assert(Taps >= 1 && Step >= 1);
  /// The number of elements of a point.
  static constexpr int taps = Taps;
  /// The distance between the elements of a point.
  static constexpr int step = Step;
  /// The function that gives the index of the first element of a point.
  First first;

  /// Returns the box of an input that is read to compute `box`.
  Box footprint(int input, const Box& box) const {
    if (input == 1) return {box[0]};
    if (input == 2) return {box[0], {0, Taps}};
    Box need = box;
    const Range x = box[0];
    need[0] = {index(x.begin), index(x.end - 1)};
    for (std::int64_t i = x.begin; i < std::min(x.begin + Step, x.end); ++i)
      need[0].begin = std::min(need[0].begin, index(i));
    for (std::int64_t i = x.end - 1; i >= std::max(x.end - Step, x.begin); --i)
      need[0].end = std::max(need[0].end, index(i));
    need[0].end += (Taps - 1) * Step + 1;
    return need;
  }

  /// Computes a point. The arguments are the three inputs and the coordinates.
  template <class In, class Firsts, class Weights, class... Rest>
  KOKKOS_FUNCTION auto operator()(const In& in, const Firsts& firsts, const Weights& weights, Coordinate x,
                                  Rest... rest) const {
    using Weight = std::remove_const_t<typename Weights::Value>;
    const Coordinate begin(firsts(x));
    auto sum = term<Weight>(weights(x, Coordinate(0)), in(begin, rest...));
    for (int tap = 1; tap < Taps; ++tap)
      sum = static_cast<Weight>(sum +
                                term<Weight>(weights(x, Coordinate(tap)), in(begin + tap * Step, rest...)));
    return sum;
  }

 private:
  std::int64_t index(std::int64_t x) const {
    return static_cast<std::int64_t>(first(Coordinate(static_cast<int>(x))));
  }
  template <class Weight, class Element>
  KOKKOS_FORCEINLINE_FUNCTION static auto term(Weight weight, Element element) {
    if constexpr (std::is_floating_point_v<Weight>) {
      return weight * static_cast<Weight>(element);
    } else {
      static_assert(std::is_same_v<Weight, std::int16_t> && sizeof(Element) == 1,
                    "fixed-point weights are of std::int16_t, and their elements of std::uint8_t");
      return multiply_rounded(weight, static_cast<std::int16_t>((element - 128) * 256));
    }
  }
};

/// Whether a stage body is a WeightedTaps.
template <class Body>
inline constexpr bool is_weighted_taps = false;
/// The case of a WeightedTaps.
template <int Taps, int Step, class First>
inline constexpr bool is_weighted_taps<WeightedTaps<Taps, Step, First>> = true;

}  // namespace tessera
