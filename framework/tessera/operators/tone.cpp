// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/image_stage.hpp"
#include "tessera/operators/point.hpp"

namespace tessera::operators {
namespace {

using detail::add_stage;
using detail::typed;
using detail::with_image_type;

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
    return detail::rounded<T>(tessera::cast<float>(in(x, y, c)) * factor + offset);
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

  /// Returns what becomes of a value.
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
    return detail::rounded<T>(low + (high - low) * share);
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
    return detail::rounded<std::uint16_t>(curve(tessera::cast<float>(i)));
  }
};
/// A stage body: each point is replaced by an element of an array.
struct Replaced {
  template <class In, class Entries, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Entries& entries, Coord x, Coord y, Coord c) const {
    return entries(tessera::cast<int>(in(x, y, c)));
  }
};

Image add_curve(Pipeline& pipeline, const Image& image, const Levels& p) {
  if (image.type == ElementType::uint8)
    return detail::add_byte_function(pipeline, p.name, image, [&p](double value) {
      const double share = std::clamp((value / 255 - p.black) / (p.white - p.black), 0.0, 1.0);
      return 255 * (p.low + (p.high - p.low) * std::pow(share, p.exponent));
    });
  return with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    const auto value = [](double share) { return static_cast<float>(share * detail::white<T>); };
    const float range = value(p.white) - value(p.black);
    if (p.exponent == 1)
      return add_stage<T>(pipeline, p.name,
                          StretchedLine<T>{value(p.black), range, value(p.low), value(p.high)}, image.domain,
                          typed<T>(image));
    const Curve curve{value(p.black), range, static_cast<float>(p.exponent), value(p.low), value(p.high)};
    if constexpr (std::is_floating_point_v<T>) {
      return add_stage<T>(pipeline, p.name, CurveOfPoint{curve}, image.domain, typed<T>(image));
    } else {
      const auto entries = pipeline.values<std::uint16_t>(p.name + "_curve", CurveOfIndex{curve}, 65536);
      return add_stage<std::uint16_t>(pipeline, p.name, Replaced{}, image.domain, typed<std::uint16_t>(image),
                                      entries);
    }
  });
}

Image build_levels(Pipeline& pipeline, const std::vector<Image>& images, const Levels& parameters) {
  if (!(parameters.black < parameters.white)) throw ParameterError("black must be less than white", "black");
  return add_curve(pipeline, images[0], parameters);
}

Image build_gamma(Pipeline& pipeline, const std::vector<Image>& images, const Gamma& parameters) {
  return add_curve(pipeline, images[0], {.exponent = parameters.exponent, .name = parameters.name});
}

Image build_lookup(Pipeline& pipeline, const std::vector<Image>& images, const LookupTable& parameters) {
  if (parameters.table.size() != 256)
    throw ParameterError(
        "table has " + std::to_string(parameters.table.size()) + " entries: it must have 256", "table");
  return detail::add_byte_function(pipeline, parameters.name, images[0], [&parameters](double value) {
    return parameters.table[static_cast<std::size_t>(value)];
  });
}

Image build_cast(Pipeline& pipeline, const std::vector<Image>& images, const Cast& p) {
  return with_image_type(images[0].type, [&]<class From>(std::type_identity<From>) {
    return with_image_type(p.to, [&]<class To>(std::type_identity<To>) {
      const double stretch = p.full_range ? detail::white<To> / detail::white<From> : 1.0;
      return add_stage<To>(pipeline, p.name,
                           Affine<To>{static_cast<float>(p.scale * stretch), static_cast<float>(p.offset)},
                           images[0].domain, typed<From>(images[0]));
    });
  });
}

Image build_abs(Pipeline& pipeline, const std::vector<Image>& images, const Named& parameters) {
  if (images[0].type != ElementType::float32) return detail::add_copy(pipeline, images[0], parameters.name);
  return add_stage<float>(pipeline, parameters.name, Absolute{}, images[0].domain, typed<float>(images[0]));
}

Image build_invert(Pipeline& pipeline, const std::vector<Image>& images, const Named& parameters) {
  return with_image_type(images[0].type, [&]<class T>(std::type_identity<T>) {
    return add_stage<T>(pipeline, parameters.name, Inverted<T>{}, images[0].domain, typed<T>(images[0]));
  });
}

/// The type rules of `cast`.
std::vector<TypeRule> types_of_cast() {
  std::vector<TypeRule> types = detail::same_type();
  for (TypeRule& rule : types) rule.result = "the type that 'to' names";
  return types;
}

}  // namespace

std::vector<Operator> detail::tone_operators() {
  return {
      Entry<Named>("abs", "The absolute value of each point, which changes only images of float32.",
                   "{abs: a}", build_abs),
      Entry<Named>("invert",
                   "The greatest value of the type minus each point; 1 minus each point for float32.",
                   "{invert: a}", build_invert),
      Entry<Levels>("levels",
                    "Stretches the values from 'black' to 'white' to those from 'low' to 'high': low + (high "
                    "- low) * ((value - black) / (white - black)) ^ exponent. All are shares of the greatest "
                    "value of the type, which is 1 for float32. Values beyond black and white are limited to "
                    "them.",
                    "{levels: a, black: 0.1, white: 0.8}", build_levels)
          .parameter("black", &Levels::black, {.help = "The share that becomes 'low'."})
          .parameter("white", &Levels::white, {.help = "The share that becomes 'high'."})
          .parameter(
              "exponent", &Levels::exponent,
              {.help = "The exponent: less than 1 makes an image brighter.", .least = 0.01, .greatest = 100})
          .parameter("low", &Levels::low, {.help = "The least share of the result."})
          .parameter("high", &Levels::high, {.help = "The greatest share of the result."}),
      Entry<Gamma>(
          "gamma",
          "Raises each point to a power, as a share of the greatest value of the type, which is 1 "
          "for float32. Values are limited to shares from 0 to 1. It is scikit-image's adjust_gamma.",
          "{gamma: a, exponent: 0.4545}", build_gamma)
          .parameter("exponent", &Gamma::exponent,
                     {.help = "The exponent: less than 1 makes an image brighter.",
                      .least = 0.01,
                      .greatest = 100,
                      .required = true}),
      Entry<LookupTable>("lookup", "Replaces each point by an entry of a table.",
                         "{lookup: a, table: [0, 0, 1, 1, 2, ...]}", build_lookup)
          .types({{ElementType::uint8, "uint8"}})
          .parameter("table", &LookupTable::table,
                     {.help = "The new value of each of the values 0 to 255.", .required = true}),
      Entry<Cast>("cast",
                  "Converts an image to another type: each point times 'scale', plus 'offset'. NaN becomes 0 "
                  "in integers. With 'full_range' it is scikit-image's img_as_ubyte, img_as_uint or "
                  "img_as_float32, but that bytes of 16 bits are rounded.",
                  "{cast: a, to: float32, full_range: true}", build_cast)
          .types(types_of_cast())
          .parameter("to", &Cast::to,
                     {.help = "The type of the result.", .choices = {"uint8", "uint16", "float32"}})
          .parameter("scale", &Cast::scale, {.help = "The factor by which points are multiplied."})
          .parameter("offset", &Cast::offset, {.help = "What is added to the product."})
          .parameter("full_range", &Cast::full_range,
                     {.help = "Whether points are also scaled so that the greatest value of one type, which "
                              "is 1 for float32, becomes that of the other."})};
}

}  // namespace tessera::operators
