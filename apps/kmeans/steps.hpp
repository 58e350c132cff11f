// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "search.hpp"
#include "sums.hpp"

// Library stages and reductions of iterations, and what several of them have in common.
namespace kmeans {

/// The elements of the result of FindExponents.
inline constexpr Range exponent_elements{0, 2};

/// Returns the exponents that FindExponents has found.
inline Exponents exponents_of(const Read<double>& found) {
  return {static_cast<int>(found.data[0]), static_cast<int>(found.data[1])};
}

/// Returns the box of input number `input`. `boxes` are the boxes of all inputs.
inline Box box_of(int input, std::initializer_list<Box> boxes) { return boxes.begin()[input]; }

/// The points that are divided into clusters, and the number of clusters.
struct Problem : Layout {
  int clusters = 1;

  Box all_centres() const { return {{0, std::int64_t(clusters) * dimensions}}; }
  /// The number of elements of a list with the sums of all clusters and the numbers of their points.
  int sum_count() const { return clusters * (dimensions + 1); }
  /// Returns the windows for sums of all points.
  template <class In>
  Windows windows(const Exponents& exponents) const {
    return Windows::of<In>(exponents, points.size());
  }
  /// Returns the sums that lie at `value`.
  template <class In>
  ClusterSums sums_at(std::byte* value) const {
    return {reinterpret_cast<std::int64_t*>(value), clusters, dimensions,
            Windows::most_of<In>(points.size())};
  }
  /// The bytes of the sums.
  template <class In>
  std::int64_t sums_bytes() const {
    return ClusterSums::bytes(clusters, dimensions, Windows::most_of<In>(points.size()));
  }
};

/// The library reduction of an iteration without bounds: it finds the nearest centre of each point, and adds
/// the point to the sums of the cluster while it is in the nearest cache. The result has the sums of all
/// clusters, and then the numbers of their points.
template <class In>
struct SumClusters {
  using Element = double;
  using T = NumberOf<In>;

  Problem problem;

  Box footprint(int input, const Box& box) const {
    return box_of(input, {problem.of_points(box), problem.all_centres(), {exponent_elements}});
  }
  std::int64_t value_bytes() const { return problem.sums_bytes<In>(); }
  std::int64_t scratch_bytes(const Box&) const {
    return LabelFinder<T>::bytes(problem.clusters, problem.dimensions) + value_bytes() +
           64 * std::int64_t(problem.clusters);
  }
  void init(std::byte* value) const { problem.sums_at<In>(value).clear(); }
  void add(std::byte* value, const Box& box, const Read<In>& points, const Read<T>& centres,
           const Read<double>& found) const {
    const Exponents exponents = exponents_of(found);
    LabelFinder<T> finder(centres.data, problem.clusters, problem.dimensions, exponents.top);
    ClusterSums sums = problem.sums_at<In>(value);
    sums.set_exponents(exponents);
    PointAdder<In> adder(sums, problem.windows<In>(exponents));
    problem.for_each_row(points, box, [&](const PointRow<In>& row, const Point&) {
      finder.for_each(row, [&](std::int64_t begin, int count, const std::int32_t* labels) {
        adder.add(row, begin, count, labels);
      });
    });
  }
  static void join(std::byte* into, const std::byte* other) { ClusterSums::join(into, other); }
  void store(const std::byte* value, double* result) const {
    ClusterSums sums = problem.sums_at<In>(const_cast<std::byte*>(value));
    sums.round(problem.windows<In>(sums.exponents()), 0, problem.clusters, result);
  }
};

/// The library stage that writes the number of the nearest centre of each point.
template <class In>
struct Label {
  using T = NumberOf<In>;

  Problem problem;

  Box footprint(int input, const Box& box) const {
    return box_of(input, {problem.of_points(box), problem.all_centres(), {exponent_elements}});
  }
  std::int64_t scratch_bytes(const Box&) const {
    return LabelFinder<T>::bytes(problem.clusters, problem.dimensions);
  }
  void operator()(const Read<In>& points, const Read<T>& centres, const Read<double>& found,
                  const LibraryBlock<std::int32_t>& out) const {
    LabelFinder<T> finder(centres.data, problem.clusters, problem.dimensions, exponents_of(found).top);
    problem.for_each_row(points, out.box, [&](const PointRow<In>& row, const Point& place) {
      std::int32_t* const to = address(out, place);
      finder.for_each(row, [&](std::int64_t begin, int count, const std::int32_t* labels) {
        std::copy_n(labels, count, to + begin);
      });
    });
  }
};

/// The base of library reductions whose result is a list of numbers. Each number is computed in one of the
/// partial values, and is 0 in all other partial values.
struct GatheredNumbers {
  using Element = double;

  /// The length of the list.
  int count;

  std::int64_t value_bytes() const { return (std::int64_t(1) + count) * 8; }
  void init(std::byte* value) const {
    std::fill_n(value, value_bytes(), std::byte(0));
    *reinterpret_cast<std::int64_t*>(value) = value_bytes();
  }
  /// Returns the numbers of a value.
  static double* numbers(std::byte* value) { return reinterpret_cast<double*>(value) + 1; }
  static void join(std::byte* into, const std::byte* other) {
    const std::int64_t end = *reinterpret_cast<const std::int64_t*>(into);
    for (std::int64_t i = sizeof end; i < end; ++i) into[i] |= other[i];
  }
  void store(const std::byte* value, double* result) const {
    std::copy_n(numbers(const_cast<std::byte*>(value)), count, result);
  }
};

}  // namespace kmeans
