// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/convolution.hpp"

#include <cmath>

#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/fixed_sum.hpp"
#include "tessera/operators/detail/means.hpp"
#include "tessera/operators/detail/tap_sum.hpp"

namespace tessera::operators {
namespace detail {

std::vector<double> gaussian_weights(double sigma, int radius) {
  std::vector<double> weights;
  double sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    weights.push_back(std::exp(-0.5 * i * i / (sigma * sigma)));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

int gaussian_radius(double sigma, double truncate) { return static_cast<int>(truncate * sigma + 0.5); }

Image add_separable(Pipeline& pipeline, const std::string& name, const Image& image, ElementType result,
                    const std::vector<double>& along_x, const std::vector<double>& along_y, double scale,
                    double offset) {
  const Image rows = add_tap_sum(pipeline, name + "_x", image, ElementType::float32, Taps::along_x(along_x));
  return add_tap_sum(pipeline, name, rows, result, Taps::along_y(along_y), scale, offset);
}

}  // namespace detail

namespace {

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

/// Returns the kernel as a product, with empty factors if it is none. The factors have the row and the column
/// of the greatest weight.
Separated product_of(const Matrix& kernel) {
  std::size_t top = 0, left = 0;
  for (std::size_t j = 0; j < kernel.size(); ++j)
    for (std::size_t i = 0; i < kernel[j].size(); ++i)
      if (std::abs(kernel[j][i]) > std::abs(kernel[top][left])) top = j, left = i;
  const double greatest = kernel[top][left];
  Separated product;
  for (double weight : kernel[top]) product.row.push_back(weight / greatest);
  for (const auto& row : kernel) product.column.push_back(row[left]);
  for (std::size_t j = 0; j < kernel.size(); ++j)
    for (std::size_t i = 0; i < kernel[j].size(); ++i)
      if (std::abs(kernel[j][i] - product.column[j] * product.row[i]) > 1e-6 * std::abs(greatest)) return {};
  return product;
}

void check_kernel(const Convolution& parameters) {
  const Matrix& kernel = parameters.kernel;
  for (const auto& row : kernel)
    if (row.size() != kernel[0].size())
      throw ParameterError("kernel has rows of different lengths", "kernel");
  const std::size_t width = kernel[0].size(), height = kernel.size();
  if (width % 2 == 0 || height % 2 == 0)
    throw ParameterError("kernel has " + std::to_string(width) + " x " + std::to_string(height) +
                             " weights: both numbers must be odd, so that there is a middle",
                         "kernel");
  if (width > detail::largest_kernel || height > detail::largest_kernel)
    throw ParameterError("kernel has " + std::to_string(width) + " x " + std::to_string(height) +
                             " weights: at most 31 x 31 are possible",
                         "kernel");
  if (parameters.normalise && std::abs(sum_of(kernel)) < 1e-12)
    throw ParameterError("normalise is true, but the weights of the kernel add up to 0", "normalise");
}

/// Returns the weights in the opposite order, as a convolution has them.
std::vector<double> turned(const std::vector<double>& weights) { return {weights.rbegin(), weights.rend()}; }

Image build_convolution(Pipeline& pipeline, const std::vector<Image>& images, const Convolution& p) {
  check_kernel(p);
  const ElementType result = p.float_result ? ElementType::float32 : images[0].type;
  const double scale = p.normalise ? p.scale / sum_of(p.kernel) : p.scale;
  const Image image = detail::with_border(pipeline, images[0], p.border, p.name);
  const int width = static_cast<int>(p.kernel[0].size()), height = static_cast<int>(p.kernel.size());
  if (width > 1 && height > 1 && width * height > 9)
    if (const Separated product = product_of(p.kernel); !product.row.empty())
      return detail::add_separable(pipeline, p.name, image, result, turned(product.row),
                                   turned(product.column), scale, p.offset);
  detail::Taps taps;
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i)
      taps.add(i - width / 2, j - height / 2,
               p.kernel[static_cast<std::size_t>(height - 1 - j)][static_cast<std::size_t>(width - 1 - i)]);
  return detail::add_tap_sum(pipeline, p.name, image, result, taps, scale, p.offset);
}

Image build_gaussian(Pipeline& pipeline, const std::vector<Image>& images, const Gaussian& p) {
  const Image image = detail::with_border(pipeline, images[0], p.border, p.name);
  const auto weights = detail::gaussian_weights(p.sigma, detail::gaussian_radius(p.sigma, p.truncate));
  if (image.type == ElementType::uint8 && detail::FixedWeights::can_have(weights))
    return detail::add_fixed_means(pipeline, p.name, image, weights);
  return detail::add_separable(pipeline, p.name, image, image.type, weights, weights);
}

Image build_box(Pipeline& pipeline, const std::vector<Image>& images, const Window& p) {
  const Image image = detail::with_border(pipeline, images[0], p.border, p.name);
  // Few floats are added as fast one by one, in two stages that the planner computes in tiles.
  constexpr int few = 15;
  if (image.type == ElementType::float32 && p.window[0] <= few && p.window[1] <= few)
    return detail::add_separable(
        pipeline, p.name, image, image.type, std::vector<double>(static_cast<std::size_t>(p.window[0]), 1.0),
        std::vector<double>(static_cast<std::size_t>(p.window[1]), 1.0), 1.0 / (p.window[0] * p.window[1]));
  return detail::with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return detail::add_plane_stage<T, T>(
        pipeline, p.name, detail::MeanOfWindow<T>::of({p.window[0] / 2, p.window[1] / 2}), image);
  });
}

}  // namespace

std::vector<Operator> detail::convolution_operators() {
  return {
      Entry<Convolution>(
          "convolution",
          "The convolution with a matrix of weights, times 'scale', plus 'offset', as scipy.ndimage.convolve "
          "with the same border: the kernel is turned by half a turn, which OpenCV's filter2D does not do. A "
          "kernel that is the product of a column and a row is computed along x and then along y.",
          "{convolution: a, kernel: [[0, -1, 0], [-1, 5, -1], [0, -1, 0]]}", build_convolution)
          .parameter("kernel", &Convolution::kernel,
                     {.help = "The weights, row by row. The numbers of rows and columns are odd, at most 31.",
                      .required = true})
          .parameter("scale", &Convolution::scale, {.help = "A factor of the sum."})
          .parameter("offset", &Convolution::offset, {.help = "What is added to the sum."})
          .parameter("normalise", &Convolution::normalise,
                     {.help = "Whether the weights are divided by their sum."})
          .parameter("float_result", &Convolution::float_result,
                     {.help = "Whether the result is of float32, so that it may be negative."})
          .border(),
      Entry<Gaussian>(
          "gaussian",
          "Smooths by a Gaussian, along x (stage <name>_x) and then along y, as scipy.ndimage with the same "
          "border, whose default there is another one. OpenCV ends the weights after 3 standard deviations "
          "for images of uint8. These are computed in fixed-point arithmetic of 16 bits if there are at most "
          "32 weights on each side: before it is rounded, a value is off by less than 0.05. Images of one "
          "value stay as they are.",
          "{gaussian: a, sigma: 2}", build_gaussian)
          .parameter("sigma", &Gaussian::sigma,
                     {.help = "The standard deviation.", .unit = "pixels", .least = 0.1, .greatest = 50})
          .parameter("truncate", &Gaussian::truncate,
                     {.help = "The number of standard deviations after which the weights end.",
                      .least = 1,
                      .greatest = 8})
          .border(),
      Entry<Window>(
          "box",
          "The mean of a window. Sums of integers are exact. For float32 and windows of at most 15 x 15 "
          "points, sums along x are a stage of their own (<name>_x).",
          "{box: a, window: [5, 5]}", build_box)
          .window(255)
          .border()};
}

}  // namespace tessera::operators
