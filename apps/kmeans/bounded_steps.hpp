// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bounded_search.hpp"
#include "centre_moves.hpp"
#include "steps.hpp"

namespace kmeans {

/// The library stage that finds the nearest centres of all points, of most of them by their bounds alone. It
/// writes new bounds if `Out` is std::uint64_t, and labels if it is std::int32_t. The inputs are the points,
/// their bounds in the turn before, the centres, the result of FindMoves, and the exponents.
template <class In, int N, int P, class Out>
struct SearchWithBounds {
  using T = NumberOf<In>;

  Problem<N, P> problem;

  tessera::Box footprint(int input, const tessera::Box& box) const {
    if (input == 0) return problem.layout.of_points(box);
    if (input == 1) return box;
    if (input == 2) return problem.all_centres();
    return input == 3 ? tessera::Box{{0, 2 * std::int64_t(problem.clusters)}}
                      : tessera::Box{exponent_elements};
  }
  std::int64_t scratch_bytes(const tessera::Box&) const {
    return LabelFinder<T>::bytes(problem.clusters, problem.dimensions(), problem.distances) +
           BoundedSearch<In, Out>::bytes(problem.dimensions());
  }
  void operator()(const tessera::LibraryBlock<const In>& points,
                  const tessera::LibraryBlock<const std::uint64_t>& known,
                  const tessera::LibraryBlock<const T>& centres,
                  const tessera::LibraryBlock<const double>& moves,
                  const tessera::LibraryBlock<const std::int32_t>& found,
                  const tessera::LibraryBlock<Out>& out) const {
    const Exponents exponents = exponents_of(found);
    LabelFinder<T> finder = problem.finder(centres.data, exponents);
    BoundedSearch<In, Out> search(finder, centres.data, problem.clusters, problem.dimensions(), moves.data,
                                  exponents.top);
    problem.layout.for_each_row(points, out.box, [&](const PointRow<In>& row, const tessera::Point& place) {
      search.take(row, address(known, place), address(out, place));
    });
    search.finish();
  }
};

/// The library reduction that adds points to the sums of the clusters that their bounds name, and counts
/// those whose centres were searched. The result is that of SumClusters, and then this number.
template <class In, int N, int P>
struct SumBounded {
  using Element = double;

  SumClusters<In, N, P> sums;

  /// The number of elements of the result.
  int count() const { return searched() + 1; }
  /// The element with the number of points whose centres were searched.
  int searched() const { return sums.problem.clusters * (sums.problem.dimensions() + 1); }

  tessera::Box footprint(int input, const tessera::Box& box) const {
    if (input == 0) return sums.problem.layout.of_points(box);
    return input == 1 ? box : tessera::Box{exponent_elements};
  }
  std::int64_t value_bytes() const { return word + sums.value_bytes(); }
  void init(std::byte* value) const {
    searched_in(value) = 0;
    sums.init(value + word);
  }
  void add(std::byte* value, const tessera::Box& box, const tessera::LibraryBlock<const In>& points,
           const tessera::LibraryBlock<const std::uint64_t>& bounds,
           const tessera::LibraryBlock<const std::int32_t>& found) const {
    sums.add_labelled(value + word, exponents_of(found), [&](PointAdder<In>& adder) {
      sums.problem.layout.for_each_row(points, box,
                                       [&](const PointRow<In>& row, const tessera::Point& place) {
                                         searched_in(value) += add_row(adder, row, address(bounds, place));
                                       });
    });
  }
  static void join(std::byte* into, const std::byte* other) {
    searched_in(into) += *reinterpret_cast<const std::int64_t*>(other);
    SumClusters<In, N, P>::join(into + word, other + word);
  }
  void store(const std::byte* value, double* result) const {
    sums.store(value + word, result);
    result[searched()] = static_cast<double>(*reinterpret_cast<const std::int64_t*>(value));
  }

 private:
  static constexpr std::int64_t word = sizeof(std::int64_t);

  static std::int64_t& searched_in(std::byte* value) { return *reinterpret_cast<std::int64_t*>(value); }

  /// Adds the points of a row. Returns for how many of them the centre was searched.
  static std::int64_t add_row(PointAdder<In>& adder, const PointRow<In>& row, const std::uint64_t* bounds) {
    constexpr int together = 256;
    std::int32_t labels[together];
    std::int64_t searched = 0;
    for (std::int64_t begin = 0; begin < row.count; begin += together) {
      const auto count = static_cast<int>(std::min<std::int64_t>(together, row.count - begin));
      for (int i = 0; i < count; ++i) {
        labels[i] = PointBounds::label_of(bounds[begin + i]);
        searched += PointBounds::searched_in(bounds[begin + i]) ? 1 : 0;
      }
      adder.add(row, begin, count, labels);
    }
    return searched;
  }
};

/// A value of unknown bounds at every point.
struct UnknownBounds {
  std::uint64_t bounds = unknown_bounds();

  template <class... Coord>
  KOKKOS_FUNCTION auto operator()(Coord...) const {
    return bounds;
  }
};

/// The number of searched points of all turns.
struct AllSearched {
  int searched;

  template <class Sums, class Before, class Coord>
  KOKKOS_FUNCTION auto operator()(const Sums& sums, const Before& before, Coord) const {
    return before(0) + sums(searched);
  }
};

}  // namespace kmeans
