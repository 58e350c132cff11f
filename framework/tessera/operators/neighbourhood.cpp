// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/neighbourhood.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/operators/detail/bilateral_mean.hpp"
#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/moments.hpp"
#include "tessera/operators/detail/plane_stage.hpp"
#include "tessera/operators/detail/ranks.hpp"

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
    return detail::add_plane_stage<float, T>(
        pipeline, p.name, detail::MomentsOfWindow<T, detail::VarianceOfWindow>{detail::Reach::of(p.window)},
        image);
  });
}

template <class P>
detail::Entry<P> entry_of(const std::string& name, const std::string& help, const std::string& parameters,
                          const typename detail::Entry<P>::Build& build,
                          const std::vector<TypeRule>& types = detail::same_type()) {
  detail::Entry<P> entry({.name = name,
                          .group = "neighbourhood",
                          .help = help,
                          .inputs = {"image"},
                          .required_inputs = 1,
                          .parameters = {},
                          .types = types,
                          .example = "{" + name + ": a, " + parameters + "window: [5, 5]}",
                          .apply = {}},
                         build);
  entry
      .parameter("window", &P::window,
                 {.help = "The extents of the window along x and y.",
                  .unit = "pixels",
                  .least = 1,
                  .greatest = 255,
                  .odd = true})
      .parameter("border", &P::border, {.help = "The values beyond the borders."});
  return entry;
}

const detail::Entry<Window>& median_entry() {
  static const auto entry = entry_of<Window>(
      "median", "The median of a window. NaN counts as greater than all numbers.", "", build_median);
  return entry;
}
const detail::Entry<Percentile>& percentile_entry() {
  static const auto entry =
      entry_of<Percentile>(
          "percentile",
          "Of the n values of a window in ascending order, the one with the number floor(n * percent "
          "/ 100), counted from 0, as scipy.ndimage.percentile_filter. NaN counts as greater than "
          "all numbers.",
          "percent: 90, ", build_percentile)
          .parameter("percent", &Percentile::percent,
                     {.help = "The percentage of the values that are less.", .least = 0, .greatest = 100});
  return entry;
}
const detail::Entry<Window>& variance_entry() {
  static const auto entry = entry_of<Window>(
      "variance", "The variance of a window: the mean of the squares minus the square of the mean.", "",
      build_variance, detail::always(ElementType::float32));
  return entry;
}

}  // namespace

Image median(Pipeline& pipeline, const Image& image, const Window& parameters) {
  return median_entry().run(pipeline, {image}, parameters);
}
Image percentile(Pipeline& pipeline, const Image& image, const Percentile& parameters) {
  return percentile_entry().run(pipeline, {image}, parameters);
}
Image variance(Pipeline& pipeline, const Image& image, const Window& parameters) {
  return variance_entry().run(pipeline, {image}, parameters);
}

namespace detail {

std::vector<Operator> neighbourhood_operators() {
  return {median_entry().erased(), percentile_entry().erased(), variance_entry().erased()};
}

template <>
inline constexpr std::array<std::pair<std::string_view, BilateralShape>, 2> words_of<BilateralShape>{{
    {"rectangle", BilateralShape::rectangle},
    {"ellipse", BilateralShape::ellipse},
}};

}  // namespace detail

namespace {

Image build_bilateral(Pipeline& pipeline, const std::vector<Image>& images, const Bilateral& p) {
  const Image image = detail::with_border(pipeline, images[0], p.border, p.name);
  return detail::with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return detail::add_plane_stage<T, T>(pipeline, p.name, detail::BilateralMean<T>(p), image);
  });
}

const detail::Entry<Bilateral>& bilateral_entry() {
  static const auto entry =
      detail::Entry<Bilateral>(
          {.name = "bilateral",
           .group = "neighbourhood",
           .help =
               "The mean of a window, weighted by Gaussians of the distance and of the difference of values, "
               "which smooths and leaves edges. Each channel is computed by itself.",
           .inputs = {"image"},
           .required_inputs = 1,
           .parameters = {},
           .types = detail::same_type(),
           .example = "{bilateral: a, sigma: 2, contrast: 20}",
           .apply = {}},
          build_bilateral)
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
          .parameter("window", &Bilateral::window,
                     {.help = "The extents of the window along x and y.",
                      .unit = "pixels",
                      .least = 1,
                      .greatest = 2 * detail::most_bilateral_reach + 1,
                      .odd = true})
          .parameter(
              "shape", &Bilateral::shape,
              {.help = "The points of the window that count: all, or those within the ellipse whose axes "
                       "are the extents. In square windows that is the disc of OpenCV."})
          .parameter("border", &Bilateral::border, {.help = "The values beyond the borders."});
  return entry;
}

}  // namespace

Image bilateral(Pipeline& pipeline, const Image& image, const Bilateral& parameters) {
  return bilateral_entry().run(pipeline, {image}, parameters);
}

namespace detail {

std::vector<Operator> bilateral_operators() { return {bilateral_entry().erased()}; }

}  // namespace detail
}  // namespace tessera::operators
