// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/convolution.hpp"
#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/families.hpp"
#include "tessera/operators/detail/smoothing.hpp"
#include "tessera/operators/detail/tap_sum.hpp"

namespace tessera::operators {
namespace {

/// A stage body: the root of the sum of two squares.
struct Size {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& dx, const In& dy, Coord x, Coord y, Coord c) const {
    const auto a = dx(x, y, c), b = dy(x, y, c);
    return sqrt(a * a + b * b);
  }
};

/// A stage body: the size of a gradient where it is the greatest along its direction, which is rounded to a
/// multiple of 45 degrees. Of two equal sizes the first one stays.
struct Suppressed {
  float low;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& size, const In& dx, const In& dy, Coord x, Coord y,
                                  Coord c) const {
    constexpr float tangent = 0.41421356f;  // of half of 45 degrees
    const auto a = dx(x, y, c), b = dy(x, y, c), here = size(x, y, c);
    const auto along_x = tessera::abs(b) <= tessera::abs(a) * tangent;
    const auto along_y = tessera::abs(a) <= tessera::abs(b) * tangent;
    const auto falls = a * b > 0.0f;  // the direction of both lower right and upper left
    const auto choose = [&](const auto& left, const auto& above, const auto& falling, const auto& rising) {
      return select(along_x, left, select(along_y, above, select(falls, falling, rising)));
    };
    const auto before =
        choose(size(x - 1, y, c), size(x, y - 1, c), size(x - 1, y - 1, c), size(x + 1, y - 1, c));
    const auto after =
        choose(size(x + 1, y, c), size(x, y + 1, c), size(x + 1, y + 1, c), size(x - 1, y + 1, c));
    return select(here > before && here >= after && here >= low, here, 0.0f);
  }
};

Image build_thin_edges(Pipeline& pipeline, const std::vector<Image>& images, const ThinEdges& p) {
  const Image image = detail::with_border(pipeline, images[0], p.border, p.name);
  const auto weights = detail::gaussian_weights(p.sigma, detail::gaussian_radius(p.sigma, 4));
  const Image smooth = detail::with_border(
      pipeline,
      detail::add_separable(pipeline, p.name + "_smooth", image, ElementType::float32, weights, weights),
      p.border, p.name + "_smooth");
  const Image dx = detail::add_tap_sum(pipeline, p.name + "_dx", smooth, ElementType::float32,
                                       detail::Taps::derivative(true, 1, 2));
  const Image dy = detail::add_tap_sum(pipeline, p.name + "_dy", smooth, ElementType::float32,
                                       detail::Taps::derivative(false, 1, 2));
  const auto x = detail::typed<float>(dx), y = detail::typed<float>(dy);
  const Image size = detail::with_border(
      pipeline, detail::add_stage<float>(pipeline, p.name + "_size", Size{}, image.domain, x, y),
      Boundary::constant, p.name + "_size");
  return detail::add_stage<float>(pipeline, p.name, Suppressed{static_cast<float>(p.low)}, image.domain,
                                  detail::typed<float>(size), x, y);
}

const detail::Entry<ThinEdges>& thin_edges_entry() {
  static const auto entry =
      detail::Entry<ThinEdges>(
          {.name = "thin_edges",
           .group = "convolution",
           .help = "The first steps of Canny's detector of edges: the root of the "
                   "squares of Sobel's derivatives of "
                   "a smoothed image (stages <name>_smooth, <name>_dx, <name>_dy and "
                   "<name>_size), where it is the "
                   "greatest along its direction, and 0 elsewhere. Beyond the borders "
                   "the gradient is 0. Edges are "
                   "not followed from strong to weak ones: inputs/chain/canny.yaml does so. Of two equal "
                   "gradients that follow each other the first one stays; OpenCV keeps "
                   "neither along diagonals.",
           .inputs = {"image"},
           .required_inputs = 1,
           .parameters = {},
           .types = detail::always(ElementType::float32),
           .example = "{thin_edges: a, sigma: 1.4, low: 40}",
           .apply = {}},
          build_thin_edges)
          .parameter("sigma", &ThinEdges::sigma,
                     {.help = "The standard deviation.", .unit = "pixels", .least = 0.1, .greatest = 50})
          .parameter("low", &ThinEdges::low, {.help = "Smaller gradients become 0."})
          .parameter("border", &ThinEdges::border, {.help = "The values beyond the borders."});
  return entry;
}

}  // namespace

Image thin_edges(Pipeline& pipeline, const Image& image, const ThinEdges& parameters) {
  return thin_edges_entry().run(pipeline, {image}, parameters);
}

namespace detail {

std::vector<Operator> edge_operators() { return {thin_edges_entry().erased()}; }

}  // namespace detail
}  // namespace tessera::operators
