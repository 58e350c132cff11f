// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/image_stage.hpp"
#include "tessera/operators/point.hpp"

namespace tessera::operators {
namespace {

/// A stage body: each point within limits.
template <class T>
struct Limited {
  T low;
  T high;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    return tessera::cast<T>(clamp(in(x, y, c), low, high));
  }
};

/// A stage body that compares each point with a threshold. The results are `above` or `below`, or the point
/// itself.
template <class T>
struct Compared {
  T threshold;
  T above;
  T below;
  bool keeps_above;
  bool keeps_below;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    const auto value = in(x, y, c);
    const auto if_above = select(keeps_above, value, above);
    const auto if_below = select(keeps_below, value, below);
    return tessera::cast<T>(select(value > threshold, if_above, if_below));
  }
};

/// Returns a number as an element of T. Integers are rounded to the nearest, and limited to the range.
template <class T>
T element_near(double number) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(number);
  else
    return static_cast<T>(std::clamp(std::floor(number + 0.5), 0.0, detail::white<T>));
}
/// Returns the greatest element of T that is not above a threshold, and 0 if all are.
template <class T>
T element_below(double threshold) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(threshold);
  else
    return static_cast<T>(std::clamp(std::floor(threshold), 0.0, detail::white<T>));
}

Image build_limit(Pipeline& pipeline, const std::vector<Image>& images, const Limits& p) {
  if (!(p.low <= p.high)) throw ParameterError("low must not be greater than high", "low");
  return detail::with_image_type(images[0].type, [&]<class T>(std::type_identity<T>) {
    return detail::add_stage<T>(pipeline, p.name, Limited<T>{element_near<T>(p.low), element_near<T>(p.high)},
                                images[0].domain, detail::typed<T>(images[0]));
  });
}

Image build_threshold(Pipeline& pipeline, const std::vector<Image>& images, const Threshold& p) {
  return detail::with_image_type(images[0].type, [&]<class T>(std::type_identity<T>) {
    const T low = element_near<T>(p.low), high = element_near<T>(p.high.value_or(detail::white<T>));
    const T threshold = element_below<T>(p.value);
    const bool truncates = p.mode == ThresholdMode::truncate, inverse = p.mode == ThresholdMode::inverse;
    Compared<T> body{threshold,
                     truncates                                        ? threshold
                     : inverse || p.mode == ThresholdMode::keep_below ? low
                                                                      : high,
                     inverse ? high : low, p.mode == ThresholdMode::keep_above,
                     truncates || p.mode == ThresholdMode::keep_below};
    // All integers are above a negative threshold, and their type has no such threshold.
    if (std::is_integral_v<T> && p.value < 0) {
      body.below = body.above;
      body.keeps_below = body.keeps_above;
    }
    return detail::add_stage<T>(pipeline, p.name, body, images[0].domain, detail::typed<T>(images[0]));
  });
}

}  // namespace

std::vector<Operator> detail::threshold_operators() {
  return {
      Entry<Limits>("limit", "Limits each point to a range. NaN becomes 'low'.",
                    "{limit: a, low: 16, high: 235}", build_limit)
          .parameter("low", &Limits::low, {.help = "The least value of the result."})
          .parameter("high", &Limits::high, {.help = "The greatest value of the result.", .required = true}),
      Entry<Threshold>(
          "threshold",
          "Compares each point with a threshold. NaN is not above it. OpenCV's modes are BINARY, "
          "BINARY_INV, TRUNC, TOZERO and TOZERO_INV, in this order.",
          "{threshold: a, value: 128}", build_threshold)
          .parameter("value", &Threshold::value,
                     {.help = "The threshold. Points are above it if they are greater.", .required = true})
          .parameter("mode", &Threshold::mode,
                     {.help = "What becomes of points above the threshold, and of others: 'high' and 'low'; "
                              "'low' and 'high'; the threshold, rounded down for integers, and the point; "
                              "the point and 'low'; 'low' and the point.",
                      .choices = {"binary", "inverse", "truncate", "keep_above", "keep_below"}})
          .parameter("low", &Threshold::low, {.help = "The lower value."})
          .parameter("high", &Threshold::high,
                     {.help = "The higher value. Without it this is the greatest value of the type, 1 for "
                              "float32.",
                      .optional = true})};
}

}  // namespace tessera::operators
