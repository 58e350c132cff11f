// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/neighbourhood.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/operators/detail/bilateral_mean.hpp"
#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/plane_stage.hpp"
#include "tessera/operators/detail/ranks.hpp"
#include "tessera/operators/detail/variance.hpp"

namespace tessera::operators {
namespace {

Image add_rank(Pipeline& pipeline, const Image& given, const Window& p, int rank) {
  const Image image = detail::with_border(pipeline, given, p.border, p.name);
  return detail::with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return detail::add_plane_stage<T, T>(pipeline, p.name,
                                         detail::RankOfWindow<T>{detail::Reach::of(p.window), rank}, image);
  });
}
Image build_median(Pipeline& pipeline, const std::vector<Image>& images, const Window& p) {
  return add_rank(pipeline, images[0], p, detail::Reach::of(p.window).count() / 2);
}
Image build_percentile(Pipeline& pipeline, const std::vector<Image>& images, const Percentile& p) {
  const int count = detail::Reach::of(p.window).count();
  const int rank = std::min(static_cast<int>(std::floor(count * p.percent / 100)), count - 1);
  return add_rank(pipeline, images[0], {.window = p.window, .border = p.border, .name = p.name}, rank);
}
Image build_variance(Pipeline& pipeline, const std::vector<Image>& images, const Window& p) {
  const Image image = detail::with_border(pipeline, images[0], p.border, p.name);
  return detail::with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return detail::add_plane_stage<float, T>(pipeline, p.name,
                                             detail::VarianceOfWindow<T>{detail::Reach::of(p.window)}, image);
  });
}

Image build_bilateral(Pipeline& pipeline, const std::vector<Image>& images, const Bilateral& p) {
  const Image image = detail::with_border(pipeline, images[0], p.border, p.name);
  return detail::with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return detail::add_plane_stage<T, T>(pipeline, p.name, detail::BilateralMean<T>(p), image);
  });
}

}  // namespace

std::vector<Operator> detail::neighbourhood_operators() {
  return {
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
          .parameter("percent", &Percentile::percent,
                     {.help = "The percentage of the values that are less.", .least = 0, .greatest = 100}),
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
                     {.help = "The standard deviation of differences of values, in the unit of the image.",
                      .least = 1e-6,
                      .greatest = 1e6,
                      .required = true})
          .parameter("sigma", &Bilateral::sigma,
                     {.help = "The standard deviation of distances.",
                      .unit = "pixels",
                      .least = 0.1,
                      .greatest = 50})
          .window(2 * most_bilateral_reach + 1)
          .parameter(
              "shape", &Bilateral::shape,
              {.help = "The points of the window that count: all, or those within the ellipse whose axes "
                       "are the extents. In square windows that is the disc of OpenCV.",
               .choices = {"rectangle", "ellipse"}})
          .border()};
}

}  // namespace tessera::operators
