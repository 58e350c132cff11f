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

/// Returns the points of a structuring element, as OpenCV's getStructuringElement has them.
detail::Spans spans_of(const Morphology& p) {
  const auto reach = detail::Reach::of(p.window);
  std::array<std::uint8_t, detail::Spans::most_rows + 1> half_widths{};
  const double x = reach.x, y = reach.y, share = reach.y == 0 ? 0 : 1 / (y * y);
  for (int j = 0; j <= reach.y; ++j) {
    // Halves are rounded to even numbers, as in OpenCV.
    const double of_ellipse = std::nearbyint(x * std::sqrt((y * y - j * j) * share));
    const double half_width = p.shape == WindowShape::ellipse          ? of_ellipse
                              : p.shape == WindowShape::cross && j > 0 ? 0
                                                                       : x;
    half_widths[j] = static_cast<std::uint8_t>(half_width);
  }
  return {reach, Table<std::uint8_t, detail::Spans::most_rows + 1>(half_widths)};
}

/// Adds the least or the greatest element of a window as a stage with the name `name`.
template <bool Greatest>
Image add_extreme(Pipeline& pipeline, const Image& given, const Morphology& p, const std::string& name) {
  const Image image = detail::with_border(pipeline, given, p.border, name);
  return detail::with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    if (p.shape == WindowShape::rectangle)
      return detail::add_plane_stage<T, T>(
          pipeline, name, detail::ExtremeOfWindow<T, Greatest>{detail::Reach::of(p.window)}, image);
    return detail::add_plane_stage<T, T>(pipeline, name, detail::ExtremeOfSpans<T, Greatest>{spans_of(p)},
                                         image);
  });
}

template <bool Greatest>
Image build_extreme(Pipeline& pipeline, const std::vector<Image>& images, const Named<Morphology>& p) {
  return add_extreme<Greatest>(pipeline, images[0], p, p.name);
}
/// Adds one kind of extremes, and then the other kind of these: a closing if `Greatest`, else an opening.
template <bool Greatest>
Image build_extremes(Pipeline& pipeline, const std::vector<Image>& images, const Named<Morphology>& p) {
  const std::string first = p.name + (Greatest ? "_dilated" : "_eroded");
  return add_extreme<!Greatest>(pipeline, add_extreme<Greatest>(pipeline, images[0], p, first), p, p.name);
}
Image build_morphological_gradient(Pipeline& pipeline, const std::vector<Image>& images,
                                   const Named<Morphology>& p) {
  const Image greatest = add_extreme<true>(pipeline, images[0], p, p.name + "_dilated");
  return subtract(pipeline, greatest, add_extreme<false>(pipeline, images[0], p, p.name + "_eroded"), {},
                  p.name);
}
Image build_top_hat(Pipeline& pipeline, const std::vector<Image>& images, const Named<Morphology>& p) {
  Named<Morphology> opening = p;
  opening.name = p.name + "_opened";
  return subtract(pipeline, images[0], build_extremes<false>(pipeline, images, opening), {}, p.name);
}
Image build_black_hat(Pipeline& pipeline, const std::vector<Image>& images, const Named<Morphology>& p) {
  Named<Morphology> closing = p;
  closing.name = p.name + "_closed";
  return subtract(pipeline, build_extremes<true>(pipeline, images, closing), images[0], {}, p.name);
}

detail::Entry<Morphology> morphology_entry(const std::string& name, const std::string& help,
                                           const detail::Entry<Morphology>::Build& build) {
  return detail::Entry<Morphology>(name, help, "{" + name + ": a, window: [5, 5], shape: ellipse}", build)
      .window(2 * detail::Spans::most_rows + 1)
      .parameter("shape", &Morphology::shape,
                 "The points of the window that count: all, those of an ellipse, or those of the "
                 "column and of the row in the middle. They are those of OpenCV's getStructuringElement.",
                 {.choices = {"rectangle", "ellipse", "cross"}})
      .border();
}

Image add_rank(Pipeline& pipeline, const Image& given, const Named<Window>& p, int rank) {
  const Image image = detail::with_border(pipeline, given, p.border, p.name);
  return detail::with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return detail::add_plane_stage<T, T>(pipeline, p.name,
                                         detail::RankOfWindow<T>{detail::Reach::of(p.window), rank}, image);
  });
}
Image build_median(Pipeline& pipeline, const std::vector<Image>& images, const Named<Window>& p) {
  return add_rank(pipeline, images[0], p, detail::Reach::of(p.window).count() / 2);
}
Image build_percentile(Pipeline& pipeline, const std::vector<Image>& images, const Named<Percentile>& p) {
  const int count = detail::Reach::of(p.window).count();
  const int rank = std::min(static_cast<int>(std::floor(count * p.percent / 100)), count - 1);
  return add_rank(pipeline, images[0], {{.window = p.window, .border = p.border}, p.name}, rank);
}
Image build_variance(Pipeline& pipeline, const std::vector<Image>& images, const Named<Window>& p) {
  const Image image = detail::with_border(pipeline, images[0], p.border, p.name);
  return detail::with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return detail::add_plane_stage<float, T>(pipeline, p.name,
                                             detail::VarianceOfWindow<T>{detail::Reach::of(p.window)}, image);
  });
}

Image build_bilateral(Pipeline& pipeline, const std::vector<Image>& images, const Named<Bilateral>& p) {
  const Image image = detail::with_border(pipeline, images[0], p.border, p.name);
  return detail::with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return detail::add_plane_stage<T, T>(pipeline, p.name, detail::BilateralMean<T>(p), image);
  });
}

}  // namespace

std::vector<Operator> detail::neighbourhood_operators() {
  return {
      morphology_entry(
          "erode",
          "The least value of a window. With the border 'clamp' it is that of the points in the image. NaN "
          "counts as greater than all numbers.",
          build_extreme<false>),
      morphology_entry("dilate",
                       "The greatest value of a window. With the border 'clamp' it is that of the points in "
                       "the image. NaN "
                       "counts as greater than all numbers.",
                       build_extreme<true>),
      morphology_entry("open",
                       "Erodes (stage <name>_eroded) and then dilates, which removes what is brighter and "
                       "smaller than the window.",
                       build_extremes<false>),
      morphology_entry("close",
                       "Dilates (stage <name>_dilated) and then erodes, which removes what is darker and "
                       "smaller than the window.",
                       build_extremes<true>),
      morphology_entry("morphological_gradient",
                       "The difference of the greatest and the least value of a window (stages "
                       "<name>_dilated and <name>_eroded).",
                       build_morphological_gradient),
      morphology_entry("top_hat",
                       "The difference of an image and its opening (stages <name>_opened_eroded and "
                       "<name>_opened): what is brighter and smaller than the window.",
                       build_top_hat),
      morphology_entry("black_hat",
                       "The difference of the closing of an image (stages <name>_closed_dilated and "
                       "<name>_closed) and the image: what is darker and smaller than the window.",
                       build_black_hat),
      Entry<Window>("median", "The median of a window. NaN counts as greater than all numbers.",
                    "{median: a, window: [5, 5]}", build_median)
          .window(255)
          .border(),
      Entry<Percentile>("percentile",
                        "Of the n values of a window in ascending order, the one with the number floor(n * "
                        "percent / 100), counted from 0, as scipy.ndimage.percentile_filter. NaN counts as "
                        "greater than all numbers.",
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
                     "The points of the window that count: all, or those within the ellipse whose axes "
                     "are the extents. In square windows that is the disc of OpenCV.",
                     {.choices = {"rectangle", "ellipse"}})
          .border()};
}

}  // namespace tessera::operators
