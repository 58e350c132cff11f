// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "steps.hpp"

// The bounds of distances by G. Hamerly, "Making k-means even faster" (SDM 2010), and the steps with them.
namespace kmeans {

/// Returns the power of two that scales distances, such that they fit into numbers of few bits. All
/// coordinates of points are less than 2^exponent.
inline double distance_scale(int exponent) { return std::ldexp(1.0, -std::max(exponent, -1000)); }
/// Distances are computed in double, with relative errors of less than half of this for any number of
/// coordinates. Bounds are moved by it to the safe side.
inline constexpr double distance_error = 0x1p-20;
/// A scaled distance is wrong by less than this where its squares are too small for double.
inline constexpr double distance_lost = 0x1p-500;
/// Returns a distance that is not less than the one with this square.
inline double distance_above(double square) {
  return std::sqrt(square) * (1 + distance_error) + distance_lost;
}

/// The centre of a point, and bounds of its scaled distances.
struct PointBounds {
  /// The number of the centre.
  std::int32_t label = 0;
  /// The distance of the centre is at most this.
  double upper = std::numeric_limits<double>::infinity();
  /// The distances of all other centres are at least this.
  double lower = 0;
  /// Whether the centre was searched in the last iteration.
  bool was_searched = false;

  /// Returns 64 bits for a point. Bounds are rounded to the safe side.
  std::uint64_t packed() const {
    return std::bit_cast<std::uint64_t>(
        Fields{static_cast<std::uint32_t>(label), lower_code(), upper_code(), was_searched});
  }
  /// Returns the bounds with these bits.
  static PointBounds of(std::uint64_t bits) {
    const auto fields = std::bit_cast<Fields>(bits);
    return {static_cast<std::int32_t>(fields.label), number_of(fields.upper, upper_shift),
            number_of(fields.lower, lower_shift), fields.was_searched != 0};
  }

 private:
  /// The packed bits. There are at most 2^20 labels. Bounds are floats without their signs and last bits.
  struct Fields {
    std::uint64_t label : 20;
    std::uint64_t lower : 21;
    std::uint64_t upper : 22;
    std::uint64_t was_searched : 1;
  };
  static constexpr int lower_shift = 10, upper_shift = 9;

  static double number_of(std::uint64_t code, int shift) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(code) << shift));
  }
  std::uint32_t upper_code() const {
    const float kept = upper < 0x1p127 ? static_cast<float>(upper) : std::numeric_limits<float>::infinity();
    const std::uint32_t code = std::bit_cast<std::uint32_t>(kept) >> upper_shift;
    return code + (number_of(code, upper_shift) < upper ? 1 : 0);
  }
  std::uint32_t lower_code() const {
    const double kept = std::clamp(lower, 0.0, 0x1p100);
    const std::uint32_t code = std::bit_cast<std::uint32_t>(static_cast<float>(kept)) >> lower_shift;
    return code - (number_of(code, lower_shift) > kept ? 1 : 0);
  }
};

/// The packed bits of a point that has no label yet: its upper bound is NaN, which other points never have.
inline constexpr std::uint64_t unknown_bounds = ((std::uint64_t(1) << 63) - 1) >> 41 << 41;

/// The library reduction that finds how far each centre has moved, rounded up, and half of its distance from
/// the nearest other centre, rounded down (infinity if there is only one centre). Both are scaled. The inputs
/// are the centres, the centres of the iteration before, and the exponents. The result has all moves, then
/// all half distances.
template <class T>
struct FindMoves : GatheredNumbers {
  int clusters;
  int dimensions;

  Box footprint(int input, const Box&) const {
    const Box all_centres = {{0, std::int64_t(clusters) * dimensions}};
    return box_of(input, {all_centres, all_centres, {exponent_elements}});
  }
  void add(std::byte* value, const Box& box, const Read<T>& centres, const Read<T>& before,
           const Read<double>& found) const {
    const double scale = distance_scale(exponents_of(found).top);
    for (std::int64_t k = box[0].begin; k < box[0].end; ++k) {
      const T* const centre = centres.data + k * dimensions;
      const auto square = [&](const T* other) { return scaled_square(centre, 1, other, dimensions, scale); };
      const T* const old = before.data + k * dimensions;
      numbers(value)[k] = std::equal(centre, centre + dimensions, old) ? 0 : distance_above(square(old));
      double least = std::numeric_limits<double>::infinity();
      for (std::int64_t other = 0; other < clusters; ++other)
        if (other != k) least = std::min(least, square(centres.data + other * dimensions));
      numbers(value)[clusters + k] = std::sqrt(least) / 2 * (1 - distance_error);
    }
  }
};

/// Finds the nearest centres of points by a LabelFinder, but only of points whose bounds do not say that they
/// keep their centres. Labels are those of the LabelFinder: a point keeps its centre without a search only if
/// all other centres are farther away by more than all roundings, also those of nearest_by_squares.
template <class In>
class BoundedSearch {
 public:
  using T = NumberOf<In>;

  /// Makes a search for the centres of `problem`. `moves` is the result of FindMoves.
  BoundedSearch(const Problem& problem, const T* centres, const double* moves, const Exponents& exponents)
      : finder_(centres, problem.clusters, problem.dimensions, exponents.top, true),
        centres_(centres),
        dimensions_(problem.dimensions),
        moves_(moves),
        halves_(moves + problem.clusters),
        scale_(distance_scale(exponents.top)),
        least_limit_(std::max(0x1p-400, 0x1p-500 * scale_)),
        waiting_(static_cast<std::size_t>(LabelFinder<T>::block_size(dimensions_) * dimensions_)) {
    std::partial_sort_copy(moves, halves_, farthest_, farthest_ + 2, std::greater<>());
  }

  /// Takes the points of a row. `known` are their bounds in the iteration before. Their new bounds are
  /// written to `out`, for some points only when `finish` is called.
  void take(const PointRow<In>& row, const std::uint64_t* known, std::uint64_t* out) {
    for (std::int64_t i = 0; i < row.count; ++i) {
      PointBounds bounds = PointBounds::of(known[i]);
      bounds.was_searched = false;
      // Each of these roundings loses less than 2^-53. Together they lose less than the margin of is_near.
      bounds.upper += moves_[bounds.label];
      bounds.lower -= farthest_[moves_[bounds.label] == farthest_[0] ? 1 : 0];
      const double limit = std::max(halves_[bounds.label], bounds.lower);
      if (!is_near(bounds.upper, limit)) {
        bounds.upper = distance(row.point(i), row.coordinate_stride, bounds.label);
        if (!is_near(bounds.upper, limit)) {
          wait(row, i, out + i);
          continue;
        }
      }
      out[i] = bounds.packed();
    }
  }
  /// Searches the centres of all points that still wait, and writes their bounds.
  void finish() {
    // The distances of the finder have another scale than bounds where coordinates are extremely small.
    const double ratio = scale_ / finder_.scale();
    const PointRow<In> row{waiting_.data(), dimensions_, 1, static_cast<std::int64_t>(places_.size()), 0};
    finder_.for_each(row, [&](std::int64_t begin, int count, const std::int32_t* labels) {
      for (int i = 0; i < count; ++i)
        *places_[static_cast<std::size_t>(begin + i)] =
            PointBounds{labels[i], distance(row.point(begin + i), 1, labels[i]),
                        finder_.other_distance(i) * ratio, true}
                .packed();
    });
    places_.clear();
  }

 private:
  /// Whether a point that is at most `upper` away from its centre is nearer to it than to all other centres.
  /// Each other centre is farther than `limit` from the point, or farther than 2 * limit from the centre of
  /// the point. The margin covers the roundings of squares in double, which are below 2^-22. Below
  /// least_limit_, squares lose parts that the margin does not cover.
  bool is_near(double upper, double limit) const {
    return upper * (1 + 0x1p-18) < limit && limit >= least_limit_;
  }
  /// Returns a scaled distance that is at least the one of a point from the centre with this label.
  double distance(const In* point, std::int64_t stride, std::int32_t label) const {
    const T* const centre = centres_ + std::int64_t(label) * dimensions_;
    return distance_above(scaled_square(point, stride, centre, dimensions_, scale_));
  }
  /// Puts off the search for point i of a row, whose bounds are to be written to `place`.
  void wait(const PointRow<In>& row, std::int64_t i, std::uint64_t* place) {
    In* to = waiting_.data() + static_cast<std::int64_t>(places_.size()) * dimensions_;
    for (int j = 0; j < dimensions_; ++j) *to++ = row.point(i)[j * row.coordinate_stride];
    places_.push_back(place);
    if (to == waiting_.data() + waiting_.size()) finish();
  }

  LabelFinder<T> finder_;
  const T* centres_;
  int dimensions_;
  const double* moves_;
  const double* halves_;
  double scale_;
  /// Squares of distances below this may be lost, here or in nearest_by_squares.
  double least_limit_;
  /// The farthest and the second farthest move of a centre.
  double farthest_[2] = {};
  /// The coordinates of points whose centres are to be searched, and the places of their results.
  std::vector<In> waiting_;
  std::vector<std::uint64_t*> places_;
};

/// The library stage that finds the nearest centres of all points, for most points by their bounds alone, and
/// the new bounds. The inputs are the points, their bounds in the iteration before, the centres, the result
/// of FindMoves, and the exponents.
template <class In>
struct SearchWithBounds {
  using T = NumberOf<In>;

  Problem problem;

  Box footprint(int input, const Box& box) const {
    return box_of(input, {problem.of_points(box),
                          box,
                          problem.all_centres(),
                          {{0, 2 * std::int64_t(problem.clusters)}},
                          {exponent_elements}});
  }
  std::int64_t scratch_bytes(const Box&) const {
    return LabelFinder<T>::bytes(problem.clusters, problem.dimensions) +
           LabelFinder<T>::block_size(problem.dimensions) * 8 * (std::int64_t(problem.dimensions) + 2);
  }
  void operator()(const Read<In>& points, const Read<std::uint64_t>& known, const Read<T>& centres,
                  const Read<double>& moves, const Read<double>& found,
                  const LibraryBlock<std::uint64_t>& out) const {
    BoundedSearch<In> search(problem, centres.data, moves.data, exponents_of(found));
    problem.for_each_row(points, out.box, [&](const PointRow<In>& row, const Point& place) {
      search.take(row, address(known, place), address(out, place));
    });
    search.finish();
  }
};

/// The library reduction that finds how an iteration changes the sums of all clusters: each point with
/// another label than before is added to the sums of its new cluster, and taken away from the sums of its old
/// one. The result has the integers of ClusterSums. The first integer is the number of points whose centres
/// were searched. The number of integers and the exponents are 0, as results are added. The inputs are the
/// points, their new bounds, their bounds before, and the exponents.
template <class In>
struct SumChanges {
  using Element = std::int64_t;

  Problem problem;

  /// The number of elements of the result.
  int count() const { return static_cast<int>(value_bytes() / 8); }
  Box footprint(int input, const Box& box) const {
    return box_of(input, {problem.of_points(box), box, box, {exponent_elements}});
  }
  std::int64_t value_bytes() const { return problem.sums_bytes<In>(); }
  std::int64_t scratch_bytes(const Box&) const {
    return 2 * (value_bytes() + 64 * std::int64_t(problem.clusters));
  }
  void init(std::byte* value) const { problem.sums_at<In>(value).clear(); }
  void add(std::byte* value, const Box& box, const Read<In>& points, const Read<std::uint64_t>& bounds,
           const Read<std::uint64_t>& before, const Read<double>& exponents) const {
    ClusterSums sums = problem.sums_at<In>(value);
    const Windows windows = problem.windows<In>(exponents_of(exponents));
    PointAdder<In> added(sums, windows), removed(sums, windows, -1);
    // Points are added together, as each call costs about as much as some points.
    constexpr int together = 256;
    std::int64_t searched = 0;
    problem.for_each_row(points, box, [&](const PointRow<In>& row, const Point& place) {
      const std::uint64_t *now = address(bounds, place), *old = address(before, place);
      std::int32_t gained[together], lost[together];
      for (std::int64_t begin = 0; begin < row.count; begin += together) {
        const int count = static_cast<int>(std::min<std::int64_t>(together, row.count - begin));
        bool has_changed = false;
        for (int i = 0; i < count; ++i, ++now, ++old) {
          const PointBounds found = PointBounds::of(*now);
          searched += found.was_searched ? 1 : 0;
          const std::int32_t label = *old == unknown_bounds ? -1 : PointBounds::of(*old).label;
          has_changed |= label != found.label;
          gained[i] = label == found.label ? -1 : found.label;
          lost[i] = label == found.label ? -1 : label;
        }
        if (!has_changed) continue;
        added.add(row, begin, count, gained);
        removed.add(row, begin, count, lost);
      }
    });
    sums.extra() += searched;
  }
  static void join(std::byte* into, const std::byte* other) { ClusterSums::join(into, other); }
  void store(const std::byte* value, std::int64_t* result) const {
    std::copy_n(reinterpret_cast<const std::int64_t*>(value), count(), result);
    std::fill(result + 1, result + ClusterSums::first_count, 0);
  }
};

/// The library reduction that rounds the sums of all clusters. The result is that of SumClusters. The inputs
/// are the sum of the results of SumChanges, and the exponents.
template <class In>
struct RoundSums : GatheredNumbers {
  Problem problem;

  Box footprint(int input, const Box&) const {
    return box_of(input, {{{0, SumChanges<In>{problem}.count()}}, {exponent_elements}});
  }
  void add(std::byte* value, const Box& box, const Read<std::int64_t>& totals,
           const Read<double>& found) const {
    auto* const at = reinterpret_cast<std::byte*>(const_cast<std::int64_t*>(totals.data));
    problem.sums_at<In>(at).round(problem.windows<In>(exponents_of(found)), static_cast<int>(box[0].begin),
                                  static_cast<int>(box[0].end), numbers(value));
  }
};

}  // namespace kmeans
