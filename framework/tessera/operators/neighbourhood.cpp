// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/neighbourhood.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/operators/detail/bilateral_mean.hpp"
#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/extremes.hpp"
#include "tessera/operators/detail/means.hpp"
#include "tessera/operators/detail/plane_stage.hpp"
#include "tessera/operators/detail/ranks.hpp"
#include "tessera/operators/point.hpp"

namespace tessera::operators {
namespace {

using detail::NewStage, detail::Reach, detail::add_plane_stage, detail::with_border, detail::with_image_type;

/// Returns the points of a structuring element, as OpenCV's getStructuringElement has them.
detail::Spans spans_of(const Morphology& p) {
  const auto reach = Reach::of(p.window);
  std::array<std::uint8_t, detail::Spans::most_rows + 1> half_widths{};
  const double x = reach.x, y = reach.y, share = reach.y == 0 ? 0 : 1 / (y * y);
  for (int j = 0; j <= reach.y; ++j) {
    // Halves are rounded to even numbers, as in OpenCV.
    const double width_in_ellipse = std::nearbyint(x * std::sqrt((y * y - j * j) * share));
    const double half_width = p.shape == WindowShape::ellipse          ? width_in_ellipse
                              : p.shape == WindowShape::cross && j > 0 ? 0
                                                                       : x;
    half_widths[j] = static_cast<std::uint8_t>(half_width);
  }
  return {reach, Table<std::uint8_t, detail::Spans::most_rows + 1>(half_widths)};
}

/// Adds the least or the greatest element of a window as a stage.
template <bool Greatest>
Image add_extreme(const NewStage& stage, const Image& given, const Morphology& p) {
  const Image image = with_border(stage, given, p.border);
  return with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    if (p.shape == WindowShape::rectangle)
      return add_plane_stage<T, T>(stage, detail::ExtremeOfWindow<T, Greatest>{Reach::of(p.window)}, image);
    return add_plane_stage<T, T>(stage, detail::ExtremeOfSpans<T, Greatest>{spans_of(p)}, image);
  });
}

template <bool Greatest>
Image build_extreme(const Call<Morphology>& p) {
  return add_extreme<Greatest>(p, p.images[0], p);
}
/// Adds a closing if `Greatest`: the greatest elements of windows, and then the least elements of these.
/// Otherwise adds an opening, which takes the least elements first.
template <bool Greatest>
Image build_both_extremes(const Call<Morphology>& p) {
  const auto first = p + (Greatest ? "_dilated" : "_eroded");
  return add_extreme<!Greatest>(p, add_extreme<Greatest>(first, p.images[0], p), p);
}
Image build_morphological_gradient(const Call<Morphology>& p) {
  const Image greatest = add_extreme<true>(p + "_dilated", p.images[0], p);
  return subtract(p.pipeline, greatest, add_extreme<false>(p + "_eroded", p.images[0], p), {}, p.name);
}
Image build_top_hat(const Call<Morphology>& p) {
  return subtract(p.pipeline, p.images[0], build_both_extremes<false>({p, p + "_opened", p.images}), {},
                  p.name);
}
Image build_black_hat(const Call<Morphology>& p) {
  return subtract(p.pipeline, build_both_extremes<true>({p, p + "_closed", p.images}), p.images[0], {},
                  p.name);
}

detail::Entry<Morphology> morphology_entry(const std::string& name, const std::string& help,
                                           const detail::Entry<Morphology>::Build& build) {
  return detail::Entry<Morphology>(name, help, "{" + name + ": a, window: [5, 5], shape: ellipse}", build)
      .window(2 * detail::Spans::most_rows + 1)
      .parameter("shape", &Morphology::shape,
                 "The points of the window that count: all, those of an ellipse, or those of the column and "
                 "of the row in the middle, as in OpenCV's getStructuringElement.",
                 {.choices = {"rectangle", "ellipse", "cross"}})
      .border();
}

/// Adds the stage of a call whose body for images of T is Body<T>, made from these arguments.
template <template <class> class Body, class P, class... Arguments>
Image add_plane_body(const Call<P>& p, const Arguments&... arguments) {
  const Image image = with_border(p, p.images[0], p.border);
  return with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return add_plane_stage<T, T>(p, Body<T>{arguments...}, image);
  });
}
Image build_median(const Call<Window>& p) {
  const Reach reach = Reach::of(p.window);
  return add_plane_body<detail::RankOfWindow>(p, reach, reach.count() / 2);
}
Image build_percentile(const Call<Percentile>& p) {
  const Reach reach = Reach::of(p.window);
  const int count = reach.count();
  const int rank = std::min(static_cast<int>(std::floor(count * p.percent / 100)), count - 1);
  return add_plane_body<detail::RankOfWindow>(p, reach, rank);
}
Image build_bilateral(const Call<Bilateral>& p) { return add_plane_body<detail::BilateralMean>(p, p); }
Image build_variance(const Call<Window>& p) {
  const Image image = with_border(p, p.images[0], p.border);
  return with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return add_plane_stage<float, T>(p, detail::VarianceOfWindow<T>{Reach::of(p.window)}, image);
  });
}

}  // namespace

std::vector<Operator> detail::neighbourhood_operators() {
  return {
      morphology_entry("erode",
                       "The least value of a window. With the border 'clamp' only points in the image count. "
                       "NaN counts as greater than all numbers.",
                       build_extreme<false>),
      morphology_entry("dilate",
                       "The greatest value of a window. With the border 'clamp' only points in the image "
                       "count. NaN counts as greater than all numbers.",
                       build_extreme<true>),
      morphology_entry("open",
                       "Erodes (stage <name>_eroded) and then dilates, which removes bright details "
                       "smaller than the window.",
                       build_both_extremes<false>),
      morphology_entry("close",
                       "Dilates (stage <name>_dilated) and then erodes, which removes dark details "
                       "smaller than the window.",
                       build_both_extremes<true>),
      morphology_entry("morphological_gradient",
                       "The difference of the greatest and the least value of a window (stages "
                       "<name>_dilated and <name>_eroded).",
                       build_morphological_gradient),
      morphology_entry("top_hat",
                       "The difference of an image and its opening (stages <name>_opened_eroded and "
                       "<name>_opened): bright details smaller than the window.",
                       build_top_hat),
      morphology_entry("black_hat",
                       "The difference of the closing of an image (stages <name>_closed_dilated and "
                       "<name>_closed) and the image: dark details smaller than the window.",
                       build_black_hat),
      Entry<Window>("median", "The median of a window. NaN counts as greater than all numbers.",
                    "{median: a, window: [5, 5]}", build_median)
          .window(255)
          .border(),
      Entry<Percentile>(
          "percentile",
          "The value with the number floor(n * percent / 100), counted from 0, of the n values of a window "
          "in ascending order, as scipy.ndimage.percentile_filter. NaN counts as greater than all numbers.",
          "{percentile: a, percent: 90, window: [5, 5]}", build_percentile)
          .window(255)
          .border()
          .parameter("percent", &Percentile::percent, "The percentage of the values that are less.",
                     {.least = 0, .greatest = 100}),
      Entry<Window>("variance",
                    "The variance of a window: the mean of the squares minus the square of the mean.",
                    "{variance: a, window: [5, 5]}", build_variance)
          .types(always(ElementType::float32))
          .window(255)
          .border(),
      Entry<Bilateral>(
          "bilateral",
          "The mean of a window, weighted by Gaussians of the distance and of the difference of values, "
          "which smooths and leaves edges. Each channel is computed by itself.",
          "{bilateral: a, sigma: 2, contrast: 20}", build_bilateral)
          .parameter("contrast", &Bilateral::contrast,
                     "The standard deviation of differences of values, in the unit of the image.",
                     {.least = 1e-6, .greatest = 1e6, .required = true})
          .sigma("The standard deviation of distances.")
          .window(2 * most_bilateral_reach + 1)
          .parameter("shape", &Bilateral::shape,
                     "The points of the window that count: all, or those within the ellipse whose axes are "
                     "the extents. In square windows these points are the disc of OpenCV.",
                     {.choices = {"rectangle", "ellipse"}})
          .border()};
}

}  // namespace tessera::operators
