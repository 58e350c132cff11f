// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/operators/detail/entry.hpp"
#include "tessera/operators/detail/image_stage.hpp"
#include "tessera/operators/point.hpp"

namespace tessera::operators {
namespace {

using detail::add_byte_function, detail::add_stage, detail::typed, detail::with_image_type;
using detail::Entry, detail::Lane;

/// The operations on two elements.
enum class Operation { add, subtract, difference, minimum, maximum, bit_and, bit_or, bit_xor };

/// The type of the operands of an operation on elements of T. For sums and differences it is a type that
/// holds them exactly.
template <Operation operation, class T>
using Operand = std::conditional_t<operation <= Operation::difference, Lane<T>, T>;

/// Returns `chosen`, one of two elements of T, or NaN if `a` is NaN.
template <class T, class A, class B>
KOKKOS_FORCEINLINE_FUNCTION auto unless_nan(const A& a, const B& chosen) {
  if constexpr (std::is_floating_point_v<T>)
    return select(a == a, chosen, a);
  else
    return tessera::cast<T>(chosen);
}

/// Returns the result of an operation on two elements of T.
template <Operation operation, class T, class A, class B>
KOKKOS_FORCEINLINE_FUNCTION auto combined(const A& a, const B& b) {
  if constexpr (operation == Operation::add)
    return detail::saturated<T>(a + b);
  else if constexpr (operation == Operation::subtract)
    return detail::saturated<T>(a - b);
  else if constexpr (operation == Operation::difference && std::is_floating_point_v<T>)
    return tessera::abs(a - b);
  else if constexpr (operation == Operation::difference)
    return detail::saturated<T>(max(a, b) - min(a, b));
  else if constexpr (operation == Operation::minimum)
    return unless_nan<T>(a, min(a, b));
  else if constexpr (operation == Operation::maximum)
    return unless_nan<T>(a, max(a, b));
  else if constexpr (operation == Operation::bit_and)
    return tessera::cast<T>(a & b);
  else if constexpr (operation == Operation::bit_or)
    return tessera::cast<T>(a | b);
  else
    return tessera::cast<T>(a ^ b);
}

/// A stage body that combines each point with a constant.
template <Operation operation, class T>
struct WithConstant {
  Operand<operation, T> constant;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    return combined<operation, T>(tessera::cast<Operand<operation, T>>(in(x, y, c)), constant);
  }
};
/// A stage body that combines the points of two images.
template <Operation operation, class T>
struct WithImage {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y, Coord c) const {
    using Number = Operand<operation, T>;
    return combined<operation, T>(tessera::cast<Number>(a(x, y, c)), tessera::cast<Number>(b(x, y, c)));
  }
};

/// Returns the constant as a Number. Integers are rounded and limited. For sums and differences the limit
/// is twice the range of T, because a constant beyond it leaves the range of T with every element.
template <class T, class Number>
Number constant_of(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<Number>(value);
  } else {
    constexpr double white = detail::white<T>;
    constexpr double least = std::is_same_v<T, Number> ? 0.0 : -2 * white;
    constexpr double greatest = std::is_same_v<T, Number> ? white : 2 * white;
    return static_cast<Number>(std::clamp(std::floor(value + 0.5), least, greatest));
  }
}

/// Throws ParameterError unless `value` is a whole number that an element of this type can have.
void check_bits(double value, ElementType type) {
  if (value < 0 || value != std::floor(value))
    throw ParameterError("value must be a whole number that is not negative", "value");
  const double greatest = type == ElementType::uint8 ? 255 : 65535;
  if (value > greatest)
    throw ParameterError(fmt::format("value is {}: it must be at most {}, the greatest value of {}", value,
                                     greatest, tessera::name_of(type)),
                         "value");
}

/// Adds the stage of an operation on one image or two.
template <Operation operation>
Image build_arithmetic(const Call<Arithmetic>& p) {
  constexpr bool integers_only = operation >= Operation::bit_and;
  detail::check_operands(p.images, p.value);
  const double value = p.value.value_or(0);
  if (integers_only) check_bits(value, p.images[0].type);
  return with_image_type(p.images[0].type, [&]<class T>(std::type_identity<T>) {
    if constexpr (integers_only && std::is_floating_point_v<T>) {
      return Image();  // the registry refuses images of floats for these operations
    } else {
      const auto input = typed<T>(p.images[0]);
      if (p.images.size() == 2)
        return add_stage<T>(p, WithImage<operation, T>{}, p.images[0].domain, input, typed<T>(p.images[1]));
      return add_stage<T>(p, WithConstant<operation, T>{constant_of<T, Operand<operation, T>>(value)},
                          p.images[0].domain, input);
    }
  });
}

template <Operation operation>
Entry<Arithmetic> arithmetic_entry(const std::string& name, const std::string& help) {
  Entry<Arithmetic> entry(name, help, "{" + name + ": a, value: 16} or {" + name + ": [a, b]}",
                          build_arithmetic<operation>);
  entry.inputs({"image", "other"}, 1);
  if (operation < Operation::bit_and)
    return entry.parameter(
        "value", &Arithmetic::value,
        "The constant, if there is no second image. It is rounded for images of integers.");
  return entry.types(detail::same_integer_type())
      .parameter("value", &Arithmetic::value,
                 "The constant, a whole number of the type, if there is no second image.");
}

/// A stage body: each point times a factor.
template <class T>
struct Scaled {
  float factor;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    return tessera::rounded<T>(tessera::cast<float>(in(x, y, c)) * factor);
  }
};

/// A stage body: the product of two points and a factor.
template <class T>
struct ProductOfPoints {
  float scale;
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y, Coord c) const {
    const auto product = tessera::cast<float>(a(x, y, c)) * tessera::cast<float>(b(x, y, c));
    return tessera::rounded<T>(product * scale);
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
      return tessera::rounded<T>(select(divisor == 0.0f, 0.0f, quotient));
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
    const auto first = tessera::cast<float>(a(x, y, c)) * share;
    return tessera::rounded<T>(first + tessera::cast<float>(b(x, y, c)) * (1.0f - share));
  }
};

/// A stage body: the sum of the squared differences of a point of the reference and those of two other
/// images.
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

/// Adds a stage whose body, a Body<T>, reads the points of two images of T.
template <template <class> class Body>
Image build_of_two(const Call<Scaling>& p) {
  return with_image_type(p.images[0].type, [&]<class T>(std::type_identity<T>) {
    return add_stage<T>(p, Body<T>{static_cast<float>(p.scale)}, p.images[0].domain, typed<T>(p.images[0]),
                        typed<T>(p.images[1]));
  });
}

/// Adds the product of an image and a factor.
Image add_scaled(const Call<Scaling>& p, double factor) {
  const Image& image = p.images[0];
  if (image.type == ElementType::uint8)
    return add_byte_function(p, image, [factor](double value) { return value * factor; });
  if (image.type == ElementType::uint16)
    return add_stage<std::uint16_t>(p, Scaled<std::uint16_t>{static_cast<float>(factor)}, image.domain,
                                    typed<std::uint16_t>(image));
  return add_stage<float>(p, Scaled<float>{static_cast<float>(factor)}, image.domain, typed<float>(image));
}

Image build_product(const Call<Scaling>& p) {
  detail::check_operands(p.images, p.value);
  if (p.images.size() == 2) return build_of_two<ProductOfPoints>(p);
  return add_scaled(p, *p.value * p.scale);
}

Image build_quotient(const Call<Scaling>& p) {
  detail::check_operands(p.images, p.value);
  if (p.images.size() == 2) return build_of_two<Quotient>(p);
  if (*p.value == 0) throw ParameterError("value is 0: an image cannot be divided by it", "value");
  return add_scaled(p, p.scale / *p.value);
}

Image build_blend(const Call<NoParameters>& p) {
  return with_image_type(p.images[0].type, [&]<class T>(std::type_identity<T>) {
    return add_stage<T>(p, Blend<T>{}, p.images[0].domain, typed<T>(p.images[0]), typed<T>(p.images[1]),
                        typed<T>(p.images[2]));
  });
}

Image build_squared_differences(const Call<NoParameters>& p) {
  return with_image_type(p.images[0].type, [&]<class T>(std::type_identity<T>) {
    return add_stage<float>(p, SquaredDifferences{}, p.images[0].domain, typed<T>(p.images[0]),
                            typed<T>(p.images[1]), typed<T>(p.images[2]));
  });
}

detail::Entry<Scaling> scaling_entry(const std::string& name, const std::string& help,
                                     const std::string& example, const detail::Entry<Scaling>::Build& build) {
  return detail::Entry<Scaling>(name, help, example, build)
      .inputs({"image", "other"}, 1)
      .parameter("value", &Scaling::value, "The constant, if there is no second image.")
      .parameter("scale", &Scaling::scale, "A factor of the result.");
}

}  // namespace

std::vector<Operator> detail::arithmetic_operators() {
  return {
      arithmetic_entry<Operation::add>("add", "Adds a constant or another image."),
      arithmetic_entry<Operation::subtract>(
          "subtract", "Subtracts a constant or another image. Negative differences of integers become 0."),
      arithmetic_entry<Operation::difference>(
          "difference", "The absolute difference of an image and a constant or another image."),
      arithmetic_entry<Operation::minimum>("minimum",
                                           "The lesser of each point and a constant or the point of another "
                                           "image; NaN if one of them is NaN."),
      arithmetic_entry<Operation::maximum>(
          "maximum",
          "The greater of each point and a constant or the point of another image; NaN if one of them is "
          "NaN."),
      arithmetic_entry<Operation::bit_and>(
          "bit_and", "The bits that each point has in common with a constant or another image."),
      arithmetic_entry<Operation::bit_or>(
          "bit_or", "The bits that are set in each point, or in a constant or another image."),
      arithmetic_entry<Operation::bit_xor>(
          "bit_xor", "The bits in which each point differs from a constant or another image."),
      scaling_entry("multiply", "Multiplies by a constant or another image, and by 'scale'.",
                    "{multiply: a, value: 1.5} or {multiply: [a, b], scale: 0.00392}", build_product),
      scaling_entry("divide",
                    "Divides by a constant or another image, and multiplies by 'scale'. A quotient of "
                    "integers by 0 is 0. The quotient by a constant is the product with its reciprocal.",
                    "{divide: a, value: 3} or {divide: [a, b], scale: 255}", build_quotient),
      Entry<NoParameters>("blend",
                          "Blends two images: image * alpha + other * (1 - alpha). The greatest value of the "
                          "type of 'alpha', which is 1 for float32, stands for 1.",
                          "{blend: [front, back, alpha]}", build_blend)
          .inputs({"image", "other", "alpha"}, 3),
      Entry<NoParameters>(
          "squared_differences",
          "The sum of the squared differences of 'reference' and each of the other two images, as "
          "in stereo vision with several cameras.",
          "{squared_differences: [middle, left, right]}", build_squared_differences)
          .inputs({"reference", "first", "second"}, 3)
          .types(always(ElementType::float32))};
}

}  // namespace tessera::operators
