// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "tessera/pipeline/algorithm/pipeline.hpp"

namespace stereo {

/// A stage body that reads all inputs at the point that it computes.
struct OfOnePoint {
  tessera::Box footprint(int, const tessera::Box& box) const { return box; }
};

/// A stage body: the better one of the disparities of two blocks. The first block has lower disparities.
struct Better : OfOnePoint {
  template <class Disparity, class Error>
  KOKKOS_FUNCTION auto operator()(const Disparity& disparity, const Error& error,
                                  const Disparity& next_disparity, const Error& next_error,
                                  tessera::Coordinate x, tessera::Coordinate y) const {
    return next_error(x, y) < error(x, y) ? next_disparity(x, y) : disparity(x, y);
  }
};

/// A stage body: the better one of the disparities of two blocks, and its error.
struct BetterWithError : OfOnePoint {
  template <class Disparity, class Error>
  KOKKOS_FUNCTION auto operator()(const Disparity& disparity, const Error& error,
                                  const Disparity& next_disparity, const Error& next_error,
                                  tessera::Coordinate x, tessera::Coordinate y) const {
    const bool is_better = next_error(x, y) < error(x, y);
    return tessera::pack(is_better ? next_disparity(x, y) : disparity(x, y),
                         is_better ? next_error(x, y) : error(x, y));
  }
};

/// A stage body: the better one of the disparities of two blocks, its error, and the errors of the
/// disparities below and above it.
struct BetterWithNeighbours : OfOnePoint {
  template <class Disparity, class Error>
  KOKKOS_FUNCTION auto operator()(const Disparity& disparity, const Error& error, const Error& below,
                                  const Error& above, const Disparity& next_disparity,
                                  const Error& next_error, const Error& next_below, const Error& next_above,
                                  tessera::Coordinate x, tessera::Coordinate y) const {
    const bool is_better = next_error(x, y) < error(x, y);
    return tessera::pack(
        is_better ? next_disparity(x, y) : disparity(x, y), is_better ? next_error(x, y) : error(x, y),
        is_better ? next_below(x, y) : below(x, y), is_better ? next_above(x, y) : above(x, y));
  }
};

/// A stage body: the results of BetterWithNeighbours, and the error of the rival: the least error of the
/// disparities of both blocks that are neither the better one nor its neighbours.
struct BetterWithRival : OfOnePoint {
  /// The first disparity of the second block.
  int next_begin;
  int disparities;

  template <class Disparity, class Error>
  KOKKOS_FUNCTION auto operator()(const Disparity& disparity, const Error& error, const Error& below,
                                  const Error& above, const Error& rival, const Disparity& next_disparity,
                                  const Error& next_error, const Error& next_below, const Error& next_above,
                                  const Error& next_rival, tessera::Coordinate x,
                                  tessera::Coordinate y) const {
    const bool is_better = next_error(x, y) < error(x, y);
    const std::int64_t winner_rival = is_better ? next_rival(x, y) : rival(x, y);
    const std::int64_t loser_rival =
        is_better
            ? without_neighbour(disparity(x, y), next_disparity(x, y), disparity(x, y) > 0, error(x, y),
                                below(x, y), rival(x, y))
            : without_neighbour(disparity(x, y), next_disparity(x, y), next_disparity(x, y) < disparities - 1,
                                next_error(x, y), next_above(x, y), next_rival(x, y));
    return tessera::pack(
        is_better ? next_disparity(x, y) : disparity(x, y), is_better ? next_error(x, y) : error(x, y),
        is_better ? next_below(x, y) : below(x, y), is_better ? next_above(x, y) : above(x, y),
        loser_rival < winner_rival ? loser_rival : winner_rival);
  }

 private:
  /// Returns the least error in the losing block, the one without the best disparity of both blocks, except
  /// that of a neighbour of this best disparity. `found` and `next_found` are the best disparities of the
  /// first and of the second block. `error` is the least error of the losing block, and `rival` the error of
  /// its rival. `outer` is the error of the neighbour of its best disparity on the side away from the other
  /// block, which is valid if `has_outer`.
  KOKKOS_FUNCTION std::int64_t without_neighbour(int found, int next_found, bool has_outer,
                                                 std::int64_t error, std::int64_t outer,
                                                 std::int64_t rival) const {
    if (found != next_begin - 1 || next_found != next_begin) return error;
    return has_outer && outer < rival ? outer : rival;
  }
};

/// A stage body: the value of a pixel, or `invalid` if the error of the rival does not exceed the error of
/// the disparity by more than a percentage.
struct Unique : OfOnePoint {
  int percentage;
  float invalid;

  template <class Value, class Error>
  KOKKOS_FUNCTION float operator()(const Value& value, const Error& error, const Error& rival,
                                   tessera::Coordinate x, tessera::Coordinate y) const {
    // Errors are less than errors_end, and the error of a missing rival is no_rival. These products therefore
    // have less than 64 bits.
    const bool is_unique = 100 * rival(x, y) > (100 + percentage) * error(x, y);
    return is_unique ? static_cast<float>(value(x, y)) : invalid;
  }
};

/// A stage body: the disparity at which the parabola through the errors of three disparities is least. The
/// first and the last disparity have only one neighbour, and stay as they are.
struct Refined : OfOnePoint {
  int disparities;

  template <class Disparity, class Error>
  KOKKOS_FUNCTION float operator()(const Disparity& disparity, const Error& error, const Error& below,
                                   const Error& above, tessera::Coordinate x, tessera::Coordinate y) const {
    const int found = disparity(x, y);
    // All errors are exact, and the smallest one lies in the middle: the parabola opens upwards or is flat.
    const auto down = static_cast<double>(below(x, y) - error(x, y));
    const auto up = static_cast<double>(above(x, y) - error(x, y));
    const bool is_inner = found > 0 && found < disparities - 1 && down + up > 0;
    return static_cast<float>(found + (is_inner ? (down - up) / (2 * (down + up)) : 0.0));
  }
};

/// A stage body: the value of a pixel, or `invalid`. The disparity of the pixel leads to a pixel of the match
/// image. The result is `invalid` if that pixel lies beyond the image, or if its disparity differs by more
/// than the tolerance.
struct Checked {
  tessera::Box image;
  /// The columns from a pixel to the pixel of the match image, for a disparity of 1.
  int step;
  int disparities;
  double tolerance;
  float invalid;

  tessera::Box footprint(int input, tessera::Box box) const {
    if (input < 2) return box;
    const std::int64_t reach = std::int64_t(step) * (disparities - 1);
    box[0] = {box[0].begin + std::min<std::int64_t>(reach, 0), box[0].end + std::max<std::int64_t>(reach, 0)};
    box[0] = {std::max(box[0].begin, image[0].begin), std::min(box[0].end, image[0].end)};
    return box;
  }
  template <class Value, class Disparity>
  KOKKOS_FUNCTION float operator()(const Value& value, const Disparity& disparity, const Disparity& of_match,
                                   tessera::Coordinate x, tessera::Coordinate y) const {
    const int found = disparity(x, y);
    const int place = x.value + step * found;
    if (!image[0].contains(place)) return invalid;
    const int difference = found - of_match(tessera::Coordinate(place), y);
    const bool is_valid = (difference < 0 ? -difference : difference) <= tolerance;
    return is_valid ? static_cast<float>(value(x, y)) : invalid;
  }
};

/// A stage body: the depth of a pixel. It is infinite for a disparity of 0, and 0 for invalid pixels.
struct Depth : OfOnePoint {
  double focal_length_times_distance;

  template <class Disparity>
  KOKKOS_FUNCTION float operator()(const Disparity& disparity, tessera::Coordinate x,
                                   tessera::Coordinate y) const {
    const auto found = static_cast<double>(disparity(x, y));
    if (found < 0) return 0;
    if (found == 0) return std::numeric_limits<float>::infinity();
    return static_cast<float>(focal_length_times_distance / found);
  }
};

}  // namespace stereo
