// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

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
    return problem.template finder_bytes<T>(Others::found) +
           BoundedSearch<In, Out>::bytes(problem.dimensions());
  }
  void operator()(const tessera::LibraryBlock<const In>& points,
                  const tessera::LibraryBlock<const std::uint64_t>& known,
                  const tessera::LibraryBlock<const T>& centres,
                  const tessera::LibraryBlock<const double>& moves,
                  const tessera::LibraryBlock<const std::int32_t>& found,
                  const tessera::LibraryBlock<Out>& out) const {
    const Exponents exponents = exponents_of(found);
    LabelFinder<T> finder = problem.finder(centres.data, exponents, Others::found);
    BoundedSearch<In, Out> search(finder, centres.data, problem.clusters, problem.dimensions(), moves.data,
                                  exponents.top);
    problem.layout.for_each_row(points, out.box, [&](const PointRow<In>& row, const tessera::Point& place) {
      search.take(row, address(known, place), address(out, place));
    });
    search.finish();
  }
};

/// The exact sums of all clusters as values that turns change: they have the layout of ClusterSums, but for
/// the first element, which is the number of all points whose centres were searched.
template <class In, int N, int P>
struct Totals {
  Problem<N, P> problem;

  /// The bytes of the sums.
  std::int64_t bytes() const {
    return ClusterSums::bytes(problem.clusters, problem.dimensions(), problem.template most_windows<In>());
  }
  /// The number of elements.
  int count() const { return static_cast<int>(bytes() / static_cast<std::int64_t>(sizeof(std::int64_t))); }
};

/// The library reduction of what a turn changes in Totals: the sums of the points that have another label
/// than before, added to those of their new clusters, and subtracted from those of their old ones. The inputs
/// are the points, their new bounds, those before, and the exponents.
template <class In, int N, int P>
struct SumChanges {
  using Element = std::int64_t;

  SumClusters<In, N, P> sums;

  tessera::Box footprint(int input, const tessera::Box& box) const {
    if (input == 0) return sums.problem.layout.of_points(box);
    return input < 3 ? box : tessera::Box{exponent_elements};
  }
  std::int64_t value_bytes() const { return head + 2 * sums.value_bytes(); }
  std::int64_t scratch_bytes(const tessera::Box&) const {
    return 2 * PointAdder<In>::bytes(sums.problem.clusters, sums.problem.dimensions());
  }
  void init(std::byte* value) const {
    searched_in(value) = 0;
    size_in(value) = sums.value_bytes();
    sums.init(added(value));
    sums.init(removed(value));
  }
  void add(std::byte* value, const tessera::Box& box, const tessera::LibraryBlock<const In>& points,
           const tessera::LibraryBlock<const std::uint64_t>& bounds,
           const tessera::LibraryBlock<const std::uint64_t>& before,
           const tessera::LibraryBlock<const std::int32_t>& found) const {
    const Exponents exponents = exponents_of(found);
    const Windows windows = Windows::of(exponents, sums.problem.layout.points.size());
    ChangeAdder adder{sums.problem, exponents, windows, sums.sums_at(added(value)), {}};
    ChangeAdder remover{sums.problem, exponents, windows, sums.sums_at(removed(value)), {}};
    sums.problem.layout.for_each_row(points, box, [&](const PointRow<In>& row, const tessera::Point& place) {
      searched_in(value) += add_row(adder, remover, row, address(bounds, place), address(before, place));
    });
  }
  static void join(std::byte* into, const std::byte* other) {
    auto* const from = const_cast<std::byte*>(other);
    searched_in(into) += searched_in(from);
    SumClusters<In, N, P>::join(added(into), added(from));
    SumClusters<In, N, P>::join(removed(into), removed(from));
  }
  void store(const std::byte* value, std::int64_t* result) const {
    auto* const from = const_cast<std::byte*>(value);
    const auto* const plus = reinterpret_cast<const std::int64_t*>(added(from));
    const auto* const minus = reinterpret_cast<const std::int64_t*>(removed(from));
    const int count = Totals<In, N, P>{sums.problem}.count();
    std::fill_n(result, ClusterSums::first_count, 0);
    for (int i = ClusterSums::first_count; i < count; ++i) result[i] = plus[i] - minus[i];
    result[0] = searched_in(from);
  }

 private:
  static constexpr std::int64_t head = 2 * sizeof(std::int64_t);

  /// Adds points to sums. The PointAdder is made for the first of them, as it prepares the sums of all
  /// clusters, and no point of most tiles has changed in late turns.
  struct ChangeAdder {
    const Problem<N, P>& problem;
    const Exponents& exponents;
    const Windows& windows;
    ClusterSums sums;
    std::optional<PointAdder<In>> points;

    void add(const PointRow<In>& row, std::int64_t begin, int count, const std::int32_t* labels) {
      if (!points) {
        sums.set_exponents(exponents);
        points.emplace(sums, problem.clusters, problem.dimensions(), windows);
      }
      points->add(row, begin, count, labels);
    }
  };

  static std::int64_t& searched_in(std::byte* value) { return reinterpret_cast<std::int64_t*>(value)[0]; }
  static std::int64_t& size_in(std::byte* value) { return reinterpret_cast<std::int64_t*>(value)[1]; }
  static std::byte* added(std::byte* value) { return value + head; }
  static std::byte* removed(std::byte* value) { return value + head + size_in(value); }

  /// Adds the points of a row that have changed. Returns for how many of all the centre was searched.
  static std::int64_t add_row(ChangeAdder& adder, ChangeAdder& remover, const PointRow<In>& row,
                              const std::uint64_t* bounds, const std::uint64_t* before) {
    constexpr int together = 256;
    std::int32_t now[together], old[together];
    int changed = 0;
    const auto add_changed = [&](std::int64_t end) {
      if (changed == 0) return;
      adder.add(row, end - changed, changed, now);
      // In the first turn no point has an old label, and later all have.
      if (old[0] >= 0) remover.add(row, end - changed, changed, old);
      changed = 0;
    };
    std::int64_t searched = 0;
    for (std::int64_t i = 0; i < row.count; ++i) {
      searched += PointBounds::searched_in(bounds[i]) ? 1 : 0;
      now[changed] = PointBounds::label_of(bounds[i]);
      old[changed] = before[i] == unknown_bounds ? -1 : PointBounds::label_of(before[i]);
      if (now[changed] == old[changed])
        add_changed(i);
      else if (++changed == together)
        add_changed(i + 1);
    }
    add_changed(row.count);
    return searched;
  }
};

/// The library reduction that rounds the sums of Totals. The result is that of SumClusters. The inputs are
/// Totals and the exponents.
template <class In, int N, int P>
struct RoundTotals {
  using Element = double;

  Problem<N, P> problem;

  /// The number of elements of the result.
  int count() const { return problem.clusters * (problem.dimensions() + 1); }
  tessera::Box footprint(int input, const tessera::Box&) const {
    return input == 0 ? tessera::Box{{0, Totals<In, N, P>{problem}.count()}}
                      : tessera::Box{exponent_elements};
  }
  std::int64_t value_bytes() const { return GatheredNumbers::bytes(count()); }
  void init(std::byte* value) const { GatheredNumbers::clear(value, count()); }
  void add(std::byte* value, const tessera::Box& box, const tessera::LibraryBlock<const std::int64_t>& totals,
           const tessera::LibraryBlock<const std::int32_t>& found) const {
    ClusterSums sums(reinterpret_cast<std::byte*>(const_cast<std::int64_t*>(totals.data)), problem.clusters,
                     problem.dimensions(), problem.template most_windows<In>());
    const Windows windows = Windows::of(exponents_of(found), problem.layout.points.size());
    double* const result = GatheredNumbers::of(value);
    for (auto k = static_cast<int>(box[0].begin); k < box[0].end; ++k) {
      for (int j = 0; j < problem.dimensions(); ++j)
        result[std::int64_t(k) * problem.dimensions() + j] = sums.sum(k, j, windows);
      result[std::int64_t(problem.clusters) * problem.dimensions() + k] = static_cast<double>(sums.count(k));
    }
  }
  static void join(std::byte* into, const std::byte* other) { GatheredNumbers::join(into, other); }
  void store(const std::byte* value, double* result) const { GatheredNumbers::store(value, result); }
};

/// A value of unknown bounds at every point.
struct UnknownBounds {
  template <class... Coord>
  KOKKOS_FUNCTION auto operator()(Coord...) const {
    return unknown_bounds;
  }
};

/// The sum of two values.
struct Plus {
  template <class First, class Second, class Coord>
  KOKKOS_FUNCTION auto operator()(const First& first, const Second& second, Coord i) const {
    return first(i) + second(i);
  }
};

}  // namespace kmeans
