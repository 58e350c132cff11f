// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/convolution.hpp"

#include <cmath>

#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/means.hpp"
#include "tessera/operators/detail/tap_sum.hpp"

namespace tessera::operators {
namespace {

using detail::Taps, detail::add_plane_stage, detail::add_separable, detail::add_stage, detail::add_tap_sum,
    detail::gaussian_weights, detail::typed, detail::with_border, detail::with_image_type;

/// A kernel as the product of a column and a row.
struct Separated {
  std::vector<double> row;
  std::vector<double> column;
};

double sum_of(const Matrix& kernel) {
  double sum = 0;
  for (const auto& row : kernel)
    for (double weight : row) sum += weight;
  return sum;
}

/// Returns the column and the row whose product is the kernel, or empty ones if there are none. They are
/// found at the row and the column of the greatest weight.
Separated product_of(const Matrix& kernel) {
  std::size_t top = 0, left = 0;
  for (std::size_t j = 0; j < kernel.size(); ++j)
    for (std::size_t i = 0; i < kernel[j].size(); ++i)
      if (std::abs(kernel[j][i]) > std::abs(kernel[top][left])) top = j, left = i;
  const double greatest = kernel[top][left];
  Separated product;
  for (double weight : kernel[top]) product.row.push_back(weight / greatest);
  for (const auto& row : kernel) product.column.push_back(row[left]);
  const double tolerance = 1e-6 * std::abs(greatest);
  for (std::size_t j = 0; j < kernel.size(); ++j)
    for (std::size_t i = 0; i < kernel[j].size(); ++i)
      if (std::abs(kernel[j][i] - product.column[j] * product.row[i]) > tolerance) return {};
  return product;
}

void check_kernel(const Convolution& parameters) {
  const Matrix& kernel = parameters.kernel;
  for (const auto& row : kernel)
    if (row.size() != kernel[0].size())
      throw ParameterError("kernel has rows of different lengths", "kernel");
  const std::size_t width = kernel[0].size(), height = kernel.size();
  const std::string weights =
      "kernel has " + std::to_string(width) + " x " + std::to_string(height) + " weights: ";
  if (width % 2 == 0 || height % 2 == 0)
    throw ParameterError(weights + "both numbers must be odd, so that there is a middle", "kernel");
  if (width > detail::largest_kernel || height > detail::largest_kernel)
    throw ParameterError(weights + "at most 31 x 31 are possible", "kernel");
  if (parameters.normalise && std::abs(sum_of(kernel)) < 1e-12)
    throw ParameterError("normalise is true, but the weights of the kernel add up to 0", "normalise");
}

/// Returns the weights in the opposite order, as a convolution has them.
std::vector<double> turned(const std::vector<double>& weights) { return {weights.rbegin(), weights.rend()}; }

Image build_convolution(const Call<Convolution>& p) {
  check_kernel(p);
  const ElementType result = p.float_result ? ElementType::float32 : p.images[0].type;
  const double scale = p.normalise ? p.scale / sum_of(p.kernel) : p.scale;
  const Image image = with_border(p, p.images[0], p.border);
  const int width = static_cast<int>(p.kernel[0].size()), height = static_cast<int>(p.kernel.size());
  // A sum along x and one along y are faster, unless the kernel has few weights.
  if (width > 1 && height > 1 && width * height > 9)
    if (const Separated product = product_of(p.kernel); !product.row.empty())
      return add_separable(p, image, result, turned(product.row), turned(product.column), scale, p.offset);
  Taps taps;
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i)
      taps.add(i - width / 2, j - height / 2, p.kernel[height - 1 - j][width - 1 - i]);
  return add_tap_sum(p, image, result, taps, scale, p.offset);
}

Image build_gaussian(const Call<Gaussian>& p) {
  const Image image = with_border(p, p.images[0], p.border);
  const auto weights = gaussian_weights(p.sigma, p.truncate);
  if (image.type == ElementType::uint8 && detail::FixedWeights::can_have(weights))
    return detail::add_fixed_means(p, image, weights);
  return add_separable(p, image, image.type, weights, weights);
}

Image build_box(const Call<Window>& p) {
  const Image image = with_border(p, p.images[0], p.border);
  // In small windows, adding floats one by one is as fast, in two stages that the planner computes in tiles.
  constexpr int few = 15;
  if (image.type == ElementType::float32 && p.window[0] <= few && p.window[1] <= few)
    return add_separable(
        p, image, image.type, std::vector<double>(static_cast<std::size_t>(p.window[0]), 1.0),
        std::vector<double>(static_cast<std::size_t>(p.window[1]), 1.0), 1.0 / (p.window[0] * p.window[1]));
  return with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return add_plane_stage<T, T>(p, detail::MeanOfWindow<T>::of({p.window[0] / 2, p.window[1] / 2}), image);
  });
}

/// A stage body: the size of the gradient. Derivatives have the weights `side`, `middle`, `side` along edges.
/// `Root` chooses the root of the sum of squares, and not the sum of absolute values.
template <class T, bool Root>
struct GradientSize {
  /// The number of rows that are computed together: they share most of what they read.
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
      return tessera::rounded<T>(sqrt(fx * fx + fy * fy));
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
    return tessera::rounded<T>(value + amount * (value - smooth(x, y, c)));
  }
};

/// Adds a gradient whose derivatives have the weights `side`, `middle`, `side` along edges.
Image add_gradient(const Call<Gradient>& p, int side, int middle) {
  const Image image = with_border(p, p.images[0], p.border);
  if (p.part == GradientPart::x || p.part == GradientPart::y)
    return add_tap_sum(p, image, ElementType::float32,
                       Taps::derivative(p.part == GradientPart::x, side, middle));
  return with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    using Number = detail::Lane<T>;
    const auto a = static_cast<Number>(side), b = static_cast<Number>(middle);
    if (p.part == GradientPart::root)
      return add_stage<T>(p, GradientSize<T, true>{a, b}, image.domain, typed<T>(image));
    return add_stage<T>(p, GradientSize<T, false>{a, b}, image.domain, typed<T>(image));
  });
}

Image build_laplacian(const Call<Laplacian>& p) {
  const Image image = with_border(p, p.images[0], p.border);
  Taps taps;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) {
      if (i == 0 && j == 0)
        taps.add(0, 0, p.diagonals ? -8 : -4);
      else if (p.diagonals || i == 0 || j == 0)
        taps.add(i, j, 1);
    }
  return add_tap_sum(p, image, ElementType::float32, taps);
}

Image build_unsharp(const Call<Unsharp>& p) {
  const Image image = with_border(p, p.images[0], p.border);
  const auto weights = gaussian_weights(p.sigma);
  const Image smooth = add_separable(p + "_smooth", image, ElementType::float32, weights, weights);
  return with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return add_stage<T>(p, Sharpened<T>{static_cast<float>(p.amount)}, image.domain, typed<T>(p.images[0]),
                        typed<float>(smooth));
  });
}

/// A stage body: the root of the sum of two squares.
struct RootOfSquares {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& dx, const In& dy, Coord x, Coord y, Coord c) const {
    const auto a = dx(x, y, c), b = dy(x, y, c);
    return sqrt(a * a + b * b);
  }
};

/// A stage body: the size of a gradient where it is the greatest along its direction, which is rounded to a
/// multiple of 45 degrees. If two neighbours are equal, the first one stays.
struct Suppressed {
  float low;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& size, const In& dx, const In& dy, Coord x, Coord y,
                                  Coord c) const {
    constexpr float tangent = 0.41421356f;  // of 22.5 degrees
    const auto a = dx(x, y, c), b = dy(x, y, c), here = size(x, y, c);
    const auto along_x = tessera::abs(b) <= tessera::abs(a) * tangent;
    const auto along_y = tessera::abs(a) <= tessera::abs(b) * tangent;
    const auto falls = a * b > 0.0f;  // the gradient points to the lower right or to the upper left
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

Image build_thin_edges(const Call<ThinEdges>& p) {
  const Image image = with_border(p, p.images[0], p.border);
  const auto weights = gaussian_weights(p.sigma);
  const Image smooth = with_border(
      p + "_smooth", add_separable(p + "_smooth", image, ElementType::float32, weights, weights), p.border);
  const Image dx = add_tap_sum(p + "_dx", smooth, ElementType::float32, Taps::derivative(true, 1, 2));
  const Image dy = add_tap_sum(p + "_dy", smooth, ElementType::float32, Taps::derivative(false, 1, 2));
  const auto x = typed<float>(dx), y = typed<float>(dy);
  const Image size = with_border(
      p + "_size", add_stage<float>(p + "_size", RootOfSquares{}, image.domain, x, y), Boundary::constant);
  return add_stage<float>(p, Suppressed{static_cast<float>(p.low)}, image.domain, typed<float>(size), x, y);
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
             [side, middle](const Call<Gradient>& p) { return add_gradient(p, side, middle); })
      .types(types)
      .parameter("part", &Gradient::part,
                 "The result: the sum of the absolute derivatives, the root of the sum of their squares, or "
                 "one of the derivatives, as float32.",
                 {.choices = {"sum", "root", "x", "y"}})
      .border();
}

}  // namespace

std::vector<Operator> detail::convolution_operators() {
  return {
      Entry<Convolution>(
          "convolution",
          "The convolution with a matrix of weights, times 'scale', plus 'offset', as scipy.ndimage.convolve "
          "with the same border. The kernel is turned by half a turn; OpenCV's filter2D does not turn it. A "
          "kernel that is the product of a column and a row is computed along x and then along y.",
          "{convolution: a, kernel: [[0, -1, 0], [-1, 5, -1], [0, -1, 0]]}", build_convolution)
          .parameter("kernel", &Convolution::kernel,
                     "The weights, row by row. The numbers of rows and columns are odd, at most 31.",
                     {.required = true})
          .parameter("scale", &Convolution::scale, "A factor of the sum.")
          .parameter("offset", &Convolution::offset, "A number that is added to the sum.")
          .parameter("normalise", &Convolution::normalise, "Whether the weights are divided by their sum.")
          .parameter("float_result", &Convolution::float_result,
                     "Whether the result is of float32, so that it may be negative.")
          .border(),
      Entry<Gaussian>(
          "gaussian",
          "Smooths by a Gaussian, along x (stage <name>_x) and then along y, as scipy.ndimage with the same "
          "border; the default border of scipy.ndimage is another one. OpenCV ends the weights after 3 "
          "standard deviations for images of uint8. Images of uint8 are computed in fixed-point arithmetic "
          "of 16 bits if there are at most 32 weights on each side: before it is rounded, a value is off by "
          "less than 0.05. Images of one value stay as they are.",
          "{gaussian: a, sigma: 2}", build_gaussian)
          .sigma()
          .parameter("truncate", &Gaussian::truncate,
                     "The number of standard deviations after which the weights end.",
                     {.least = 1, .greatest = 8})
          .border(),
      Entry<Window>(
          "box",
          "The mean of a window. Sums of integers are exact. For float32 and windows of at most 15 x 15 "
          "points, sums along x are a stage of their own (<name>_x).",
          "{box: a, window: [5, 5]}", build_box)
          .window(255)
          .border(),
      gradient_entry("sobel", "Sobel's", 1, 2),
      gradient_entry("scharr", "Scharr's", 3, 10),
      gradient_entry("prewitt", "Prewitt's", 1, 1),
      Entry<Laplacian>("laplacian",
                       "The sum of the neighbours minus the point times their number. It has the sign of "
                       "OpenCV's and scipy's Laplacian; scikit-image's has the opposite sign.",
                       "{laplacian: a}", build_laplacian)
          .types(always(ElementType::float32))
          .parameter("diagonals", &Laplacian::diagonals, "Whether diagonal neighbours count, too.")
          .border(),
      Entry<Unsharp>("unsharp",
                     "Sharpens by unsharp masking: image + amount * (image - smoothed image). The smoothed "
                     "image is a Gaussian of 4 standard deviations to each side, <name>_smooth, as float32.",
                     "{unsharp: a, sigma: 1.5, amount: 0.8}", build_unsharp)
          .sigma()
          .parameter("amount", &Unsharp::amount, "How much of the difference is added.")
          .border(),
      Entry<ThinEdges>("thin_edges",
                       "The first steps of Canny's detector of edges: the root of the squares of Sobel's "
                       "derivatives of a smoothed image (stages <name>_smooth, <name>_dx, <name>_dy and "
                       "<name>_size), where the root is the greatest along the direction of the gradient, "
                       "and 0 elsewhere. Beyond the borders the gradient is 0. This operator does not follow "
                       "edges from strong to weak ones; inputs/chain/canny.yaml does. Of two equal gradients "
                       "that follow each other the first one stays; OpenCV keeps neither along diagonals.",
                       "{thin_edges: a, sigma: 1.4, low: 40}", build_thin_edges)
          .types(always(ElementType::float32))
          .sigma()
          .parameter("low", &ThinEdges::low, "Smaller gradients become 0.")
          .border()};
}

}  // namespace tessera::operators
