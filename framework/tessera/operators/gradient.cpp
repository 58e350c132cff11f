// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/convolution.hpp"
#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/tap_sum.hpp"

namespace tessera::operators {
namespace {

/// A stage body: the size of the gradient. Derivatives have the weights `side`, `middle`, `side` along edges.
/// `Root` chooses the root of the sum of squares, and not the sum of absolute values.
template <class T, bool Root>
struct GradientSize {
  /// Four rows share most of what they read.
  static constexpr int rows_together = 4;
  using Number = detail::Lane<T>;
  Number side;
  Number middle;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    const auto at = [&](int i, int j) { return tessera::cast<Number>(in(x + i, y + j, c)); };
    const auto sum = [&](const auto& first, const auto& second, const auto& third) {
      return tessera::cast<Number>(side * tessera::cast<Number>(first + third) + middle * second);
    };
    const auto dx =
        tessera::cast<Number>(sum(at(1, -1), at(1, 0), at(1, 1)) - sum(at(-1, -1), at(-1, 0), at(-1, 1)));
    const auto dy =
        tessera::cast<Number>(sum(at(-1, 1), at(0, 1), at(1, 1)) - sum(at(-1, -1), at(0, -1), at(1, -1)));
    if constexpr (Root) {
      const auto fx = tessera::cast<float>(dx), fy = tessera::cast<float>(dy);
      return detail::rounded<T>(sqrt(fx * fx + fy * fy));
    } else {
      return detail::saturated<T>(tessera::abs(dx) + tessera::abs(dy));
    }
  }
};

/// A stage body: an image plus a multiple of its difference to a smoothed one.
template <class T>
struct Sharpened {
  float amount;
  template <class In, class Smooth, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Smooth& smooth, Coord x, Coord y, Coord c) const {
    const auto value = tessera::cast<float>(in(x, y, c));
    return detail::rounded<T>(value + amount * (value - smooth(x, y, c)));
  }
};

/// Adds a gradient whose derivatives have the weights `side`, `middle`, `side` along edges.
Image add_gradient(Pipeline& pipeline, const Image& given, const Gradient& p, int side, int middle) {
  const Image image = detail::with_border(pipeline, given, p.border, p.name);
  if (p.part == GradientPart::x || p.part == GradientPart::y)
    return detail::add_tap_sum(pipeline, p.name, image, ElementType::float32,
                               detail::Taps::derivative(p.part == GradientPart::x, side, middle));
  return detail::with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    using Number = detail::Lane<T>;
    const auto a = static_cast<Number>(side), b = static_cast<Number>(middle);
    if (p.part == GradientPart::root)
      return detail::add_stage<T>(pipeline, p.name, GradientSize<T, true>{a, b}, image.domain,
                                  detail::typed<T>(image));
    return detail::add_stage<T>(pipeline, p.name, GradientSize<T, false>{a, b}, image.domain,
                                detail::typed<T>(image));
  });
}

Image build_laplacian(Pipeline& pipeline, const std::vector<Image>& images, const Laplacian& p) {
  const Image image = detail::with_border(pipeline, images[0], p.border, p.name);
  detail::Taps taps;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) {
      if (i == 0 && j == 0)
        taps.add(0, 0, p.diagonals ? -8 : -4);
      else if (p.diagonals || i == 0 || j == 0)
        taps.add(i, j, 1);
    }
  return detail::add_tap_sum(pipeline, p.name, image, ElementType::float32, taps);
}

Image build_unsharp(Pipeline& pipeline, const std::vector<Image>& images, const Unsharp& p) {
  const Image image = detail::with_border(pipeline, images[0], p.border, p.name);
  const auto weights = detail::gaussian_weights(p.sigma, detail::gaussian_radius(p.sigma, 4));
  const Image smooth =
      detail::add_separable(pipeline, p.name + "_smooth", image, ElementType::float32, weights, weights);
  return detail::with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return detail::add_stage<T>(pipeline, p.name, Sharpened<T>{static_cast<float>(p.amount)}, image.domain,
                                detail::typed<T>(images[0]), detail::typed<float>(smooth));
  });
}

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

detail::Entry<Gradient> gradient_entry(const std::string& name, const std::string& who, int side,
                                       int middle) {
  const std::string weights =
      std::to_string(side) + " " + std::to_string(middle) + " " + std::to_string(side);
  std::vector<TypeRule> types = detail::same_type();
  for (TypeRule& rule : types)
    if (rule.taken != ElementType::float32) rule.result += ", or float32 for the parts x and y";
  return detail::Entry<Gradient>(
             name,
             "The gradient by " + who + " operators, with the weights " + weights +
                 " along edges. Sums are not divided by the sum of the weights, as scikit-image does.",
             "{" + name + ": a}",
             [side, middle](Pipeline& pipeline, const std::vector<Image>& images,
                            const Gradient& parameters) {
               return add_gradient(pipeline, images[0], parameters, side, middle);
             })
      .types(types)
      .parameter(
          "part", &Gradient::part,
          {.help =
               "The result: the sum of the absolute derivatives, the root of the sum of their squares, or "
               "one of the derivatives, as float32.",
           .choices = {"sum", "root", "x", "y"}})
      .border();
}

}  // namespace

std::vector<Operator> detail::gradient_operators() {
  return {
      gradient_entry("sobel", "Sobel's", 1, 2),
      gradient_entry("scharr", "Scharr's", 3, 10),
      gradient_entry("prewitt", "Prewitt's", 1, 1),
      Entry<Laplacian>("laplacian",
                       "The sum of the neighbours minus the point times their number. It has the sign of "
                       "OpenCV's and scipy's, and the opposite one of scikit-image's.",
                       "{laplacian: a}", build_laplacian)
          .types(always(ElementType::float32))
          .parameter("diagonals", &Laplacian::diagonals, {.help = "Whether diagonal neighbours count, too."})
          .border(),
      Entry<Unsharp>("unsharp",
                     "Sharpens by unsharp masking: image + amount * (image - smoothed image). The smoothed "
                     "image is a Gaussian of 4 standard deviations to each side, <name>_smooth, as float32.",
                     "{unsharp: a, sigma: 1.5, amount: 0.8}", build_unsharp)
          .parameter("sigma", &Unsharp::sigma,
                     {.help = "The standard deviation.", .unit = "pixels", .least = 0.1, .greatest = 50})
          .parameter("amount", &Unsharp::amount, {.help = "How much of the difference is added."})
          .border(),
      Entry<ThinEdges>(
          "thin_edges",
          "The first steps of Canny's detector of edges: the root of the squares of Sobel's derivatives of a "
          "smoothed image (stages <name>_smooth, <name>_dx, <name>_dy and <name>_size), where it is the "
          "greatest along its direction, and 0 elsewhere. Beyond the borders the gradient is 0. Edges are "
          "not followed from strong to weak ones: inputs/chain/canny.yaml does so. Of two equal gradients "
          "that follow each other the first one stays; OpenCV keeps neither along diagonals.",
          "{thin_edges: a, sigma: 1.4, low: 40}", build_thin_edges)
          .types(always(ElementType::float32))
          .parameter("sigma", &ThinEdges::sigma,
                     {.help = "The standard deviation.", .unit = "pixels", .least = 0.1, .greatest = 50})
          .parameter("low", &ThinEdges::low, {.help = "Smaller gradients become 0."})
          .border()};
}

}  // namespace tessera::operators
