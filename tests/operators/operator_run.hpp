// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "domain/random.hpp"
#include "pipeline/array_source.hpp"
#include "tessera/domain/boundary.hpp"
#include "tessera/operators/registry.hpp"

namespace tessera::test {

/// A border that decks name, and what is beyond it.
struct Border {
  std::string name;
  BoundaryConditions conditions;
};
inline BoundaryConditions around(Boundary boundary) {
  BoundaryConditions conditions(boundary);
  conditions.side[2] = {};
  return conditions;
}
inline const std::vector<Border>& borders() {
  static const std::vector<Border> all = {{"clamp", around(Boundary::clamp)},
                                          {"mirror", around(Boundary::mirror)},
                                          {"mirror_interior", around(Boundary::mirror_interior)},
                                          {"constant", around(Boundary::constant)},
                                          {"periodic", around(Boundary::periodic)}};
  return all;
}

/// The points of images with awkward extents: grey ones, ones in colour, and ones of a single point.
std::vector<Box> operator_boxes();

/// Which numbers an image of float has.
enum class Pixels {
  finite,  ///< numbers of [-2, 3], most of them in [0, 1]
  any      ///< also NaN, infinite ones, and -0
};
/// A random image.
template <class T>
WholeArray<T> random_pixels(Random& random, const Box& box, Pixels pixels = Pixels::finite);

/// How a pipeline is run.
enum class Scheduling {
  plain,  ///< by the default schedule on one rank
  random  ///< by a random schedule on up to 16 ranks, most often on at most 4
};

/// Runs a pipeline with inputs of In and one output of Out in one process.
template <class In, class Out>
class OperatorRun {
 public:
  OperatorRun(Random& random, const Algorithm& pipeline, const std::vector<std::string>& names,
              const std::vector<WholeArray<In>>& inputs, const operators::Image& output, Scheduling run);

  /// The output.
  WholeArray<Out> result;
  /// The schedule, for messages.
  std::string text;
};

/// Expects an operator to give `expected`, by the default schedule on one rank and by a random one.
template <class In, class Out>
void expect_operator(Random& random, const std::string& name, const operators::ParameterValues& values,
                     const std::vector<WholeArray<In>>& inputs, const WholeArray<Out>& expected);
/// Expects an operator to give, with the same bits for both schedules, numbers that are off by at most
/// `error` from `exact`, before they are rounded to Out.
template <class In, class Out>
void expect_near(Random& random, const std::string& name, const operators::ParameterValues& values,
                 const std::vector<WholeArray<In>>& inputs, const WholeArray<double>& exact, double error);

/// By how much results of T may be off before they are rounded, if they are computed as float32.
template <class T>
constexpr double float_error() {
  return std::is_floating_point_v<T> ? 1e-5 : std::is_same_v<T, std::uint8_t> ? 0.01 : 0.05;
}

/// The array with the points `box` whose values are at(p).
template <class T, class At>
WholeArray<T> computed(const Box& box, const At& at) {
  WholeArray<T> result(box);
  for_each_point(box, [&](const Point& p) { result.at(p) = static_cast<T>(at(p)); });
  return result;
}

/// A number as an element of T: rounded to the nearest, halves up, and within the range.
template <class T>
T stored(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    const double most = std::numeric_limits<T>::max(), nearest = std::floor(value + 0.5);
    return static_cast<T>(!(nearest > 0) ? 0 : nearest > most ? most : nearest);
  }
}

/// The greatest value of an image of T, 1 for float.
template <class T>
double white_of() {
  return std::is_floating_point_v<T> ? 1.0 : static_cast<double>(std::numeric_limits<T>::max());
}

/// Calls test(std::type_identity<T>(), box) for all types and some boxes.
template <class Test>
void for_all_types(const std::vector<Box>& boxes, const Test& test) {
  for (const Box& box : boxes) {
    test(std::type_identity<std::uint8_t>(), box);
    test(std::type_identity<std::uint16_t>(), box);
    test(std::type_identity<float>(), box);
  }
}
/// Calls test(std::type_identity<T>(), box) for all types and boxes.
template <class Test>
void for_all_images(const Test& test) {
  for_all_types(operator_boxes(), test);
}
/// Calls test(std::type_identity<T>(), box) for all types and a grey image and one in colour, and for one of
/// a single point.
template <class Test>
void for_few_images(const Test& test) {
  for_all_types({{{0, 37}, {0, 23}}, {{0, 19}, {0, 11}, {0, 3}}}, test);
  test(std::type_identity<std::uint8_t>(), Box{{0, 1}, {0, 1}});
}

}  // namespace tessera::test
