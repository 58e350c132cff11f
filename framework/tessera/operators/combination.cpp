// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/image_stage.hpp"
#include "tessera/operators/point.hpp"

namespace tessera::operators {
namespace {

/// A stage body: each point times a factor.
template <class T>
struct Scaled {
  float factor;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    return detail::rounded<T>(tessera::cast<float>(in(x, y, c)) * factor);
  }
};

/// A stage body: the product of two points and a factor.
template <class T>
struct ProductOfPoints {
  float scale;
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y, Coord c) const {
    const auto product = tessera::cast<float>(a(x, y, c)) * tessera::cast<float>(b(x, y, c));
    return detail::rounded<T>(product * scale);
  }
};

/// A stage body: the quotient of two points times a factor. For integers a quotient by 0 is 0.
template <class T>
struct Quotient {
  float scale;
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y, Coord c) const {
    const auto dividend = tessera::cast<float>(a(x, y, c)) * scale;
    const auto divisor = tessera::cast<float>(b(x, y, c));
    if constexpr (std::is_floating_point_v<T>) {
      return dividend / divisor;
    } else {
      const auto quotient = dividend / max(divisor, 1.0f);
      return detail::rounded<T>(select(divisor == 0.0f, 0.0f, quotient));
    }
  }
};

/// A stage body: the mean of two points, weighted by a third one.
template <class T>
struct Blend {
  template <class A, class B, class Alpha, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, const Alpha& alpha, Coord x, Coord y,
                                  Coord c) const {
    constexpr float unit = static_cast<float>(1.0 / detail::white<T>);
    const auto share = tessera::cast<float>(alpha(x, y, c)) * unit;
    const auto one = tessera::cast<float>(a(x, y, c)) * share;
    return detail::rounded<T>(one + tessera::cast<float>(b(x, y, c)) * (1.0f - share));
  }
};

/// A stage body: the sum of the squared differences of a point and two others.
struct SquaredDifferences {
  template <class Reference, class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const Reference& reference, const A& a, const B& b, Coord x, Coord y,
                                  Coord c) const {
    const auto middle = tessera::cast<float>(reference(x, y, c));
    const auto first = middle - tessera::cast<float>(a(x, y, c));
    const auto second = middle - tessera::cast<float>(b(x, y, c));
    return first * first + second * second;
  }
};

template <template <class> class Body>
Image build_dyadic(Pipeline& pipeline, const std::vector<Image>& images, const Scaling& parameters) {
  return detail::with_image_type(images[0].type, [&]<class T>(std::type_identity<T>) {
    return detail::add_stage<T>(pipeline, parameters.name, Body<T>{static_cast<float>(parameters.scale)},
                                images[0].domain, detail::typed<T>(images[0]), detail::typed<T>(images[1]));
  });
}

/// Adds the product of an image and a factor.
Image add_scaled(Pipeline& pipeline, const Image& image, double factor, const std::string& name) {
  if (image.type == ElementType::uint8)
    return detail::add_byte_function(pipeline, name, image,
                                     [factor](double value) { return value * factor; });
  if (image.type == ElementType::uint16)
    return detail::add_stage<std::uint16_t>(pipeline, name, Scaled<std::uint16_t>{static_cast<float>(factor)},
                                            image.domain, detail::typed<std::uint16_t>(image));
  return detail::add_stage<float>(pipeline, name, Scaled<float>{static_cast<float>(factor)}, image.domain,
                                  detail::typed<float>(image));
}

Image build_product(Pipeline& pipeline, const std::vector<Image>& images, const Scaling& parameters) {
  detail::check_operands(images, parameters.value);
  if (images.size() == 2) return build_dyadic<ProductOfPoints>(pipeline, images, parameters);
  return add_scaled(pipeline, images[0], *parameters.value * parameters.scale, parameters.name);
}

Image build_quotient(Pipeline& pipeline, const std::vector<Image>& images, const Scaling& parameters) {
  detail::check_operands(images, parameters.value);
  if (images.size() == 2) return build_dyadic<Quotient>(pipeline, images, parameters);
  if (*parameters.value == 0) throw ParameterError("value is 0: an image cannot be divided by it", "value");
  return add_scaled(pipeline, images[0], parameters.scale / *parameters.value, parameters.name);
}

Image build_blend(Pipeline& pipeline, const std::vector<Image>& images, const Named& p) {
  return detail::with_image_type(images[0].type, [&]<class T>(std::type_identity<T>) {
    return detail::add_stage<T>(pipeline, p.name, Blend<T>{}, images[0].domain, detail::typed<T>(images[0]),
                                detail::typed<T>(images[1]), detail::typed<T>(images[2]));
  });
}

Image build_squared_differences(Pipeline& pipeline, const std::vector<Image>& images, const Named& p) {
  return detail::with_image_type(images[0].type, [&]<class T>(std::type_identity<T>) {
    return detail::add_stage<float>(pipeline, p.name, SquaredDifferences{}, images[0].domain,
                                    detail::typed<T>(images[0]), detail::typed<T>(images[1]),
                                    detail::typed<T>(images[2]));
  });
}

detail::Entry<Scaling> scaling_entry(const std::string& name, const std::string& help,
                                     const std::string& example, const detail::Entry<Scaling>::Build& build) {
  return detail::Entry<Scaling>(name, help, example, build)
      .inputs({"image", "other"}, 1)
      .parameter("value", &Scaling::value,
                 {.help = "The constant, if there is no second image.", .optional = true})
      .parameter("scale", &Scaling::scale, {.help = "A factor of the result."});
}

}  // namespace

std::vector<Operator> detail::combination_operators() {
  return {
      scaling_entry("multiply", "Multiplies by a constant or another image, and by 'scale'.",
                    "{multiply: a, value: 1.5} or {multiply: [a, b], scale: 0.00392}", build_product),
      scaling_entry("divide",
                    "Divides by a constant or another image, and multiplies by 'scale'. A quotient of "
                    "integers by 0 is 0. The quotient by a constant is the product with its reciprocal.",
                    "{divide: a, value: 3} or {divide: [a, b], scale: 255}", build_quotient),
      Entry<Named>("blend",
                   "Blends two images: image * alpha + other * (1 - alpha). The greatest value of 'alpha', 1 "
                   "for float32, stands for 1.",
                   "{blend: [front, back, alpha]}", build_blend)
          .inputs({"image", "other", "alpha"}, 3),
      Entry<Named>("squared_differences",
                   "The sum of the squared differences of 'reference' and each of the other two images, as "
                   "in stereo vision with several cameras.",
                   "{squared_differences: [middle, left, right]}", build_squared_differences)
          .inputs({"reference", "first", "second"}, 3)
          .types(always(ElementType::float32))};
}

}  // namespace tessera::operators
