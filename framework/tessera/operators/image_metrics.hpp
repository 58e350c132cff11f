// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "tessera/pipeline/algorithm/pipeline.hpp"

// Measures of the difference between two images, as stages of a pipeline. Sums are exact, so that the results
// have the same bits on any number of ranks.
namespace tessera {

namespace detail {

/// Computes the squared difference of two points of uint8.
struct SquaredError {
  template <class A, class B, class... Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord... at) const {
    const auto difference = cast<std::int32_t>(a(at...)) - cast<std::int32_t>(b(at...));
    return cast<std::uint16_t>(difference * difference);
  }
};

/// Computes the peak signal-to-noise ratio in dB. The input is the sum of the squared differences of all
/// points; `points` is the number of points, and `peak` is the greatest possible value of a point.
struct PeakSignalToNoise {
  double points;
  double peak = 255.0;

  template <class Sum, class Coord>
  KOKKOS_FUNCTION auto operator()(const Sum& sum, Coord) const {
    const double decibels = 10 / 2.302585092994045684;  // 10 / ln(10)
    const auto signal = peak * peak * points;
    return decibels * log(signal / cast<double>(sum(0)));
  }
};

/// Returns |a - b|. For integers, the result is exact and has the type std::uint64_t. For floats, it is a
/// double: 0 if both numbers are NaN, and infinity if only one of them is NaN.
template <class A, class B>
KOKKOS_FUNCTION auto absolute_difference(const A& a, const B& b) {
  if constexpr (std::is_floating_point_v<number_type<A>>) {
    const auto difference = tessera::abs(cast<double>(a) - cast<double>(b));
    const auto distance = select(difference == difference, difference, LimitsOf<double>::infinity);
    return select(a == b || (a != a && b != b), 0.0, distance);
  } else {
    const auto left = cast<std::uint64_t>(a), right = cast<std::uint64_t>(b);
    return select(a < b, right - left, left - right);
  }
}

/// Computes three values for two points: their absolute difference, the square of this difference, and 1 if
/// the points differ or 0 if they do not.
struct Differences {
  template <class A, class B, class... Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord... at) const {
    const auto difference = cast<double>(absolute_difference(a(at...), b(at...)));
    return pack(difference, difference * difference, select(difference > 0.0, 1, 0));
  }
};

/// The number of points on each side of the middle of the window of the structural similarity.
inline constexpr int ssim_radius = 5;
/// The weights of the window of the structural similarity along one dimension.
using SsimWindow = Table<double, 2 * ssim_radius + 1>;
/// Returns the weights of the window: a Gaussian with a standard deviation of 1.5 points, cut off at 5
/// points. The sum of the weights is 1.
inline SsimWindow ssim_window() {
  std::array<double, 2 * ssim_radius + 1> weights;
  double sum = 0;
  for (int i = -ssim_radius; i <= ssim_radius; ++i) {
    const double weight = std::exp(-i * i / (2 * 1.5 * 1.5));
    weights[static_cast<std::size_t>(i + ssim_radius)] = weight;
    sum += weight;
  }
  for (double& weight : weights) weight /= sum;
  return SsimWindow(weights);
}

/// Computes the sums of a, b, a^2, b^2 and a b over the window along x, weighted by `window`.
struct MomentsAlongX {
  SsimWindow window;

  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    auto sum_a = cast<double>(a.zero());
    auto sum_b = sum_a, sum_aa = sum_a, sum_bb = sum_a, sum_ab = sum_a;
    for (int i = -ssim_radius; i <= ssim_radius; ++i) {
      const auto weight = window(i + ssim_radius);
      const auto one = cast<double>(a(x + i, y));
      const auto other = cast<double>(b(x + i, y));
      sum_a = sum_a + weight * one;
      sum_b = sum_b + weight * other;
      sum_aa = sum_aa + weight * (one * one);
      sum_bb = sum_bb + weight * (other * other);
      sum_ab = sum_ab + weight * (one * other);
    }
    return pack(sum_a, sum_b, sum_aa, sum_bb, sum_ab);
  }
};

/// Computes the structural similarity of two images in the window around a point. The inputs are the sums
/// that MomentsAlongX computes.
struct Similarity {
  SsimWindow window;

  template <class A, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const A& b, const A& aa, const A& bb, const A& ab, Coord x,
                                  Coord y) const {
    const auto along_y = [&](const A& moment) {
      auto sum = moment.zero();
      for (int j = -ssim_radius; j <= ssim_radius; ++j)
        sum = sum + window(j + ssim_radius) * moment(x, y + j);
      return sum;
    };
    constexpr double c1 = (0.01 * 255) * (0.01 * 255), c2 = (0.03 * 255) * (0.03 * 255);
    const auto mean_a = along_y(a), mean_b = along_y(b);
    const auto variance_a = along_y(aa) - mean_a * mean_a;
    const auto variance_b = along_y(bb) - mean_b * mean_b;
    const auto covariance = along_y(ab) - mean_a * mean_b;
    return ((2.0 * (mean_a * mean_b) + c1) * (2.0 * covariance + c2)) /
           ((mean_a * mean_a + mean_b * mean_b + c1) * (variance_a + variance_b + c2));
  }
};

}  // namespace detail

/// Adds the peak signal-to-noise ratio of two images of uint8 on the box `image`, in dB, as a value with the
/// name `name`. The ratio is 10 log10(255^2 / mean squared difference), which is infinity for equal images.
/// Also adds the stage `<name>_errors` and the reduction `<name>_sum`.
template <int N>
Array<double, 1> add_psnr(Pipeline& pipeline, const std::string& name, Array<std::uint8_t, N> a,
                          Array<std::uint8_t, N> b, const Box& image) {
  const auto errors = pipeline.stage<std::uint16_t>(name + "_errors", detail::SquaredError{}, a, b);
  const auto sum = pipeline.reduce(name + "_sum", Sum<std::uint16_t>{}, errors, image);
  return pipeline.value<double>(name, detail::PeakSignalToNoise{static_cast<double>(image.size())}, sum);
}

/// Measures of the difference between two images. The difference of two points is computed as double; a
/// difference of 64-bit integers is rounded to 53 bits. The sums of the differences and of their squares are
/// exact, and only the final results are rounded. Two NaN count as equal. The difference between a NaN and a
/// number is infinity.
template <int N>
struct ImageDifferences {
  /// The absolute difference at each point.
  Array<double, N> differences;
  /// The greatest absolute difference, as an array of one element.
  Array<double, 1> maximum;
  /// The mean absolute difference, as an array of one element.
  Array<double, 1> mean;
  /// The peak signal-to-noise ratio in dB, as an array of one element; infinity for equal images.
  Array<double, 1> psnr;
  /// The number of points that differ, as an array of one element.
  Array<std::uint64_t, 1> differing;
};

/// Adds measures of the difference between two images on the box `image` to a pipeline. These are the global
/// reductions `maximum`, `mean` and `differing`, and the value `psnr`, the peak signal-to-noise ratio. `peak`
/// is the greatest possible value of a point, which this ratio needs. Also adds the stage `differences`,
/// whose other outputs are `squares` and `differs`, and the reduction `square_sum`.
template <class T, int N>
ImageDifferences<N> add_differences(Pipeline& pipeline, Array<T, N> a, Array<T, N> b, const Box& image,
                                    double peak) {
  const auto [differences, squares, differs] = pipeline.stages<TypeList<double, double, std::uint8_t>>(
      {"differences", "squares", "differs"}, detail::Differences{}, a, b);
  const auto square_sum = pipeline.reduce("square_sum", Sum<double>{}, squares, image);
  return {.differences = differences,
          .maximum = pipeline.reduce("maximum", Maximum<double>{}, differences, image),
          .mean = pipeline.reduce("mean", Mean<double>{}, differences, image),
          .psnr = pipeline.value<double>(
              "psnr", detail::PeakSignalToNoise{static_cast<double>(image.size()), peak}, square_sum),
          .differing = pipeline.reduce("differing", Sum<std::uint8_t>{}, differs, image)};
}

/// Returns true if the image is large enough for add_ssim: a window of 11 x 11 points must fit into it.
inline bool has_ssim(const Box& image) {
  return image[0].size() > 2 * detail::ssim_radius && image[1].size() > 2 * detail::ssim_radius;
}

/// Adds the mean structural similarity of two images on the box `image` to a pipeline, as a global reduction
/// with the name `name`. The structural similarity is that of Z. Wang, A. C. Bovik, H. R. Sheikh and E. P.
/// Simoncelli, Image quality assessment: from error visibility to structural similarity, IEEE Transactions on
/// Image Processing, 2004. The windows have 11 x 11 points, with weights of a Gaussian with sigma 1.5. The
/// parameters are K1 = 0.01, K2 = 0.03 and L = 255. The mean is over all points whose window lies in the
/// image. At least one window must lie in the image (see has_ssim). Also adds the stage `<name>_mean_a`,
/// which has five outputs, and the stage `<name>_similarity`.
inline Array<double, 1> add_ssim(Pipeline& pipeline, const std::string& name, Array<std::uint8_t, 2> a,
                                 Array<std::uint8_t, 2> b, const Box& image) {
  using Moments = TypeList<double, double, double, double, double>;
  const auto window = detail::ssim_window();
  const auto [mean_a, mean_b, mean_aa, mean_bb, mean_ab] = pipeline.stages<Moments>(
      {name + "_mean_a", name + "_mean_b", name + "_mean_aa", name + "_mean_bb", name + "_mean_ab"},
      detail::MomentsAlongX{window}, a, b);
  const auto similarity = pipeline.stage<double>(name + "_similarity", detail::Similarity{window}, mean_a,
                                                 mean_b, mean_aa, mean_bb, mean_ab);
  Box inside = image;
  for (int d = 0; d < 2; ++d)
    inside[d] = {image[d].begin + detail::ssim_radius, image[d].end - detail::ssim_radius};
  return pipeline.reduce(name, Mean<double>{}, similarity, inside);
}

}  // namespace tessera
