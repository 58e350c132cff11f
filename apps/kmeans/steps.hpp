// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "label_finder.hpp"
#include "point_adder.hpp"

namespace kmeans {

/// The numbers of which several steps need to know.
template <int N, int P>
struct Problem {
  Layout<N, P> layout;
  /// The number of centres.
  int clusters = 1;
  Distances distances = Distances::fused;

  int dimensions() const { return layout.dimensions; }
  tessera::Box all_centres() const { return {{0, std::int64_t(clusters) * dimensions()}}; }
  /// Returns a finder of the nearest of some centres.
  template <class T>
  LabelFinder<T> finder(const T* centres, const Exponents& exponents,
                        Others others = Others::left_out) const {
    return {centres, clusters, dimensions(), exponents.top, distances, others};
  }
  /// The bytes of such a finder.
  template <class T>
  std::int64_t finder_bytes(Others others = Others::left_out) const {
    return LabelFinder<T>::bytes(clusters, dimensions(), distances, others, P == 1);
  }
  /// Returns the greatest number of windows that coordinates of type In may need.
  template <class In>
  int most_windows() const {
    return Windows::most_of<In>(layout.points.size());
  }
};

inline constexpr tessera::Range exponent_elements{0, 2};

/// Returns what FindExponents has found.
inline Exponents exponents_of(const tessera::LibraryBlock<const std::int32_t>& found) {
  return {found.data[0], found.data[1]};
}

/// The library reduction of a turn without bounds: it finds the nearest centre of each point, and adds the
/// point to the sums of the cluster, while the point is in the nearest cache. The result has the sums of all
/// clusters, and then the numbers of their points.
template <class In, int N, int P>
struct SumClusters {
  using Element = double;
  using T = NumberOf<In>;

  Problem<N, P> problem;

  tessera::Box footprint(int input, const tessera::Box& box) const {
    if (input == 0) return problem.layout.of_points(box);
    return input == 1 ? problem.all_centres() : tessera::Box{exponent_elements};
  }
  std::int64_t value_bytes() const {
    return ClusterSums::bytes(problem.clusters, problem.dimensions(), problem.template most_windows<In>());
  }
  std::int64_t scratch_bytes(const tessera::Box&) const {
    return problem.template finder_bytes<T>() + PointAdder<In>::bytes(problem.clusters, problem.dimensions());
  }
  void init(std::byte* value) const { sums_at(value).clear(); }

  void add(std::byte* value, const tessera::Box& box, const tessera::LibraryBlock<const In>& points,
           const tessera::LibraryBlock<const T>& centres,
           const tessera::LibraryBlock<const std::int32_t>& found) const {
    const Exponents exponents = exponents_of(found);
    LabelFinder<T> finder = problem.finder(centres.data, exponents);
    ClusterSums sums = sums_at(value);
    sums.set_exponents(exponents);
    const Windows windows = Windows::of(exponents, problem.layout.points.size());
    PointAdder<In> adder(sums, problem.clusters, problem.dimensions(), windows);
    problem.layout.for_each_row(points, box, [&](const PointRow<In>& row, const tessera::Point&) {
      finder.for_each(row, [&](std::int64_t begin, int count, const std::int32_t* labels) {
        adder.add(row, begin, count, labels);
      });
    });
  }

  static void join(std::byte* into, const std::byte* other) { ClusterSums::join(into, other); }

  void store(const std::byte* value, double* result) const {
    ClusterSums sums = sums_at(const_cast<std::byte*>(value));
    const Windows windows = Windows::of(sums.exponents(), problem.layout.points.size());
    for (int k = 0; k < problem.clusters; ++k) {
      for (int j = 0; j < problem.dimensions(); ++j) *result++ = sums.sum(k, j, windows);
      result[std::int64_t(problem.clusters - 1 - k) * problem.dimensions() + k] =
          static_cast<double>(sums.count(k));
    }
  }
  /// Returns the sums of a partial value.
  ClusterSums sums_at(std::byte* value) const {
    return {value, problem.clusters, problem.dimensions(), problem.template most_windows<In>()};
  }
};

/// The library stage that writes the number of the nearest centre of each point.
template <class In, int N, int P>
struct Label {
  using T = NumberOf<In>;

  Problem<N, P> problem;

  tessera::Box footprint(int input, const tessera::Box& box) const {
    if (input == 0) return problem.layout.of_points(box);
    return input == 1 ? problem.all_centres() : tessera::Box{exponent_elements};
  }
  std::int64_t scratch_bytes(const tessera::Box&) const { return problem.template finder_bytes<T>(); }
  void operator()(const tessera::LibraryBlock<const In>& points,
                  const tessera::LibraryBlock<const T>& centres,
                  const tessera::LibraryBlock<const std::int32_t>& found,
                  const tessera::LibraryBlock<std::int32_t>& out) const {
    LabelFinder<T> finder = problem.finder(centres.data, exponents_of(found));
    problem.layout.for_each_row(points, out.box, [&](const PointRow<In>& row, const tessera::Point& place) {
      std::int32_t* const to = address(out, place);
      finder.for_each(row, [&](std::int64_t begin, int count, const std::int32_t* labels) {
        std::copy_n(labels, count, to + begin);
      });
    });
  }
};

/// The library reduction of the squared distances of all points from the centres of their clusters. The sum
/// is exact, and rounded once.
template <class In, int N, int P>
struct SumDistances {
  using Element = double;
  using T = NumberOf<In>;
  using Sum = tessera::ExactSum<double>;

  Problem<N, P> problem;

  tessera::Box footprint(int input, const tessera::Box& box) const {
    if (input == 0) return problem.layout.of_points(box);
    return input == 1 ? box : tessera::Box{{0, problem.dimensions()}, {0, problem.clusters}};
  }
  std::int64_t value_bytes() const { return sizeof(Sum); }
  void init(std::byte* value) const { new (value) Sum(); }
  void add(std::byte* value, const tessera::Box& box, const tessera::LibraryBlock<const In>& points,
           const tessera::LibraryBlock<const std::int32_t>& labels,
           const tessera::LibraryBlock<const T>& centres) const {
    std::vector<double> squares(static_cast<std::size_t>(box[0].size()));
    problem.layout.for_each_row(points, box, [&](const PointRow<In>& row, const tessera::Point& place) {
      const std::int32_t* const clusters = address(labels, place);
      for (std::int64_t i = 0; i < row.count; ++i) {
        const T* const centre = centres.data + clusters[i] * centres.strides[1];
        double square = 0;
        for (int j = 0; j < problem.dimensions(); ++j) {
          const double difference =
              static_cast<double>(row.point(i)[j * row.coordinate_stride]) - static_cast<double>(centre[j]);
          square += difference * difference;
        }
        squares[static_cast<std::size_t>(i)] = square;
      }
      reinterpret_cast<Sum*>(value)->add(squares.data(), row.count);
    });
  }
  static void join(std::byte* into, const std::byte* other) {
    reinterpret_cast<Sum*>(into)->merge(*reinterpret_cast<const Sum*>(other));
  }
  void store(const std::byte* value, double* result) const {
    *result = reinterpret_cast<const Sum*>(value)->value();
  }
};

}  // namespace kmeans
