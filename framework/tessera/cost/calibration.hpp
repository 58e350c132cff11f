// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::cost {

/// Copies `from` to `to`, which has as many elements and does not overlap it, on the calling thread, by a
/// loop with the vectors that kernels on hosts have.
void copy_floats(std::span<const float> from, std::span<float> to);

/// Writes the sums of three neighbours each in `from` to `to`, which has two elements fewer, in the manner of
/// copy_floats. Stage bodies are more like this than like a copy: they read elements several times,
/// unaligned.
void add_neighbours(std::span<const float> from, std::span<float> to);

/// The work that multiply_and_add has done.
struct Arithmetic {
  /// The number of floating-point operations of one element.
  std::int64_t operations = 0;
  /// A number that depends on all results. It is finite for every number of turns.
  float result = 0;
};

/// Makes `turns` turns. Each of them multiplies numbers of float in registers by a factor and adds a number
/// to them, on the calling thread and with the vectors that kernels on hosts have.
Arithmetic multiply_and_add(std::int64_t turns);

/// A measured value at a place, such as the seconds of a message of a certain length.
struct MeasuredPoint {
  /// The place, such as a number of bytes.
  double x = 0;
  /// The value, such as a number of seconds. It must be greater than 0.
  double y = 0;
};

/// A line through measured points.
struct LineFit {
  /// The value of the line at 0.
  double intercept = 0;
  /// The value that the line gains from x to x + 1.
  double slope = 0;
  /// The root of the mean square of (line - y) / y over all points, which is 0 if all points lie on the line.
  double relative_error = 0;

  /// Returns the value of the line at `x`.
  double at(double x) const { return intercept + slope * x; }
};

/// Returns the line with the least sum of the squares of (line - y) / y. If deviations were not relative,
/// long messages would decide alone, because they take a thousand times as long as short ones. Throws
/// InternalError if fewer than two different x are given, or if a y is not greater than 0.
LineFit fit_line(const std::vector<MeasuredPoint>& points);

/// Returns the line of fit_line among those whose intercept and slope are both at least 0, as times have no
/// others.
LineFit fit_cost(const std::vector<MeasuredPoint>& points);

}  // namespace tessera::cost
