// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/image_stage.hpp"
#include "tessera/operators/point.hpp"

namespace tessera::operators {
namespace {

using detail::add_byte_function, detail::add_stage, detail::typed, detail::with_image_type;

/// A stage body: the greatest value minus each point.
template <class T>
struct Inverted {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    return tessera::cast<T>(T(detail::white<T>) - in(x, y, c));
  }
};

/// A stage body: the absolute value of each point.
struct Absolute {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    return tessera::abs(in(x, y, c));
  }
};

/// A stage body: each point times a factor, plus an offset.
template <class T>
struct Affine {
  float factor;
  float offset;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    return tessera::rounded<T>(tessera::cast<float>(in(x, y, c)) * factor + offset);
  }
};

/// A curve of tones: the values between `black` and `white`, stretched by a power law. All are values of an
/// image, not shares.
struct Curve {
  float black;
  float range;
  float exponent;
  float low;
  float high;

  /// Returns the new value of a point.
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V& value) const {
    const auto share = clamp((value - black) / range, 0.0f, 1.0f);
    return low + (high - low) * detail::either(share > 0.0f, detail::power(share, exponent), 0.0f);
  }
};

/// A stage body: the line of a curve whose exponent is 1.
template <class T>
struct StretchedLine {
  float black;
  float range;
  float low;
  float high;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    const auto share = clamp((tessera::cast<float>(in(x, y, c)) - black) / range, 0.0f, 1.0f);
    return tessera::rounded<T>(low + (high - low) * share);
  }
};

/// A stage body: a curve, computed for each point.
struct CurveOfPoint {
  Curve curve;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    return curve(in(x, y, c));
  }
};
/// The body of a value: the curve at each number of 16 bits.
struct CurveOfIndex {
  Curve curve;
  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord i) const {
    return tessera::rounded<std::uint16_t>(curve(tessera::cast<float>(i)));
  }
};
/// A stage body: each point is replaced by an element of an array.
struct Replaced {
  template <class In, class Entries, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Entries& entries, Coord x, Coord y, Coord c) const {
    return entries(tessera::cast<int>(in(x, y, c)));
  }
};

/// Returns the difference of two limits of a curve. Throws ParameterError if it is beyond the range of float.
float difference_of(float greater, float less, const std::string& name) {
  if (!std::isfinite(greater - less))
    throw ParameterError(name + " is too far from the other limit: no float32 can be their difference", name);
  return greater - less;
}

Image add_curve(const Call<Levels>& p) {
  const Image& image = p.images[0];
  if (image.type == ElementType::uint8)
    return add_byte_function(p, image, [&p](double value) {
      const double share = std::clamp((value / 255 - p.black) / (p.white - p.black), 0.0, 1.0);
      return 255 * (p.low + (p.high - p.low) * std::pow(share, p.exponent));
    });
  return with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    const auto value = [](double share) { return static_cast<float>(share * detail::white<T>); };
    const float range = difference_of(value(p.white), value(p.black), "white");
    difference_of(value(p.high), value(p.low), "high");
    if (p.exponent == 1)
      return add_stage<T>(p, StretchedLine<T>{value(p.black), range, value(p.low), value(p.high)},
                          image.domain, typed<T>(image));
    const Curve curve{value(p.black), range, static_cast<float>(p.exponent), value(p.low), value(p.high)};
    if constexpr (std::is_floating_point_v<T>) {
      return add_stage<T>(p, CurveOfPoint{curve}, image.domain, typed<T>(image));
    } else {
      const auto entries = p.pipeline.values<std::uint16_t>(p.name + "_curve", CurveOfIndex{curve}, 65536);
      return add_stage<std::uint16_t>(p, Replaced{}, image.domain, typed<std::uint16_t>(image), entries);
    }
  });
}

Image build_levels(const Call<Levels>& p) {
  if (!(p.black < p.white)) throw ParameterError("black must be less than white", "black");
  return add_curve(p);
}

Image build_gamma(const Call<Gamma>& p) { return add_curve({{.exponent = p.exponent}, p, p.images}); }

Image build_lookup(const Call<LookupTable>& p) {
  if (p.table.size() != 256)
    throw ParameterError("table has " + std::to_string(p.table.size()) + " entries: it must have 256",
                         "table");
  return add_byte_function(p, p.images[0],
                           [&p](double value) { return p.table[static_cast<std::size_t>(value)]; });
}

Image build_cast(const Call<Cast>& p) {
  return with_image_type(p.images[0].type, [&]<class From>(std::type_identity<From>) {
    return with_image_type(p.to, [&]<class To>(std::type_identity<To>) {
      const double stretch = p.full_range ? detail::white<To> / detail::white<From> : 1.0;
      return add_stage<To>(p, Affine<To>{static_cast<float>(p.scale * stretch), static_cast<float>(p.offset)},
                           p.images[0].domain, typed<From>(p.images[0]));
    });
  });
}

Image build_abs(const Call<NoParameters>& p) {
  if (p.images[0].type != ElementType::float32) return detail::add_copy(p, p.images[0]);
  return add_stage<float>(p, Absolute{}, p.images[0].domain, typed<float>(p.images[0]));
}

Image build_invert(const Call<NoParameters>& p) {
  return with_image_type(p.images[0].type, [&]<class T>(std::type_identity<T>) {
    return add_stage<T>(p, Inverted<T>{}, p.images[0].domain, typed<T>(p.images[0]));
  });
}

/// The type rules of `cast`.
std::vector<TypeRule> types_of_cast() {
  std::vector<TypeRule> types = detail::same_type();
  for (TypeRule& rule : types) rule.result = "the type that 'to' names";
  return types;
}

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

/// Returns the greatest element of T that is not above a threshold, and 0 if all are.
template <class T>
T element_below(double threshold) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(threshold);
  else
    return static_cast<T>(std::clamp(std::floor(threshold), 0.0, detail::white<T>));
}

Image build_limit(const Call<Limits>& p) {
  if (!(p.low <= p.high)) throw ParameterError("low must not be greater than high", "low");
  return with_image_type(p.images[0].type, [&]<class T>(std::type_identity<T>) {
    return add_stage<T>(p, Limited<T>{tessera::rounded<T>(p.low), tessera::rounded<T>(p.high)},
                        p.images[0].domain, typed<T>(p.images[0]));
  });
}

Image build_threshold(const Call<Threshold>& p) {
  return with_image_type(p.images[0].type, [&]<class T>(std::type_identity<T>) {
    const T low = tessera::rounded<T>(p.low), high = tessera::rounded<T>(p.high.value_or(detail::white<T>));
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
    return add_stage<T>(p, body, p.images[0].domain, typed<T>(p.images[0]));
  });
}

}  // namespace

std::vector<Operator> detail::tone_operators() {
  return {
      Entry<NoParameters>("abs", "The absolute value of each point, which changes only images of float32.",
                          "{abs: a}", build_abs),
      Entry<NoParameters>("invert",
                          "The greatest value of the type minus each point; 1 minus each point for float32.",
                          "{invert: a}", build_invert),
      Entry<Levels>("levels",
                    "Stretches the values from 'black' to 'white' to those from 'low' to 'high': low + (high "
                    "- low) * ((value - black) / (white - black)) ^ exponent. All are shares of the greatest "
                    "value of the type, which is 1 for float32. Values beyond black and white are limited to "
                    "them.",
                    "{levels: a, black: 0.1, white: 0.8}", build_levels)
          .parameter("black", &Levels::black, "The share that becomes 'low'.")
          .parameter("white", &Levels::white, "The share that becomes 'high'.")
          .parameter("exponent", &Levels::exponent, "The exponent: less than 1 makes an image brighter.",
                     {.least = 0.01, .greatest = 100})
          .parameter("low", &Levels::low, "The least share of the result.")
          .parameter("high", &Levels::high, "The greatest share of the result."),
      Entry<Gamma>(
          "gamma",
          "Raises each point to a power, as a share of the greatest value of the type, which is 1 "
          "for float32. Values are limited to shares from 0 to 1. It is scikit-image's adjust_gamma.",
          "{gamma: a, exponent: 0.4545}", build_gamma)
          .parameter("exponent", &Gamma::exponent, "The exponent: less than 1 makes an image brighter.",
                     {.least = 0.01, .greatest = 100, .required = true}),
      Entry<LookupTable>("lookup", "Replaces each point by an entry of a table.",
                         "{lookup: a, table: [0, 0, 1, 1, 2, ...]}", build_lookup)
          .types({{ElementType::uint8, "uint8"}})
          .parameter("table", &LookupTable::table, "The new value of each of the values 0 to 255.",
                     {.required = true}),
      Entry<Cast>("cast",
                  "Converts an image to another type: each point times 'scale', plus 'offset'. NaN becomes 0 "
                  "in integers. With 'full_range' it is scikit-image's img_as_ubyte, img_as_uint or "
                  "img_as_float32, except that numbers of 16 bits are rounded to bytes.",
                  "{cast: a, to: float32, full_range: true}", build_cast)
          .types(types_of_cast())
          .parameter("to", &Cast::to, "The type of the result.", {.choices = {"uint8", "uint16", "float32"}})
          .parameter("scale", &Cast::scale, "Points are multiplied by this factor.")
          .parameter("offset", &Cast::offset, "A number that is added to the product.")
          .parameter("full_range", &Cast::full_range,
                     "Whether points are also scaled so that the greatest value of one type, which is 1 for "
                     "float32, becomes the greatest value of the other type."),
      Entry<Limits>("limit", "Limits each point to a range. NaN becomes 'low'.",
                    "{limit: a, low: 16, high: 235}", build_limit)
          .parameter("low", &Limits::low, "The least value of the result.")
          .parameter("high", &Limits::high, "The greatest value of the result.", {.required = true}),
      Entry<Threshold>(
          "threshold",
          "Compares each point with a threshold. NaN is not above it. OpenCV's modes are BINARY, "
          "BINARY_INV, TRUNC, TOZERO and TOZERO_INV, in this order.",
          "{threshold: a, value: 128}", build_threshold)
          .parameter("value", &Threshold::value, "The threshold. Points are above it if they are greater.",
                     {.required = true})
          .parameter("mode", &Threshold::mode,
                     "What points above the threshold become, and what other points become: 'high' and 'low' "
                     "(binary), 'low' and 'high' (inverse), the threshold, rounded down for integers, and "
                     "the point itself (truncate), the point itself and 'low' (keep_above), or 'low' and the "
                     "point itself (keep_below).",
                     {.choices = {"binary", "inverse", "truncate", "keep_above", "keep_below"}})
          .parameter("low", &Threshold::low, "The lower value.")
          .parameter(
              "high", &Threshold::high,
              "The higher value; without it, the greatest value of the type, which is 1 for float32.")};
}

}  // namespace tessera::operators
