// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "detection.hpp"
#include "restoration.hpp"
#include "tessera/operators/image_metrics.hpp"

namespace restore {

/// The keys of the deck.
struct Parameters {
  /// The exponent, 1 to 2, and the weight, 0 to 60, of differences between neighbours.
  double alpha = 1.3;
  double beta = 5;
  /// The loop ends when the relative change of the residual is below this, or after so many turns.
  double tolerance = 0.1;
  std::int64_t cycles = 200;
};

/// Devices compute point by point.
inline constexpr int points_together = tessera::runs_on_host ? 32 : 1;

/// An image, or one number for each of its pixels.
using Bytes = tessera::Array<std::uint8_t, 2>;

/// Adds the second phase, which restores the noisy pixels of `input` that `weight` tells, as the output
/// `restored`.
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

/// Two-phase restoration of an image with salt-and-pepper noise, as `restored`. With a `clean` image, a
/// second input, the peak signal-to-noise ratio `psnr` and, from 11 x 11 points on, the structural similarity
/// `ssim` of the two are outputs, too.
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

/// The first phase by itself, with the output `weight`.
inline tessera::Pipeline make_detection(const tessera::Box& image) {
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<std::uint8_t, 2>("input", image, tessera::Boundary::clamp);
  pipeline.output(add_detection(pipeline, input), image);
  return pipeline;
}

/// The second phase by itself, which reads `input` and the output of the first phase.
inline tessera::Pipeline make_restoration(const tessera::Box& image, const Parameters& parameters) {
  tessera::Pipeline pipeline;
  const auto input = pipeline.input<std::uint8_t, 2>("input", image);
  const auto weight = pipeline.input<std::uint8_t, 2>("weight", image);
  add_restoration(pipeline, image, parameters, input, weight);
  return pipeline;
}

}  // namespace restore
