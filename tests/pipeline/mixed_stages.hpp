// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/domain/box.hpp"
#include "tessera/pipeline/body/functions.hpp"
#include "tessera/pipeline/body/pack.hpp"
#include "tessera/view/compat.hpp"
#include "tessera/view/exact_sum.hpp"

namespace tessera::test {

// Bodies between arrays of one to three dimensions and of several types. As in random_graph.hpp a weight that
// is a power of two makes products exact.

struct Line1 {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return in(x - 1) * weight + in(x + 2);
  }
};
struct Half1 {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return in(2 * x) - in(2 * x + 1) * weight;
  }
};
/// Drops y, with a loop.
struct ColumnSum {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    auto sum = in.zero();
    for (int i = -2; i < 3; ++i) sum += in(x, i) * weight;
    return sum;
  }
};
/// Adds y.
struct Spread {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x) + in(y - 1) * weight;
  }
};
/// Adds z.
struct Lift {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord z) const {
    return in(x, y + z) - in(x + 1, z) * weight;
  }
};
/// Drops z, with a loop.
struct Drop {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    auto sum = in.zero();
    for (int i = -1; i < 3; ++i) sum += in(x, y, i) * weight;
    return sum;
  }
};
struct Skewed3 {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord z) const {
    return in(x - 1, y, z) + in(x, y + 1, z) * weight - in(x, y, z + 2);
  }
};
struct Turned3 {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord z) const {
    return in(y, z, x) * weight + in(y + 1, z, x);
  }
};
/// Reads an array of fewer dimensions, too.
struct WithRow {
  float weight;
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    return a(x, y) - b(x + 1) * weight + b(y);
  }
};
/// A body that reads coordinates alone.
struct Ramp1 {
  float weight;
  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord x) const {
    return cast<float>(x * 2 + 1) * weight;
  }
};
struct Ramp2 {
  float weight;
  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord x, Coord y) const {
    return select(x > 3, cast<float>(y), cast<float>(x - 2 * y) * weight);
  }
};
struct Ramp3 {
  float weight;
  template <class Coord>
  KOKKOS_FUNCTION auto operator()(Coord x, Coord y, Coord z) const {
    return cast<float>(x - y) * weight + cast<float>(z / 2);
  }
};

/// Values of 0 to 15.
template <class Value>
KOKKOS_FUNCTION auto level(const Value& value) {
  return cast<std::uint8_t>(clamp(value + 6.0f, 0.0f, 15.0f));
}
struct Quantise {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return level(in(x, y) * weight + in(x + 1, y));
  }
};
struct ByteBlur {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return (in(x - 1, y) + in(x, y + 1) * 2 + in(x + 1, y)) / 4;
  }
};
struct ByteMixed {
  float weight;
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    return a(x, y + 1) - cast<float>(b(x - 1, y)) * weight;
  }
};

/// A float and a byte.
struct TwoValues {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return pack(in(x, y) * weight + in(x + 1, y), level(in(x, y - 1)));
  }
};
/// A float, a byte and a float.
struct ThreeValues {
  float weight;
  template <class A, class B, class Coord>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b, Coord x, Coord y) const {
    return pack(a(x, y) * weight, b(y, x), a(x - 1, y) + cast<float>(b(x, y)));
  }
};

// Several points at a time.

struct TwiceAsWide {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return pack(in(x, y / 2) * weight, in(x, y / 2) + in(x + 1, y / 2));
  }
};
struct ThreeInARow {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x) const {
    return pack(in(x - 1), in(2 * x) * weight, in(x + 1) - in(x));
  }
};
struct ThreeColours {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return pack(in(x, y), in(x - 1, y) * weight, in(y, x));
  }
};
/// Two points of each colour.
struct ColourPairs {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return pack(in(2 * x, y), in(2 * x + 1, y), in(x, y) * weight, in(x, y + 1), in(y, x),
                in(x - 1, y) * weight);
  }
};
struct OneColour {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x, y, 2) - in(x + 1, y, clamp(cast<int>(y), 0, 1)) * weight;
  }
};
struct TurnedBytes {
  float weight;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(y, x) / 2 + in(y + 1, x) / 2;
  }
};

// Column stages.

/// A line along x of known extent.
struct EachAlongX {
  static constexpr bool each_only = true;
  float weight;
  template <class Line, class In, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& in, Coord y, Coord z) const {
    line.each([&](const auto& i) { return in(y + i, z) * weight + cast<float>(i); });
  }
};

/// The levels in a cell of 2x2, along z.
struct CellHistogram {
  float weight;
  template <class Line, class In, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& in, Coord x, Coord y) const {
    line.fill(0);
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 2; ++i) line(clamp(cast<int>(in(2 * x + i, 2 * y + j)), 0, 15)) += 1;
  }
};
/// Sums so far, along x.
struct LineAlongX {
  float weight;
  template <class Line, class In, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& in, Coord y, Coord z) const {
    auto sum = in.zero();
    for (int i = 0; i < line.extent(); ++i) {
      sum += in(y + i, z) * weight;
      line(i) = sum;
    }
  }
};
struct LineAlongY {
  float weight;
  template <class Line, class In, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& in, Coord x, Coord z) const {
    for (int i = 0; i < line.extent(); ++i) line(i) = in(x, z, i) - in(x + 1, z, 0) * weight;
  }
};
struct LineOfRow {
  float weight;
  template <class Line, class In, class Coord>
  KOKKOS_FUNCTION void operator()(Line& line, const In& in, Coord y) const {
    for (int i = 0; i < line.extent(); ++i) line(i) = in(y + i) * weight;
  }
};
struct SliceHistogram {
  float weight;
  template <class Lines, class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const Lines& lines, const In& in, Coord x, Coord y) const {
    return cast<float>(lines(x / 2, y / 2, clamp(cast<int>(in(x, y)), 0, 15))) * weight + in(x, y + 1);
  }
};
struct SliceAlongX {
  float weight;
  template <class Lines, class Coord>
  KOKKOS_FUNCTION auto operator()(const Lines& lines, Coord x, Coord y) const {
    return lines(clamp(x, 0, 4), x, y) + lines(2, y, x) * weight;
  }
};
struct SliceAlongY {
  float weight;
  template <class Lines, class Coord>
  KOKKOS_FUNCTION auto operator()(const Lines& lines, Coord x, Coord y) const {
    auto sum = lines.zero();
    for (int i = 0; i < 4; ++i) sum += lines(x, i, y - 1) * weight;
    return sum;
  }
};
struct SliceOfRow {
  float weight;
  template <class Lines, class Coord>
  KOKKOS_FUNCTION auto operator()(const Lines& lines, Coord x) const {
    return lines(clamp(x - 3, 0, 5), x / 2) * weight;
  }
};

struct SliceToImage {
  float weight;
  template <class Lines, class Coord>
  KOKKOS_FUNCTION auto operator()(const Lines& lines, Coord x, Coord y) const {
    return lines(clamp(x - y, 0, 5), y + 1) * weight;
  }
};

/// The mean of numbers that have weights. Products of floats and bytes are exact as doubles.
struct WeightedMean {
  struct Value {
    ExactSum<double> sum;
    std::int64_t weights;
  };
  KOKKOS_FUNCTION void init(Value& value) const { value = {}; }
  KOKKOS_FUNCTION void add(Value& value, float number, std::uint8_t weight, const Point&) const {
    value.sum.add(static_cast<double>(number) * weight);
    value.weights += weight;
  }
  KOKKOS_FUNCTION void join(Value& value, const Value& other) const {
    value.sum.merge(other.sum);
    value.weights += other.weights;
  }
  double result(const Value& value) const {
    return value.weights == 0 ? 0 : value.sum.value() / static_cast<double>(value.weights);
  }
};

// What becomes of the results of global reductions.

struct LessResult {
  float weight;
  template <class In, class Result, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Result& result, Coord x, Coord y) const {
    return in(x, y) - cast<float>(result(0)) * weight;
  }
};
struct RowLessResult {
  float weight;
  template <class In, class Result, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Result& result, Coord x) const {
    return in(x + 1) + cast<float>(result(0)) * weight;
  }
};
struct LookUpCount {
  float weight;
  template <class In, class Counts, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Counts& counts, Coord x, Coord y) const {
    return cast<float>(counts(clamp(cast<int>(in(x, y - 1)), 0, 15))) * weight;
  }
};

struct LookUpSum {
  float weight;
  template <class In, class Sums, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, const Sums& sums, Coord x, Coord y) const {
    return sums(clamp(cast<int>(in(x, y - 1)), 0, 8)) * weight;
  }
};

}  // namespace tessera::test
