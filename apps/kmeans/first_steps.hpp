// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <tuple>

#include "steps.hpp"
#include "tessera/domain/counter_hash.hpp"
#include "tessera/domain/error.hpp"

// The steps before the iterations: they find the exponents of the points, and the first centres. These come
// from a file, or are taken by k-means++: D. Arthur and S. Vassilvitskii, "k-means++: The advantages of
// careful seeding" (SODA 2007). The first centre is any point. Each further centre is a point that is drawn
// with a probability in proportion to its squared distance from the nearest centre so far.
namespace kmeans {

/// Coordinates are less than two to this power, so that sums of squares do not overflow.
inline constexpr int highest_exponent = 500;

/// Returns the words " of 'file'" for a message about a point or row. They are empty if there is no file.
inline std::string of_file(const std::string& file) {
  return file.empty() ? "" : fmt::format(" of '{}'", file);
}

/// The library reduction that finds the exponents of all coordinates (see Exponents), and checks that all
/// coordinates are finite. Its result has the elements `top` and `bottom`.
template <class In>
struct FindExponents {
  using Element = double;

  /// A partial value: the exponents, and the number of the first point that is not finite.
  struct Value {
    std::int64_t top = std::numeric_limits<std::int32_t>::lowest();
    std::int64_t bottom = std::numeric_limits<std::int32_t>::max();
    std::int64_t not_finite = std::numeric_limits<std::int64_t>::max();
  };

  Layout layout;
  /// The name of the file, or nothing.
  std::string file;

  Box footprint(int, const Box& box) const { return layout.of_points(box); }
  std::int64_t value_bytes() const { return sizeof(Value); }
  void init(std::byte* value) const { new (value) Value(); }
  void add(std::byte* value, const Box& box, const Read<In>& points) const {
    auto& found = *reinterpret_cast<Value*>(value);
    if constexpr (std::is_integral_v<In>) {
      found.top = std::numeric_limits<In>::digits;
      found.bottom = 0;
    } else {
      layout.for_each_row(points, box, [&](const PointRow<In>& row, const Point&) {
        // Points without gaps between them are one long line of numbers.
        const bool is_dense = row.point_stride == layout.dimensions;
        const std::int64_t length = (is_dense ? row.count : 1) * layout.dimensions;
        for (std::int64_t i = 0; i < (is_dense ? 1 : row.count); ++i)
          if (const std::int64_t wrong = add_line(found, row.point(i), length); wrong < length)
            found.not_finite = std::min(found.not_finite, row.number + i + wrong / layout.dimensions);
      });
    }
  }
  static void join(std::byte* into, const std::byte* other) {
    auto& to = *reinterpret_cast<Value*>(into);
    const auto& from = *reinterpret_cast<const Value*>(other);
    to.top = std::max(to.top, from.top);
    to.bottom = std::min(to.bottom, from.bottom);
    to.not_finite = std::min(to.not_finite, from.not_finite);
  }
  void store(const std::byte* value, double* result) const {
    Value found = *reinterpret_cast<const Value*>(value);
    if (found.not_finite != std::numeric_limits<std::int64_t>::max())
      throw InputError(fmt::format(
          "'input.file': point {}{} has a coordinate that is NaN or infinite: leave such points out",
          found.not_finite, of_file(file)));
    if (found.top < found.bottom) found.top = found.bottom = 0;
    if (found.top > highest_exponent)
      throw InputError(fmt::format(
          "'input.file': a coordinate{} is 2^{} or more, and the sums of squares might overflow: divide all "
          "coordinates by a number",
          of_file(file), highest_exponent));
    if (Windows::of<In>({static_cast<int>(found.top), static_cast<int>(found.bottom)}, layout.points.size())
            .count == 0)
      throw InputError(
          "'input.file': the coordinates are too far apart to be summed without rounding: round the smallest "
          "ones to 0");
    result[0] = static_cast<double>(found.top);
    result[1] = static_cast<double>(found.bottom);
  }

 private:
  using Bits = std::conditional_t<sizeof(In) == 4, std::uint32_t, std::uint64_t>;
  static constexpr int stored = std::numeric_limits<In>::digits - 1;
  static constexpr Bits infinity = Bits(std::numeric_limits<In>::max_exponent * 2 - 1) << stored;

  /// Adds `count` numbers that lie beside each other to the exponents `found`. Returns the place of the first
  /// number that is not finite, or `count` if all are.
  static std::int64_t add_line(Value& found, const In* numbers, std::int64_t count) {
    Bits greatest = 0, lowest = 0;
    tessera::detail::call_flat_for_processor([&]() __attribute__((always_inline)) {
      Bits most = 0, least = ~Bits(0);
      for (std::int64_t i = 0; i < count; ++i) {
        const Bits magnitude = std::bit_cast<Bits>(numbers[i]) & (~Bits(0) >> 1);
        // The number without its lowest bit. A power of two has only one bit, so 0 is left.
        const bool has_more = (magnitude & ((Bits(1) << stored) - 1)) != 0;
        const Bits others = has_more ? magnitude & (magnitude - 1) : 0;
        const auto bit = std::bit_cast<Bits>(std::bit_cast<In>(magnitude) - std::bit_cast<In>(others));
        most = std::max(most, magnitude);
        // As 0 has no lowest bit, 0 - 1 wraps to the greatest number.
        least = std::min(least, bit - 1);
      }
      greatest = most;
      lowest = least + 1;
    });
    if (greatest >= infinity)
      return std::find_if_not(numbers, numbers + count, [](In x) { return std::isfinite(x); }) - numbers;
    if (greatest == 0) return count;
    found.top = std::max<std::int64_t>(found.top, std::ilogb(std::bit_cast<In>(greatest)) + 1);
    found.bottom = std::min<std::int64_t>(found.bottom, std::ilogb(std::bit_cast<In>(lowest)));
    return count;
  }
};

/// The library reduction that makes one value of the first centres, which are the rows of an array of type G.
/// It checks that they are finite, and small enough for the type T.
template <class T, class G>
struct ReadCentres : GatheredNumbers {
  int dimensions;
  /// The name of the file, or nothing.
  std::string file;

  Box footprint(int, const Box& box) const { return {{0, dimensions}, box[0]}; }
  void add(std::byte* value, const Box& box, const Read<G>& centres) const {
    for (std::int64_t k = box[0].begin; k < box[0].end; ++k)
      std::copy_n(address(centres, Point{{0, k, 0, 0}}), dimensions, numbers(value) + k * dimensions);
  }
  void store(const std::byte* value, double* result) const {
    GatheredNumbers::store(value, result);
    constexpr int highest = std::min(highest_exponent, std::numeric_limits<T>::max_exponent);
    const double* const wrong = std::find_if_not(result, result + count, [](double number) {
      return std::abs(static_cast<double>(static_cast<T>(number))) < std::ldexp(1.0, highest);
    });
    if (wrong == result + count) return;
    throw InputError(fmt::format(
        "'input.centres': row {}{} has a coordinate {}", (wrong - result) / dimensions, of_file(file),
        std::isfinite(*wrong) ? fmt::format("of 2^{} or more: give smaller ones", highest)
                              : "that is NaN or infinite: give finite ones"));
  }
};

/// Returns the number that a point with this weight draws. `uniform` is its random number, which is greater
/// than 0 and at most 1. Points without weight draw infinity, so that they are never taken.
inline double drawn_of(double uniform, double weight) {
  return weight > 0 ? -std::log(std::min(uniform, 1 - 0x1p-53)) / weight
                    : std::numeric_limits<double>::infinity();
}

/// The library reduction that takes one point at random. Each point draws a number from an exponential
/// distribution whose rate is the weight of the point, and the point with the least number is taken: the
/// probability of each point is then in proportion to its weight. The drawn number follows from the seed, the
/// iteration and the index of the point alone. The inputs are the points, their weights, and the number of
/// the turn. In turn 0, all weights count as 1. The result has the coordinates of the point.
template <class In>
struct Draw {
  using Element = double;
  using T = NumberOf<In>;

  Problem problem;
  std::int64_t seed = 0;

  Box footprint(int input, const Box& box) const {
    return box_of(input, {problem.of_points(box), box, {{0, 1}}});
  }
  /// A partial value consists of doubles: how many there are, the least number that was drawn, and the number
  /// and the coordinates of the point that drew it.
  std::int64_t value_bytes() const { return 8 * std::int64_t(problem.dimensions + 3); }
  void init(std::byte* value) const {
    std::fill_n(reinterpret_cast<double*>(value), problem.dimensions + 3,
                std::numeric_limits<double>::infinity());
    *reinterpret_cast<double*>(value) = problem.dimensions + 3;
  }
  void add(std::byte* value, const Box& box, const Read<In>& points, const Read<T>& weights,
           const Read<std::int32_t>& turn) const {
    auto* const best = reinterpret_cast<double*>(value);
    problem.for_each_row(points, box, [&](const PointRow<In>& row, const Point& place) {
      const T* const weight_of = address(weights, place);
      // The compiler hashes local variables once for all points.
      const auto key = static_cast<std::uint64_t>(seed);
      const std::int64_t number = row.number, turn_number = turn.data[0];
      for (std::int64_t i = 0; i < row.count; ++i) {
        const double weight = turn_number == 0 ? 1 : static_cast<double>(weight_of[i]);
        const double uniform = uniform_from_hash(counter_hash(key, turn_number, number + i, 0)) + 0x1p-54;
        // -log(u) is at least 1 - u, so that most points need no logarithm. 1e-9 covers all roundings.
        if (weight > 0 && 1 - uniform > best[1] * weight * (1 + 1e-9)) continue;
        const double drawn[] = {0, drawn_of(uniform, weight), static_cast<double>(number + i)};
        if (!is_before(drawn, best)) continue;
        std::copy_n(drawn + 1, 2, best + 1);
        for (int j = 0; j < problem.dimensions; ++j)
          best[3 + j] = static_cast<double>(row.point(i)[j * row.coordinate_stride]);
      }
    });
  }
  static void join(std::byte* into, const std::byte* other) {
    auto* const to = reinterpret_cast<double*>(into);
    const auto* const from = reinterpret_cast<const double*>(other);
    if (is_before(from, to)) std::copy_n(from, static_cast<std::size_t>(from[0]), to);
  }
  void store(const std::byte* value, double* result) const {
    std::copy_n(reinterpret_cast<const double*>(value) + 3, problem.dimensions, result);
  }

 private:
  static bool is_before(const double* first, const double* second) {
    return std::tie(first[1], first[2]) < std::tie(second[1], second[2]);
  }
};

/// The library stage that computes the squared distance of each point from its nearest centre so far, scaled
/// by a power of two. The inputs are the points, their squared distances in the turn before, which are
/// negative in turn 0, the centre that was taken last, and the exponents.
template <class In>
struct Closer {
  using T = NumberOf<In>;

  Problem problem;

  Box footprint(int input, const Box& box) const {
    return box_of(input, {problem.of_points(box), box, {{0, problem.dimensions}}, {exponent_elements}});
  }
  void operator()(const Read<In>& points, const Read<T>& before, const Read<double>& centre,
                  const Read<double>& found, const LibraryBlock<T>& out) const {
    const std::vector<T> taken(centre.data, centre.data + problem.dimensions);
    // The finder shifts blocks by the only centre. A block therefore has the differences from this centre.
    LabelFinder<T> finder(taken.data(), 1, problem.dimensions, exponents_of(found).top);
    const int size = LabelFinder<T>::block_size(problem.dimensions);
    problem.for_each_row(points, out.box, [&](const PointRow<In>& row, const Point& place) {
      finder.for_each_block(row, [&](std::int64_t begin, const PointRow<In>& part, const T* block) {
        const T* const old = address(before, place) + begin;
        T* const to = address(out, place) + begin;
        T squares[4 * points_together] = {};
        tessera::detail::call_flat_for_processor([&]() __attribute__((always_inline)) {
          for (int j = 0; j < problem.dimensions; ++j) TESSERA_VECTORISED
          for (int i = 0; i < size; ++i) squares[i] += block[j * size + i] * block[j * size + i];
        });
        for (int i = 0; i < part.count; ++i) to[i] = old[i] < 0 ? squares[i] : std::min(old[i], squares[i]);
      });
    });
  }
};

}  // namespace kmeans
