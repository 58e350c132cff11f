// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "minimiser.hpp"
#include "tessera/operators/image_metrics.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace restore {

// Phase 1: which pixels are noise.

/// The weights that noisy and clean pixels have as neighbours of a noisy pixel.
inline constexpr std::uint8_t noisy_weight = 1;
inline constexpr std::uint8_t clean_weight = 2;

/// The least and the greatest value of nine windows, whose centres lie at distance 0 or Step in each
/// dimension. Together, nine windows of radius r, with Step <= 2 r + 1, are the window of radius r + Step.
template <int Step>
struct WidenWindow {
  template <class Least, class Greatest, class Coord>
  KOKKOS_FUNCTION auto operator()(const Least& least, const Greatest& greatest, Coord x, Coord y) const {
    auto low = least(x, y);
    auto high = greatest(x, y);
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) {
        low = tessera::min(low, least(x + Step * i, y + Step * j));
        high = tessera::max(high, greatest(x + Step * i, y + Step * j));
      }
    return tessera::pack(low, high);
  }
};

/// The weight of a pixel. The adaptive median filter enlarges its window until minimum, median and maximum
/// are not all equal, that is until the window has two values. The centre is noise if it is 0 or 255, and the
/// minimum or the maximum: in a window that has it, 0 always is the minimum, and 255 the maximum. Larger
/// windows include smaller ones, so that the largest one alone tells whether any of them has two values.
struct Weight {
  template <class In, class Least, class Greatest, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Least& least, const Greatest& greatest, Coord x,
                                  Coord y) const {
    const auto value = in(x, y);
    const auto low = least(x, y);
    const auto high = greatest(x, y);
    const auto dark = tessera::select(value == 0, noisy_weight, clean_weight);
    const auto weight = tessera::select(value == 255, noisy_weight, dark);
    return tessera::cast<std::uint8_t>(tessera::select(low == high, clean_weight, weight));
  }
};

/// The least and the greatest values of a window around each point.
struct Extremes {
  tessera::Array<std::uint8_t, 2> least;
  tessera::Array<std::uint8_t, 2> greatest;
};

/// Adds the stages of the extremes of windows that are 2 Step points wider than `window`, and returns them.
template <int Step>
Extremes widened(tessera::Pipeline& pipeline, const std::string& width, const Extremes& window) {
  using Bytes = tessera::TypeList<std::uint8_t, std::uint8_t>;
  const auto [least, greatest] = pipeline.stages<Bytes>({"least_" + width, "greatest_" + width},
                                                        WidenWindow<Step>{}, window.least, window.greatest);
  return {least, greatest};
}

/// Adds the detection of salt-and-pepper noise (R. H. Chan, C.-W. Ho, M. Nikolova, Salt-and-pepper noise
/// removal by median-type noise detectors and detail-preserving regularization, 2005) with windows of up to
/// 79 x 79 points, cut off at the borders of the image. `input` must be clamped there: a clamped window has
/// the same values as the window that is cut off. Returns the weights.
inline tessera::Array<std::uint8_t, 2> add_detection(tessera::Pipeline& pipeline,
                                                     tessera::Array<std::uint8_t, 2> input) {
  const Extremes in_3 = widened<1>(pipeline, "3", {input, input});
  const Extremes in_9 = widened<3>(pipeline, "9", in_3);
  const Extremes in_27 = widened<9>(pipeline, "27", in_9);
  const Extremes in_79 = widened<26>(pipeline, "79", in_27);
  return pipeline.stage<std::uint8_t>("weight", Weight{}, input, in_79.least, in_79.greatest);
}

// Phase 2: the values of the noisy pixels.

/// A pixel of an iterate: its value in the low 8 bits, and how much it changed in the last turn in the high
/// ones.
using Iterate = std::uint16_t;
inline constexpr int levels = 256;

/// The first iterate: the image itself. Noisy pixels count as changed.
struct Begin {
  template <class In, class Weight, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Weight& weight, Coord x, Coord y) const {
    const auto value = tessera::cast<Iterate>(in(x, y));
    const auto changed = tessera::cast<Iterate>(value + levels);
    return tessera::select(weight(x, y) == noisy_weight, changed, value);
  }
};

/// The row of slopes of a pixel's term as a neighbour (see Minimiser::row). It is the same in all turns.
using Row = std::uint16_t;
inline constexpr Row noisy_row = Minimiser::row(noisy_weight);
inline constexpr Row clean_row = Minimiser::row(clean_weight);
inline constexpr Row row_outside = Minimiser::row(0);
/// The row that the weight of a pixel gives.
struct RowOfWeight {
  template <class Weight, class Coord>
  KOKKOS_FUNCTION auto operator()(const Weight& weight, Coord x, Coord y) const {
    return tessera::select(weight(x, y) == noisy_weight, noisy_row, clean_row);
  }
};

/// One turn of Points pixels that follow each other along x, from the iterate of the turn before. A noisy
/// pixel stays if neither it nor its neighbours changed in the turn before, as it is then the minimum of the
/// same function. Vectors tell which pixels stay. All others are gathered, so that few branches depend on
/// noise.
template <int Points>
struct Minimise {
  Minimiser minimum;

  tessera::Box footprint(int, const tessera::Box& units) const {
    return {{Points * units[0].begin - 1, Points * units[0].end + 1}, {units[1].begin - 1, units[1].end + 1}};
  }

  template <class U, class Rows, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, const Rows& rows, Coord unit, Coord y) const {
    const Coord x = unit * Points;
    Iterate next[Points];
    std::uint8_t is_open[Points];
    int open[Points], missed[Points];
    for (int k = 0; k < Points; ++k) {
      const Coord at = x + k;
      const auto changes =
          static_cast<Iterate>(u(at - 1, y) | u(at, y) | u(at + 1, y) | u(at, y - 1) | u(at, y + 1));
      is_open[k] = (changes >= levels) & (rows(at, y) == noisy_row);
      next[k] = u(at, y) % levels;
    }
    int open_count = 0, missed_count = 0;
    for (int k = 0; k < Points; ++k) {
      open[open_count] = k;
      open_count += is_open[k];
    }
    for (int i = 0; i < open_count; ++i) {
      const int k = open[i];
      const Surroundings around(minimum, u, rows, x + k, y);
      const int first = Minimiser::window(around.neighbours);
      const int negative = Minimiser::negative_slopes(around.terms, first);
      next[k] = moved(around.value, first + negative);
      missed[missed_count] = k;
      missed_count += !Minimiser::is_found(negative);
    }
    for (int i = 0; i < missed_count; ++i) {
      const Surroundings around(minimum, u, rows, x + missed[i], y);
      next[missed[i]] = moved(around.value, Minimiser::bisect(around.terms));
    }
    return packed(next, std::make_index_sequence<Points>{});
  }

 private:
  /// The values that the next value of a pixel depends on.
  struct Surroundings {
    int value;
    std::array<int, 4> neighbours;
    Terms terms;

    template <class U, class Rows, class Coord>
    KOKKOS_FORCEINLINE_FUNCTION Surroundings(const Minimiser& minimum, const U& u, const Rows& rows, Coord x,
                                             Coord y)
        : value(u(x, y) % levels),
          neighbours{u(x - 1, y) % levels, u(x + 1, y) % levels, u(x, y - 1) % levels, u(x, y + 1) % levels},
          terms{
              minimum.term(Minimiser::row(Minimiser::own_row) - value),
              {minimum.term(rows(x - 1, y) - neighbours[0]), minimum.term(rows(x + 1, y) - neighbours[1]),
               minimum.term(rows(x, y - 1) - neighbours[2]), minimum.term(rows(x, y + 1) - neighbours[3])}} {}
  };

  /// Returns the pixel of the next iterate that moves between two values.
  KOKKOS_FORCEINLINE_FUNCTION static Iterate moved(int from, int to) {
    const int change = from < to ? to - from : from - to;
    return static_cast<Iterate>(to + levels * change);
  }
  template <std::size_t... K>
  KOKKOS_FORCEINLINE_FUNCTION static auto packed(const Iterate (&values)[Points], std::index_sequence<K...>) {
    if constexpr (Points == 1)
      return values[0];
    else
      return tessera::pack(values[K]...);
  }
};

/// The reduction that adds how much each pixel changed in a turn. A noisy pixel was 0 or 255 in the image,
/// and can only move away from that value or back. The result is therefore the sum over all pixels of the
/// absolute difference between |value - image| after and before the turn.
struct SumOfChanges {
  using Value = std::uint64_t;
  KOKKOS_FUNCTION void init(Value& value) const { value = 0; }
  KOKKOS_FUNCTION void add(Value& value, const Iterate& element, const tessera::Point&) const {
    value += element / static_cast<unsigned>(levels);
  }
  void add_row(Value& value, const Iterate* elements, std::int64_t count) const {
    constexpr std::int64_t piece = 1 << 16;  // The sum of this number of elements has 32 bits.
    for (std::int64_t first = 0; first < count; first += piece) {
      std::uint32_t sum = 0;
      for (std::int64_t i = first; i < std::min(count, first + piece); ++i)
        sum += elements[i] / static_cast<unsigned>(levels);
      value += sum;
    }
  }
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const { value += other; }
  Value result(const Value& value) const { return value; }
};

/// The residual: the mean change of a pixel in a turn.
struct Residual {
  double pixels;

  template <class Change, class Coord>
  KOKKOS_FUNCTION auto operator()(const Change& change, Coord) const {
    return tessera::cast<double>(change(0)) / pixels;
  }
};

/// The residual before the first turn.
struct NoResidual {
  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord) const {
    return 0.0;
  }
};

/// Whether the residual differs from the one of the turn before by less than `tolerance` times the latter, or
/// nothing changed.
struct HasConverged {
  double tolerance;

  template <class Now, class Before, class Coord>
  KOKKOS_FUNCTION auto operator()(const Now& now, const Before& before, Coord) const {
    const auto change = tessera::abs(now(0) - before(0));
    const auto settled = tessera::select(change < tolerance * before(0), 1, 0);
    return tessera::select(now(0) == 0.0, 1, settled);
  }
};

/// The value of a pixel, without its change.
struct Value {
  template <class U, class Coord>
  KOKKOS_FUNCTION auto operator()(const U& u, Coord x, Coord y) const {
    return tessera::cast<std::uint8_t>(u(x, y) % levels);
  }
};

// The pipelines of both phases.

/// The keys of the deck.
struct Parameters {
  /// The exponent, 1 to 2, and the weight, 0 to 60, of differences between neighbours.
  double alpha = 1.3;
  double beta = 5;
  /// The loop ends when the relative change of the residual is below `tolerance`, or after `cycles` turns.
  double tolerance = 0.1;
  std::int64_t cycles = 200;
};

/// The number of pixels that `Minimise` computes together. Devices compute single pixels.
inline constexpr int points_together = tessera::runs_on_host ? 32 : 1;

/// An image, or one number for each of its pixels.
using Bytes = tessera::Array<std::uint8_t, 2>;

/// Adds the second phase, which restores the pixels of `input` that are noisy by `weight`. Its result is the
/// output `restored`.
inline Bytes add_restoration(tessera::Pipeline& pipeline, const tessera::Box& image,
                             const Parameters& parameters, Bytes input, Bytes weight) {
  using tessera::Boundary;
  const auto row = pipeline.stage<Row>("row", RowOfWeight{}, weight);
  pipeline.bound(row, image, tessera::BoundaryConditions::of_constant(row_outside));
  const auto u = pipeline.stage<Iterate>("begin", Begin{}, input, weight);
  pipeline.bound(u, image, Boundary::constant);
  const auto before = pipeline.value<double>("before", NoResidual{});
  pipeline.repeat("restore", parameters.cycles, [&](const tessera::Pipeline::Loop& loop) {
    const Minimise<points_together> minimise{{parameters.alpha, parameters.beta}};
    const auto next = pipeline.phases<Iterate, points_together>("next", minimise, u, row);
    const auto change = pipeline.reduce("change", SumOfChanges{}, next, image);
    const auto residual = pipeline.value<double>("residual", Residual{double(image.size())}, change);
    loop.watch(residual);
    loop.until(
        pipeline.value<std::uint8_t>("converged", HasConverged{parameters.tolerance}, residual, before));
    loop.feed(next, u);
    loop.feed(residual, before);
  });
  const auto restored = pipeline.stage<std::uint8_t>("restored", Value{}, u);
  pipeline.output(restored, image);
  return restored;
}

/// Returns the pipeline of both phases, whose output is `restored`. If there is a second input `clean`, the
/// image without noise, then the peak signal-to-noise ratio `psnr` and, from 11 x 11 points on, the
/// structural similarity `ssim` of both images are outputs, too.
inline tessera::Pipeline make_pipeline(const tessera::Box& image, const Parameters& parameters,
                                       bool has_clean) {
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<std::uint8_t, 2>("input", image, tessera::Boundary::clamp);
  const auto weight = add_detection(pipeline, input);
  const auto restored = add_restoration(pipeline, image, parameters, input, weight);
  if (has_clean) {
    const auto clean = pipeline.input<std::uint8_t, 2>("clean", image);
    pipeline.output(tessera::add_psnr(pipeline, "psnr", clean, restored, image));
    if (tessera::has_ssim(image))
      pipeline.output(tessera::add_ssim(pipeline, "ssim", clean, restored, image));
  }
  return pipeline;
}

/// Returns the pipeline of the first phase, with the output `weight`.
inline tessera::Pipeline make_detection(const tessera::Box& image) {
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<std::uint8_t, 2>("input", image, tessera::Boundary::clamp);
  pipeline.output(add_detection(pipeline, input), image);
  return pipeline;
}

/// Returns the pipeline of the second phase, which reads `input` and the output `weight` of the first phase.
inline tessera::Pipeline make_restoration(const tessera::Box& image, const Parameters& parameters) {
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<std::uint8_t, 2>("input", image);
  const auto weight = pipeline.input<std::uint8_t, 2>("weight", image);
  add_restoration(pipeline, image, parameters, input, weight);
  return pipeline;
}

}  // namespace restore
