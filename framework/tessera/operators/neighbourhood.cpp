// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/neighbourhood.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/extremes.hpp"
#include "tessera/operators/detail/families.hpp"
#include "tessera/operators/detail/moments.hpp"
#include "tessera/operators/detail/ranks.hpp"
#include "tessera/operators/point.hpp"

namespace tessera::operators {
namespace {

detail::Reach reach_of(const std::array<int, 2>& window) { return {window[0] / 2, window[1] / 2}; }

/// Adds the least or the greatest element of a window as a stage with the name `name`.
template <bool Greatest>
Image add_extreme(Pipeline& pipeline, const Image& given, const Window& p, const std::string& name) {
  const Image image = detail::with_border(pipeline, given, p.border, name);
  return detail::with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return detail::add_plane_stage<T, T>(pipeline, name,
                                         detail::ExtremeOfWindow<T, Greatest>{reach_of(p.window)}, image);
  });
}

Image build_erode(Pipeline& pipeline, const std::vector<Image>& images, const Window& p) {
  return add_extreme<false>(pipeline, images[0], p, p.name);
}
Image build_dilate(Pipeline& pipeline, const std::vector<Image>& images, const Window& p) {
  return add_extreme<true>(pipeline, images[0], p, p.name);
}
Image build_open(Pipeline& pipeline, const std::vector<Image>& images, const Window& p) {
  return add_extreme<true>(pipeline, add_extreme<false>(pipeline, images[0], p, p.name + "_eroded"), p,
                           p.name);
}
Image build_close(Pipeline& pipeline, const std::vector<Image>& images, const Window& p) {
  return add_extreme<false>(pipeline, add_extreme<true>(pipeline, images[0], p, p.name + "_dilated"), p,
                            p.name);
}
Image build_gradient(Pipeline& pipeline, const std::vector<Image>& images, const Window& p) {
  const Image greatest = add_extreme<true>(pipeline, images[0], p, p.name + "_dilated");
  return subtract(pipeline, greatest, add_extreme<false>(pipeline, images[0], p, p.name + "_eroded"),
                  {.name = p.name});
}
Image build_top_hat(Pipeline& pipeline, const std::vector<Image>& images, const Window& p) {
  Window opening = p;
  opening.name = p.name + "_opened";
  return subtract(pipeline, images[0], build_open(pipeline, images, opening), {.name = p.name});
}
Image build_black_hat(Pipeline& pipeline, const std::vector<Image>& images, const Window& p) {
  Window closing = p;
  closing.name = p.name + "_closed";
  return subtract(pipeline, build_close(pipeline, images, closing), images[0], {.name = p.name});
}

Image add_rank(Pipeline& pipeline, const Image& given, const Window& p, int rank) {
  const Image image = detail::with_border(pipeline, given, p.border, p.name);
  return detail::with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return detail::add_plane_stage<T, T>(pipeline, p.name, detail::RankOfWindow<T>{reach_of(p.window), rank},
                                         image);
  });
}
Image build_median(Pipeline& pipeline, const std::vector<Image>& images, const Window& p) {
  return add_rank(pipeline, images[0], p, reach_of(p.window).count() / 2);
}
Image build_percentile(Pipeline& pipeline, const std::vector<Image>& images, const Percentile& p) {
  const int count = reach_of(p.window).count();
  const int rank = std::min(static_cast<int>(std::floor(count * p.percent / 100)), count - 1);
  return add_rank(pipeline, images[0], {.window = p.window, .border = p.border, .name = p.name}, rank);
}
Image build_variance(Pipeline& pipeline, const std::vector<Image>& images, const Window& p) {
  const Image image = detail::with_border(pipeline, images[0], p.border, p.name);
  return detail::with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return detail::add_plane_stage<float, T>(
        pipeline, p.name, detail::MomentsOfWindow<T, detail::VarianceOfWindow>{reach_of(p.window)}, image);
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

const detail::Entry<Window>& erode_entry() {
  static const auto entry = entry_of<Window>(
      "erode", "The least value of a window. With the border 'clamp' it is that of the points in the image.",
      "", build_erode);
  return entry;
}
const detail::Entry<Window>& dilate_entry() {
  static const auto entry = entry_of<Window>(
      "dilate",
      "The greatest value of a window. With the border 'clamp' it is that of the points in the image.", "",
      build_dilate);
  return entry;
}
const detail::Entry<Window>& open_entry() {
  static const auto entry = entry_of<Window>(
      "open",
      "Erodes (stage <name>_eroded) and then dilates, which removes what is brighter and smaller "
      "than the window.",
      "", build_open);
  return entry;
}
const detail::Entry<Window>& close_entry() {
  static const auto entry = entry_of<Window>(
      "close",
      "Dilates (stage <name>_dilated) and then erodes, which removes what is darker and smaller "
      "than the window.",
      "", build_close);
  return entry;
}
const detail::Entry<Window>& gradient_entry() {
  static const auto entry = entry_of<Window>(
      "morphological_gradient",
      "The difference of the greatest and the least value of a window (stages <name>_dilated and "
      "<name>_eroded).",
      "", build_gradient);
  return entry;
}
const detail::Entry<Window>& top_hat_entry() {
  static const auto entry = entry_of<Window>(
      "top_hat",
      "The difference of an image and its opening (stages <name>_opened_eroded and <name>_opened): "
      "what is brighter and smaller than the window.",
      "", build_top_hat);
  return entry;
}
const detail::Entry<Window>& black_hat_entry() {
  static const auto entry = entry_of<Window>(
      "black_hat",
      "The difference of the closing of an image (stages <name>_closed_dilated and <name>_closed) "
      "and the image: what is darker and smaller than the window.",
      "", build_black_hat);
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

Image erode(Pipeline& pipeline, const Image& image, const Window& parameters) {
  return erode_entry().run(pipeline, {image}, parameters);
}
Image dilate(Pipeline& pipeline, const Image& image, const Window& parameters) {
  return dilate_entry().run(pipeline, {image}, parameters);
}
Image open(Pipeline& pipeline, const Image& image, const Window& parameters) {
  return open_entry().run(pipeline, {image}, parameters);
}
Image close(Pipeline& pipeline, const Image& image, const Window& parameters) {
  return close_entry().run(pipeline, {image}, parameters);
}
Image morphological_gradient(Pipeline& pipeline, const Image& image, const Window& parameters) {
  return gradient_entry().run(pipeline, {image}, parameters);
}
Image top_hat(Pipeline& pipeline, const Image& image, const Window& parameters) {
  return top_hat_entry().run(pipeline, {image}, parameters);
}
Image black_hat(Pipeline& pipeline, const Image& image, const Window& parameters) {
  return black_hat_entry().run(pipeline, {image}, parameters);
}
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
  return {erode_entry().erased(),     dilate_entry().erased(),   open_entry().erased(),
          close_entry().erased(),     gradient_entry().erased(), top_hat_entry().erased(),
          black_hat_entry().erased(), median_entry().erased(),   percentile_entry().erased(),
          variance_entry().erased()};
}

}  // namespace detail
}  // namespace tessera::operators
