// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/detail/bilateral_mean.hpp"
#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/families.hpp"
#include "tessera/operators/detail/plane_stage.hpp"
#include "tessera/operators/neighbourhood.hpp"

namespace tessera::operators {
namespace detail {

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
