// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/extremes.hpp"
#include "tessera/operators/neighbourhood.hpp"
#include "tessera/operators/point.hpp"

namespace tessera::operators {
namespace detail {

template <>
inline constexpr std::array<std::pair<std::string_view, WindowShape>, 3> words_of<WindowShape>{{
    {"rectangle", WindowShape::rectangle},
    {"ellipse", WindowShape::ellipse},
    {"cross", WindowShape::cross},
}};

}  // namespace detail

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
    half_widths[static_cast<std::size_t>(j)] = static_cast<std::uint8_t>(half_width);
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

Image build_erode(Pipeline& pipeline, const std::vector<Image>& images, const Morphology& p) {
  return add_extreme<false>(pipeline, images[0], p, p.name);
}
Image build_dilate(Pipeline& pipeline, const std::vector<Image>& images, const Morphology& p) {
  return add_extreme<true>(pipeline, images[0], p, p.name);
}
Image build_open(Pipeline& pipeline, const std::vector<Image>& images, const Morphology& p) {
  return add_extreme<true>(pipeline, add_extreme<false>(pipeline, images[0], p, p.name + "_eroded"), p,
                           p.name);
}
Image build_close(Pipeline& pipeline, const std::vector<Image>& images, const Morphology& p) {
  return add_extreme<false>(pipeline, add_extreme<true>(pipeline, images[0], p, p.name + "_dilated"), p,
                            p.name);
}
Image build_morphological_gradient(Pipeline& pipeline, const std::vector<Image>& images,
                                   const Morphology& p) {
  const Image greatest = add_extreme<true>(pipeline, images[0], p, p.name + "_dilated");
  return subtract(pipeline, greatest, add_extreme<false>(pipeline, images[0], p, p.name + "_eroded"),
                  {.name = p.name});
}
Image build_top_hat(Pipeline& pipeline, const std::vector<Image>& images, const Morphology& p) {
  Morphology opening = p;
  opening.name = p.name + "_opened";
  return subtract(pipeline, images[0], build_open(pipeline, images, opening), {.name = p.name});
}
Image build_black_hat(Pipeline& pipeline, const std::vector<Image>& images, const Morphology& p) {
  Morphology closing = p;
  closing.name = p.name + "_closed";
  return subtract(pipeline, build_close(pipeline, images, closing), images[0], {.name = p.name});
}

detail::Entry<Morphology> morphology_entry(const std::string& name, const std::string& help,
                                           const detail::Entry<Morphology>::Build& build) {
  detail::Entry<Morphology> entry({.name = name,
                                   .group = "neighbourhood",
                                   .help = help,
                                   .inputs = {"image"},
                                   .required_inputs = 1,
                                   .parameters = {},
                                   .types = detail::same_type(),
                                   .example = "{" + name + ": a, window: [5, 5], shape: ellipse}",
                                   .apply = {}},
                                  build);
  entry
      .parameter("window", &Morphology::window,
                 {.help = "The extents of the window along x and y.",
                  .unit = "pixels",
                  .least = 1,
                  .greatest = 2 * detail::Spans::most_rows + 1,
                  .odd = true})
      .parameter(
          "shape", &Morphology::shape,
          {.help = "The points of the window that count: all, those of an ellipse, or those of the "
                   "column and of the row in the middle. They are those of OpenCV's getStructuringElement."})
      .parameter("border", &Morphology::border, {.help = "The values beyond the borders."});
  return entry;
}

const detail::Entry<Morphology>& erode_entry() {
  static const auto entry = morphology_entry(
      "erode", "The least value of a window. With the border 'clamp' it is that of the points in the image.",
      build_erode);
  return entry;
}
const detail::Entry<Morphology>& dilate_entry() {
  static const auto entry = morphology_entry(
      "dilate",
      "The greatest value of a window. With the border 'clamp' it is that of the points in the image.",
      build_dilate);
  return entry;
}
const detail::Entry<Morphology>& open_entry() {
  static const auto entry = morphology_entry(
      "open",
      "Erodes (stage <name>_eroded) and then dilates, which removes what is brighter and smaller "
      "than the window.",
      build_open);
  return entry;
}
const detail::Entry<Morphology>& close_entry() {
  static const auto entry = morphology_entry(
      "close",
      "Dilates (stage <name>_dilated) and then erodes, which removes what is darker and smaller "
      "than the window.",
      build_close);
  return entry;
}
const detail::Entry<Morphology>& morphological_gradient_entry() {
  static const auto entry = morphology_entry(
      "morphological_gradient",
      "The difference of the greatest and the least value of a window (stages <name>_dilated and "
      "<name>_eroded).",
      build_morphological_gradient);
  return entry;
}
const detail::Entry<Morphology>& top_hat_entry() {
  static const auto entry = morphology_entry(
      "top_hat",
      "The difference of an image and its opening (stages <name>_opened_eroded and <name>_opened): "
      "what is brighter and smaller than the window.",
      build_top_hat);
  return entry;
}
const detail::Entry<Morphology>& black_hat_entry() {
  static const auto entry = morphology_entry(
      "black_hat",
      "The difference of the closing of an image (stages <name>_closed_dilated and <name>_closed) "
      "and the image: what is darker and smaller than the window.",
      build_black_hat);
  return entry;
}
}  // namespace

Image erode(Pipeline& pipeline, const Image& image, const Morphology& parameters) {
  return erode_entry().run(pipeline, {image}, parameters);
}
Image dilate(Pipeline& pipeline, const Image& image, const Morphology& parameters) {
  return dilate_entry().run(pipeline, {image}, parameters);
}
Image open(Pipeline& pipeline, const Image& image, const Morphology& parameters) {
  return open_entry().run(pipeline, {image}, parameters);
}
Image close(Pipeline& pipeline, const Image& image, const Morphology& parameters) {
  return close_entry().run(pipeline, {image}, parameters);
}
Image morphological_gradient(Pipeline& pipeline, const Image& image, const Morphology& parameters) {
  return morphological_gradient_entry().run(pipeline, {image}, parameters);
}
Image top_hat(Pipeline& pipeline, const Image& image, const Morphology& parameters) {
  return top_hat_entry().run(pipeline, {image}, parameters);
}
Image black_hat(Pipeline& pipeline, const Image& image, const Morphology& parameters) {
  return black_hat_entry().run(pipeline, {image}, parameters);
}

namespace detail {

std::vector<Operator> morphology_operators() {
  return {erode_entry().erased(),
          dilate_entry().erased(),
          open_entry().erased(),
          close_entry().erased(),
          morphological_gradient_entry().erased(),
          top_hat_entry().erased(),
          black_hat_entry().erased()};
}

}  // namespace detail
}  // namespace tessera::operators
