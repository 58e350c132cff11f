// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kmeans {

/// The ways to find out that a point keeps its centre, without a search: none, or the bounds of G. Hamerly,
/// "Making k-means even faster" (SDM 2010).
enum class Bounds { none, hamerly };

/// Distances are multiplied by a power of two, such that coordinates of points are at most 1 and distances
/// fit into numbers of few bits. All coordinates of points are less than 2^exponent.
inline double distance_scale(int exponent) { return std::ldexp(1.0, -std::max(exponent, -1000)); }
/// Distances are computed in double, with relative errors of less than half of this for any number of
/// coordinates. Bounds are moved by it to the safe side.
inline constexpr double distance_error = 0x1p-20;
/// A scaled distance is wrong by less than this where its squares are too small for double.
inline constexpr double distance_lost = 0x1p-500;
/// Returns the scaled distance of a point from another one, rounded up. The coordinates of `point` lie
/// `stride` elements apart.
template <class In, class T>
double distance_above(const In* point, std::int64_t stride, const T* other, int dimensions, double scale) {
  double square = 0;
  for (int j = 0; j < dimensions; ++j) {
    const double difference =
        (static_cast<double>(point[j * stride]) - static_cast<double>(other[j])) * scale;
    square += difference * difference;
  }
  return std::sqrt(square) * (1 + distance_error) + distance_lost;
}

/// The centre of a point, and bounds of its scaled distances, in 64 bits.
struct PointBounds {
  /// The bits of labels: there are at most 2^20 clusters.
  static constexpr int label_bits = 20;
  /// The bits of lower bounds. Upper bounds have one more.
  static constexpr int lower_bits = 21;

  /// The number of the centre.
  std::int32_t label = 0;
  /// The centre is at most so far away.
  double upper = std::numeric_limits<double>::infinity();
  /// All other centres are at least so far away.
  double lower = 0;
  /// Whether the centre was searched in the last turn.
  bool was_searched = false;

  /// Returns the bits. Bounds are rounded to the safe side.
  std::uint64_t packed() const {
    return std::uint64_t(was_searched) << 63 | std::uint64_t(upper_code()) << (label_bits + lower_bits) |
           std::uint64_t(lower_code()) << label_bits | static_cast<std::uint32_t>(label);
  }
  /// Returns the bounds with these bits.
  static PointBounds of(std::uint64_t bits) {
    const auto upper = static_cast<std::uint32_t>(bits >> (label_bits + lower_bits)) & (upper_codes - 1);
    const auto lower = static_cast<std::uint32_t>(bits >> label_bits) & (upper_codes / 2 - 1);
    return {label_of(bits), number_of(upper, upper_shift), number_of(lower, upper_shift + 1),
            searched_in(bits)};
  }
  /// Returns the label alone.
  static std::int32_t label_of(std::uint64_t bits) {
    return static_cast<std::int32_t>(bits & ((std::uint64_t(1) << label_bits) - 1));
  }
  /// Returns whether the centre was searched.
  static bool searched_in(std::uint64_t bits) { return bits >> 63 != 0; }

 private:
  static constexpr std::uint32_t upper_codes = std::uint32_t(1) << (lower_bits + 1);
  /// The last bits of a float that upper bounds leave out. The sign is left out, too.
  static constexpr int upper_shift = 31 - (lower_bits + 1);

  static double number_of(std::uint32_t code, int shift) {
    return static_cast<double>(std::bit_cast<float>(code << shift));
  }
  std::uint32_t upper_code() const {
    const float kept = upper < 0x1p127 ? static_cast<float>(upper) : std::numeric_limits<float>::infinity();
    const std::uint32_t code = std::bit_cast<std::uint32_t>(kept) >> upper_shift;
    return code + (number_of(code, upper_shift) < upper ? 1 : 0);
  }
  std::uint32_t lower_code() const {
    constexpr int shift = upper_shift + 1;
    const double kept = std::clamp(lower, 0.0, 0x1p100);
    const std::uint32_t code = std::bit_cast<std::uint32_t>(static_cast<float>(kept)) >> shift;
    return code - (number_of(code, shift) > kept ? 1 : 0);
  }
};

/// The bits of a point that has no label yet: the upper bound is NaN, which no other point has.
inline constexpr std::uint64_t unknown_bounds = ((std::uint64_t(1) << 63) - 1) >> 41 << 41;

}  // namespace kmeans
