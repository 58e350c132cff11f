// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/families.hpp"
#include "tessera/operators/detail/keys.hpp"
#include "tessera/operators/detail/plane_stage.hpp"
#include "tessera/operators/neighbourhood.hpp"
#include "tessera/view/vectorised.hpp"

namespace tessera::operators {
namespace {

/// The greatest number of columns or rows on each side of the middle of a window.
constexpr int most_reach = 15;

/// Returns e^-t for t >= 0, with an error below 2e-7. Compilers vectorise it, and it has the same bits
/// everywhere. 2^-n is made of its bits, and the rest is a Taylor series.
KOKKOS_FORCEINLINE_FUNCTION float exp_of_negative(float t) {
  const float y = t < 60.0f ? t * -1.44269504f : -86.5617f;
  const int whole = static_cast<int>(y - 0.5f);
  const float f = y - static_cast<float>(whole);
  constexpr float terms[] = {
      1.54035304e-4f, 1.33335581e-3f, 9.61812911e-3f, 5.55041087e-2f, 2.40226507e-1f, 6.93147181e-1f, 1.0f};
  float sum = terms[0];
  for (int i = 1; i < 7; ++i) sum = sum * f + terms[i];
  return sum * bit_cast<float>((whole + 127) << 23);
}

/// A stage body: the mean of a window, weighted by how near and how alike the points are.
template <class T>
struct BilateralMean {
  detail::Reach reach;
  /// The factor of the square of a difference in the exponent.
  float alike;
  float near_x[2 * most_reach + 1];
  float near_y[2 * most_reach + 1];

  Box footprint(int, const Box& box) const { return reach.around(box); }

  template <class In>
  KOKKOS_FUNCTION auto operator()(const In& in, Coordinate x, Coordinate y, Coordinate c) const {
    const float middle = static_cast<float>(in(x, y, c));
    float sum = 0, weights = 0;
    for (int j = -reach.y; j <= reach.y; ++j)
      for (int i = -reach.x; i <= reach.x; ++i)
        add(static_cast<float>(in(x + i, y + j, c)), middle, near_x[i + reach.x] * near_y[j + reach.y], alike,
            sum, weights);
    return detail::rounded<T>(sum / weights);
  }

#ifdef TESSERA_COMPUTES_PLANES
  void plane(const detail::Plane<const T>& in, const detail::Plane<T>& out, Range columns, Range rows) const {
    for (std::int64_t y = rows.begin; y < rows.end; ++y)
      for (std::int64_t x = columns.begin; x < columns.end; x += block)
        points(in, out.row(y) + x, x, y, static_cast<int>(std::min<std::int64_t>(block, columns.end - x)));
  }
#endif

 private:
  static constexpr int block = 64;

  KOKKOS_FORCEINLINE_FUNCTION static void add(float value, float middle, float near, float alike, float& sum,
                                              float& weights) {
    const float difference = value - middle;
    const float weight = near * exp_of_negative(difference * difference * alike);
    sum = sum + weight * value;
    weights = weights + weight;
  }

#ifdef TESSERA_COMPUTES_PLANES
  void points(const detail::Plane<const T>& in, T* out, std::int64_t x, std::int64_t y, int count) const {
    float middle[block], sum[block] = {}, weights[block] = {};
    const T* const row = in.row(y) + x;
    for (int k = 0; k < count; ++k) middle[k] = static_cast<float>(row[k]);
    const float factor = alike;
    for (int j = -reach.y; j <= reach.y; ++j)
      for (int i = -reach.x; i <= reach.x; ++i) {
        const T* const from = in.row(y + j) + x + i;
        const float near = near_x[i + reach.x] * near_y[j + reach.y];
        TESSERA_VECTORISED
        for (int k = 0; k < count; ++k)
          add(static_cast<float>(from[k]), middle[k], near, factor, sum[k], weights[k]);
      }
    for (int k = 0; k < count; ++k) out[k] = static_cast<T>(detail::rounded<T>(sum[k] / weights[k]));
  }
#endif
};

Image build_bilateral(Pipeline& pipeline, const std::vector<Image>& images, const Bilateral& p) {
  const Image image = detail::with_border(pipeline, images[0], p.border, p.name);
  return detail::with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    BilateralMean<T> body{
        {p.window[0] / 2, p.window[1] / 2}, static_cast<float>(0.5 / (p.contrast * p.contrast)), {}, {}};
    for (int i = -most_reach; i <= most_reach; ++i) {
      const float near = exp_of_negative(static_cast<float>(0.5 * i * i / (p.sigma * p.sigma)));
      if (i >= -body.reach.x && i <= body.reach.x) body.near_x[i + body.reach.x] = near;
      if (i >= -body.reach.y && i <= body.reach.y) body.near_y[i + body.reach.y] = near;
    }
    return detail::add_plane_stage<T, T>(pipeline, p.name, body, image);
  });
}

const detail::Entry<Bilateral>& bilateral_entry() {
  static const auto entry =
      detail::Entry<Bilateral>(
          {.name = "bilateral",
           .group = "neighbourhood",
           .help =
               "The mean of a window, weighted by Gaussians of the distance and of the difference of values, "
               "which "
               "smooths and leaves edges. Windows are rectangles, and those of OpenCV discs. Each channel is "
               "computed by itself.",
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
                      .greatest = 2 * most_reach + 1,
                      .odd = true})
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
