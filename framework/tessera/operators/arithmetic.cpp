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

using detail::Entry, detail::Lane;

// Each operation combines two elements of T. `Number` is the type in which it takes them.

template <class T>
struct AddPoints {
  using Number = Lane<T>;
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static auto apply(const A& a, const B& b) {
    return detail::saturated<T>(a + b);
  }
};
template <class T>
struct SubtractPoints {
  using Number = Lane<T>;
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static auto apply(const A& a, const B& b) {
    return detail::saturated<T>(a - b);
  }
};
template <class T>
struct DifferenceOfPoints {
  using Number = Lane<T>;
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static auto apply(const A& a, const B& b) {
    if constexpr (std::is_floating_point_v<T>)
      return tessera::abs(a - b);
    else
      return detail::saturated<T>(max(a, b) - min(a, b));
  }
};
/// Returns `chosen`, one of two elements of T, or NaN if `a` is NaN.
template <class T, class A, class B>
KOKKOS_FORCEINLINE_FUNCTION auto unless_nan(const A& a, const B& chosen) {
  if constexpr (std::is_floating_point_v<T>)
    return select(a == a, chosen, a);
  else
    return tessera::cast<T>(chosen);
}
template <class T>
struct LesserPoint {
  using Number = T;
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static auto apply(const A& a, const B& b) {
    return unless_nan<T>(a, min(a, b));
  }
};
template <class T>
struct GreaterPoint {
  using Number = T;
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static auto apply(const A& a, const B& b) {
    return unless_nan<T>(a, max(a, b));
  }
};
template <class T>
struct AndBits {
  using Number = T;
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static auto apply(const A& a, const B& b) {
    return tessera::cast<T>(a & b);
  }
};
template <class T>
struct OrBits {
  using Number = T;
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static auto apply(const A& a, const B& b) {
    return tessera::cast<T>(a | b);
  }
};
template <class T>
struct XorBits {
  using Number = T;
  template <class A, class B>
  KOKKOS_FORCEINLINE_FUNCTION static auto apply(const A& a, const B& b) {
    return tessera::cast<T>(a ^ b);
  }
};

/// A stage body that combines each point with a constant.
template <class Operation>
struct WithConstant {
  typename Operation::Number constant;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    return Operation::apply(tessera::cast<typename Operation::Number>(in(x, y, c)), constant);
  }
};
/// A stage body that combines the points of two images.
template <class Operation>
struct WithImage {
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y, Coord c) const {
    using Number = typename Operation::Number;
    return Operation::apply(tessera::cast<Number>(a(x, y, c)), tessera::cast<Number>(b(x, y, c)));
  }
};

/// Returns the constant as a Number. Integers are rounded, and limited to the range in which they matter:
/// even the difference to an element is beyond the range of T if a constant is beyond twice that range.
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

/// Throws ParameterError unless images of this type have bits for the constant.
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
template <template <class> class Operation, bool integers_only = false>
Image build_arithmetic(Pipeline& pipeline, const std::vector<Image>& images, const Arithmetic& parameters) {
  detail::check_operands(images, parameters.value);
  const double value = parameters.value.value_or(0);
  if (integers_only) check_bits(value, images[0].type);
  return detail::with_image_type(images[0].type, [&]<class T>(std::type_identity<T>) {
    if constexpr (integers_only && std::is_floating_point_v<T>) {
      return Image();  // the registry lets no such image pass
    } else {
      using Op = Operation<T>;
      const auto input = detail::typed<T>(images[0]);
      if (images.size() == 2)
        return detail::add_stage<T>(pipeline, parameters.name, WithImage<Op>{}, images[0].domain, input,
                                    detail::typed<T>(images[1]));
      return detail::add_stage<T>(pipeline, parameters.name,
                                  WithConstant<Op>{constant_of<T, typename Op::Number>(value)},
                                  images[0].domain, input);
    }
  });
}

Entry<Arithmetic> arithmetic_entry(const std::string& name, const std::string& help, bool integers_only,
                                   const Entry<Arithmetic>::Build& build) {
  Entry<Arithmetic> entry(name, help, "{" + name + ": a, value: 16} or {" + name + ": [a, b]}", build);
  if (integers_only) entry.types(detail::same_integer_type());
  return entry.inputs({"image", "other"}, 1)
      .parameter(
          "value", &Arithmetic::value,
          {.help = integers_only ? "The constant, a whole number of the type, if there is no second image."
                                 : "The constant, if there is no second image. It is rounded for images of "
                                   "integers.",
           .optional = true});
}

}  // namespace

std::vector<Operator> detail::arithmetic_operators() {
  return {
      arithmetic_entry("add", "Adds a constant or another image.", false, build_arithmetic<AddPoints>),
      arithmetic_entry("subtract",
                       "Subtracts a constant or another image. Negative differences of integers become 0.",
                       false, build_arithmetic<SubtractPoints>),
      arithmetic_entry("difference", "The absolute difference of an image and a constant or another image.",
                       false, build_arithmetic<DifferenceOfPoints>),
      arithmetic_entry("minimum",
                       "The lesser of each point and a constant or the point of another image; NaN if one of "
                       "them is NaN.",
                       false, build_arithmetic<LesserPoint>),
      arithmetic_entry("maximum",
                       "The greater of each point and a constant or the point of another image; NaN if one "
                       "of them is NaN.",
                       false, build_arithmetic<GreaterPoint>),
      arithmetic_entry("bit_and", "The bits that each point has in common with a constant or another image.",
                       true, build_arithmetic<AndBits, true>),
      arithmetic_entry("bit_or", "The bits that are set in each point, or in a constant or another image.",
                       true, build_arithmetic<OrBits, true>),
      arithmetic_entry("bit_xor", "The bits in which each point differs from a constant or another image.",
                       true, build_arithmetic<XorBits, true>)};
}

}  // namespace tessera::operators
