// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/extremes.hpp"
#include "tessera/operators/neighbourhood.hpp"
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

template <bool Greatest>
Image build_extreme(Pipeline& pipeline, const std::vector<Image>& images, const Morphology& p) {
  return add_extreme<Greatest>(pipeline, images[0], p, p.name);
}
/// Adds one kind of extremes, and then the other kind of these: a closing if `Greatest`, else an opening.
template <bool Greatest>
Image build_extremes(Pipeline& pipeline, const std::vector<Image>& images, const Morphology& p) {
  const std::string first = p.name + (Greatest ? "_dilated" : "_eroded");
  return add_extreme<!Greatest>(pipeline, add_extreme<Greatest>(pipeline, images[0], p, first), p, p.name);
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
  return subtract(pipeline, images[0], build_extremes<false>(pipeline, images, opening), {.name = p.name});
}
Image build_black_hat(Pipeline& pipeline, const std::vector<Image>& images, const Morphology& p) {
  Morphology closing = p;
  closing.name = p.name + "_closed";
  return subtract(pipeline, build_extremes<true>(pipeline, images, closing), images[0], {.name = p.name});
}

detail::Entry<Morphology> morphology_entry(const std::string& name, const std::string& help,
                                           const detail::Entry<Morphology>::Build& build) {
  return detail::Entry<Morphology>(name, help, "{" + name + ": a, window: [5, 5], shape: ellipse}", build)
      .window(2 * detail::Spans::most_rows + 1)
      .parameter(
          "shape", &Morphology::shape,
          {.help = "The points of the window that count: all, those of an ellipse, or those of the "
                   "column and of the row in the middle. They are those of OpenCV's getStructuringElement.",
           .choices = {"rectangle", "ellipse", "cross"}})
      .border();
}

}  // namespace

std::vector<Operator> detail::morphology_operators() {
  return {
      morphology_entry(
          "erode",
          "The least value of a window. With the border 'clamp' it is that of the points in the image.",
          build_extreme<false>),
      morphology_entry(
          "dilate",
          "The greatest value of a window. With the border 'clamp' it is that of the points in the image.",
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
                       build_black_hat)};
}

}  // namespace tessera::operators
