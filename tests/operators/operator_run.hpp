// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "domain/random.hpp"
#include "pipeline/array_source.hpp"
#include "tessera/operators/registry.hpp"

namespace tessera::test {

/// The points of images with awkward extents: grey ones, ones in colour, and ones of a single point.
std::vector<Box> operator_boxes();

/// A random image. Numbers of float are of [-2, 3], most of them in [0, 1].
template <class T>
WholeArray<T> random_pixels(Random& random, const Box& box);

/// Runs a pipeline with inputs of In and one output of Out, by a random schedule and on up to 16 ranks, in
/// one process.
template <class In, class Out>
class OperatorRun {
 public:
  OperatorRun(Random& random, const Algorithm& pipeline, const std::vector<std::string>& names,
              const std::vector<WholeArray<In>>& inputs, const operators::Image& output);

  /// The output.
  WholeArray<Out> result;
  /// The schedule, for messages.
  std::string text;
};

/// Expects an operator to give `expected`, for a few random schedules. Numbers may differ by `tolerance`, but
/// all schedules must give the same bits.
template <class In, class Out>
void expect_operator(Random& random, const std::string& name, const operators::ParameterValues& values,
                     const std::vector<WholeArray<In>>& inputs, const WholeArray<Out>& expected,
                     double tolerance = 0);

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

/// Calls test(std::type_identity<T>(), box) for all types and boxes.
template <class Test>
void for_all_images(const Test& test) {
  for (const Box& box : operator_boxes()) {
    test(std::type_identity<std::uint8_t>(), box);
    test(std::type_identity<std::uint16_t>(), box);
    test(std::type_identity<float>(), box);
  }
}

}  // namespace tessera::test
