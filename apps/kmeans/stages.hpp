// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "bounds.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"

// The bodies of the stages that compute single elements. Centres are one value: the coordinates of the first
// centre, of the second one, and so on.
namespace kmeans {

/// A body that gives the same number at every point.
template <class T>
struct Constant {
  T number;

  template <class... Coord>
  KOKKOS_FUNCTION auto operator()(Coord...) const {
    return number;
  }
};

/// A copy of a value as numbers of type T.
template <class T>
struct Copy {
  template <class Value, class Coord>
  KOKKOS_FUNCTION auto operator()(const Value& value, Coord i) const {
    return cast<T>(value(i));
  }
};

/// The sum of two values.
struct Plus {
  template <class First, class Second, class Coord>
  KOKKOS_FUNCTION auto operator()(const First& first, const Second& second, Coord i) const {
    return first(i) + second(i);
  }
};

/// The centres so far, and the point that was taken in this turn as a further centre.
template <class T>
struct WithTaken {
  int dimensions;

  template <class Centres, class Taken, class Turn, class Coord>
  KOKKOS_FUNCTION auto operator()(const Centres& centres, const Taken& taken, const Turn& turn,
                                  Coord i) const {
    const auto coordinate = clamp(i - i / dimensions * dimensions, 0, dimensions - 1);
    return select(cast<int>(i / dimensions) == cast<int>(turn(0)), cast<T>(taken(coordinate)), centres(i));
  }
};

/// The means of the clusters. The centre of an empty cluster stays.
template <class T>
struct Moved {
  int clusters;
  int dimensions;

  template <class Centres, class Sums, class Coord>
  KOKKOS_FUNCTION auto operator()(const Centres& centres, const Sums& sums, Coord i) const {
    const auto count = sums(clusters * dimensions + i / dimensions);
    return select(count > 0.0, cast<T>(sums(i) / tessera::max(count, 1.0)), centres(i));
  }
};

/// The greatest distance that a centre has moved.
struct Movement {
  int clusters;
  int dimensions;

  template <class Moved, class Centres, class Coord>
  KOKKOS_FUNCTION auto operator()(const Moved& moved, const Centres& centres, Coord) const {
    auto greatest = cast<double>(moved.zero());
    for (int k = 0; k < clusters; ++k) {
      auto square = cast<double>(moved.zero());
      for (int j = 0; j < dimensions; ++j) {
        const auto difference =
            cast<double>(moved(k * dimensions + j)) - cast<double>(centres(k * dimensions + j));
        square = square + difference * difference;
      }
      greatest = tessera::max(greatest, square);
    }
    return tessera::sqrt(greatest);
  }
};

/// Whether no centre has moved by more than a tolerance.
struct IsDone {
  double tolerance;

  template <class Movement, class Coord>
  KOKKOS_FUNCTION auto operator()(const Movement& movement, Coord) const {
    return select(movement(0) > tolerance, 0, 1);
  }
};

/// The centres as an array with a row for each centre.
struct Rows {
  int dimensions;

  template <class Centres, class Coord>
  KOKKOS_FUNCTION auto operator()(const Centres& centres, Coord j, Coord k) const {
    return centres(k * dimensions + j);
  }
};

/// The number of clusters without points.
struct EmptyOnes {
  int clusters;

  template <class Counts, class Coord>
  KOKKOS_FUNCTION auto operator()(const Counts& counts, Coord) const {
    auto empty = cast<int>(counts.zero());
    for (int k = 0; k < clusters; ++k) empty = empty + select(counts(k) == 0u, 1, 0);
    return empty;
  }
};

/// The squared distance of a row, or of a pixel of an array of N dimensions, from the centre of its cluster.
template <int N>
struct SquaredDistance {
  int clusters;
  int dimensions;

  template <class Points, class Labels, class Rows, class... Coord>
  KOKKOS_FUNCTION auto operator()(const Points& points, const Labels& labels, const Rows& centres,
                                  Coord... at) const {
    const auto label = clamp(cast<int>(labels(at...)), 0, clusters - 1);
    auto square = cast<double>(centres.zero());
    for (int j = 0; j < dimensions; ++j) {
      const auto difference = cast<double>(coordinate(points, j, at...)) - cast<double>(centres(j, label));
      square = square + difference * difference;
    }
    return square;
  }

 private:
  template <class Points, class... Coord>
  KOKKOS_FUNCTION static auto coordinate(const Points& points, int j, Coord... at) {
    if constexpr (sizeof...(at) == 1)
      return points(j, at...);
    else if constexpr (N == 2)
      return points(at...);
    else
      return points(at..., j);
  }
};

/// The picture whose pixels have the colours of their centres, rounded to the type In.
template <class In>
struct Paint {
  int clusters;
  int dimensions;

  template <class Labels, class Centres, class Coord, class... Channel>
  KOKKOS_FUNCTION auto operator()(const Labels& labels, const Centres& centres, Coord x, Coord y,
                                  Channel... c) const {
    const auto first = clamp(cast<int>(labels(x, y)), 0, clusters - 1) * dimensions;
    return cast<In>(round(centres((first + ... + clamp(cast<int>(c), 0, dimensions - 1)))));
  }
};

}  // namespace kmeans
