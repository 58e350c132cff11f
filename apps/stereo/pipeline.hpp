// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "tessera/operators/block_matching.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace stereo {

/// The kind of result: the disparity of each pixel, or its depth.
enum class Result { disparity, depth };

/// The filter of the images before they are matched: none, or the derivative along x by Sobel's operator.
enum class Prefilter { none, sobel };

/// The parameters of multi-baseline stereo.
struct Settings {
  /// The greatest cap. Filtered images have values up to twice the cap, which fit into uint16.
  static constexpr int greatest_cap = 32767;
  /// The greatest percentage of uniqueness.
  static constexpr int greatest_uniqueness = 1000;

  Result result = Result::disparity;
  /// For each match image, its shift in pixels for a disparity of 1.
  std::vector<int> baselines = {1};
  tessera::operators::ShiftDirection direction = tessera::operators::ShiftDirection::left;
  tessera::operators::MatchingCost cost = tessera::operators::MatchingCost::squared;
  int window = 13;
  int disparities = 16;
  /// The number of blocks of disparities. Each has a stage of its own, which searches it.
  int blocks = 1;
  Prefilter prefilter = Prefilter::none;
  /// The greatest absolute value of the derivatives that the prefilter lets pass.
  int cap = 31;
  /// True when disparities are refined to fractions of a pixel.
  bool has_fractions = false;
  /// If set, the greatest permitted difference of a disparity from the disparity in the first match image.
  std::optional<double> tolerance = {};
  /// If set, a percentage: the errors of all disparities that are not neighbours of the best one must exceed
  /// the error of the best one by more than this.
  std::optional<int> uniqueness = {};
  /// The product of the focal length in pixels with the distance of the cameras for a baseline of 1.
  double focal_length_times_distance = 1;

  /// Returns whether disparities are neither refined nor tested.
  bool is_plain() const { return !has_fractions && !tolerance && !uniqueness; }
  /// Returns the disparities of a block. The sizes of blocks differ by at most one.
  tessera::Range block(int number) const {
    return {std::int64_t(number) * disparities / blocks, std::int64_t(number + 1) * disparities / blocks};
  }
};

/// The disparity of invalid pixels: the disparity of the match image differs, or another disparity is about
/// as good.
inline constexpr float invalid_disparity = -1;

/// Makes the pipeline for images of `type` with the points `image`. Its inputs are `input`, which is the
/// reference, and `match_1`, `match_2` and so on, one for each baseline. Its output is called `disparity` or
/// `depth`. Throws ParameterError and OperandError as match_blocks does.
tessera::Pipeline make_pipeline(const tessera::Box& image, tessera::ElementType type,
                                const Settings& settings);

}  // namespace stereo
