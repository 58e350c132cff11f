// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "bounds.hpp"
#include "label_finder.hpp"

namespace kmeans {

/// Finds the nearest centres of points by a LabelFinder, but only of points whose bounds do not say that they
/// keep their centres. Points get the labels that the LabelFinder would give them: a point keeps its centre
/// without a search only if all other centres are farther away by more than all roundings, also those of
/// CentreTable::nearest_by_squares. `Out` is std::uint64_t to write bounds, and std::int32_t for labels.
template <class In, class Out>
class BoundedSearch {
 public:
  /// The type of the coordinates of centres.
  using T = NumberOf<In>;

  /// Makes a search by `finder`, which was made with Others::found and has the same centres: `clusters` of
  /// `dimensions` coordinates each. `moves` is the result of FindMoves. All coordinates of points are less
  /// than 2^exponent.
  BoundedSearch(LabelFinder<T>& finder, const T* centres, int clusters, int dimensions, const double* moves,
                int exponent)
      : finder_(finder),
        centres_(centres),
        dimensions_(dimensions),
        moves_(moves),
        halves_(moves + clusters),
        scale_(distance_scale(exponent)),
        least_limit_(std::max(0x1p-400, 0x1p-500 * scale_)),
        waiting_(static_cast<std::size_t>(finder.block_size()) * static_cast<std::size_t>(dimensions)) {
    for (int k = 0; k < clusters; ++k) {
      if (moves[k] > greatest_move_) {
        second_move_ = greatest_move_;
        greatest_move_ = moves[k];
        fastest_ = k;
      } else {
        second_move_ = std::max(second_move_, moves[k]);
      }
    }
    places_.reserve(static_cast<std::size_t>(finder.block_size()));
  }

  /// The bytes of a search, but for small parts and for its finder.
  static std::int64_t bytes(int dimensions) {
    constexpr auto coordinate = static_cast<std::int64_t>(sizeof(In));
    return LabelFinder<T>::block_points(dimensions, Distances::fused) * (coordinate * dimensions + 16);
  }

  /// Takes the points of a row, whose bounds in the turn before were `known`. Their results are in `out` when
  /// `finish` has been called.
  void take(const PointRow<In>& row, const std::uint64_t* known, Out* out) {
    for (std::int64_t i = 0; i < row.count; ++i) {
      PointBounds bounds = PointBounds::of(known[i]);
      bounds.was_searched = false;
      // Each of these roundings loses less than 2^-53, so that all turns lose less than is_near leaves.
      bounds.upper += moves_[bounds.label];
      bounds.lower -= bounds.label == fastest_ ? second_move_ : greatest_move_;
      const double limit = std::max(halves_[bounds.label], bounds.lower);
      if (!is_near(bounds.upper, limit)) {
        bounds.upper = distance(row.point(i), row.coordinate_stride, bounds.label);
        if (!is_near(bounds.upper, limit)) {
          wait(row, i, out + i);
          continue;
        }
      }
      put(out[i], bounds);
    }
  }
  /// Searches the centres of all points that still wait for it.
  void finish() {
    const PointRow<In> row{waiting_.data(), dimensions_, 1, static_cast<std::int64_t>(places_.size()), 0};
    finder_.for_each(row, [&](std::int64_t begin, int count, const std::int32_t* labels) {
      for (int i = 0; i < count; ++i)
        put(*places_[static_cast<std::size_t>(begin + i)],
            {labels[i], distance(row.point(begin + i), 1, labels[i]),
             finder_.other_distance(i) * unit_ratio(), true});
    });
    places_.clear();
  }

 private:
  /// Whether a point that is at most `upper` away from its centre is nearer to it than to all others, of
  /// which each is farther away than `limit`, or than 2 * limit from the centre. The margin covers the
  /// roundings of squares in double, which are below 2^-22, where no squares are lost.
  bool is_near(double upper, double limit) const {
    return upper * (1 + 0x1p-18) < limit && limit >= least_limit_;
  }
  double distance(const In* point, std::int64_t stride, std::int32_t label) const {
    return distance_above(point, stride, centres_ + std::int64_t(label) * dimensions_, dimensions_, scale_);
  }
  /// The scaled distances of the finder have another scale where coordinates are extremely small.
  double unit_ratio() const { return scale_ / finder_.scale(); }

  void wait(const PointRow<In>& row, std::int64_t i, Out* place) {
    In* const to = waiting_.data() + places_.size() * static_cast<std::size_t>(dimensions_);
    const In* const point = row.point(i);
    for (int j = 0; j < dimensions_; ++j) to[j] = point[j * row.coordinate_stride];
    places_.push_back(place);
    if (places_.size() == static_cast<std::size_t>(finder_.block_size())) finish();
  }
  static void put(Out& out, const PointBounds& bounds) {
    if constexpr (std::is_same_v<Out, std::int32_t>)
      out = bounds.label;
    else
      out = bounds.packed();
  }

  LabelFinder<T>& finder_;
  const T* centres_;
  int dimensions_;
  const double* moves_;
  const double* halves_;
  double scale_;
  /// Squares of smaller distances may be lost, here or in CentreTable::nearest_by_squares.
  double least_limit_;
  /// The centre that has moved farthest, by `greatest_move_`, and the farthest move of all others.
  std::int32_t fastest_ = -1;
  double greatest_move_ = 0;
  double second_move_ = 0;
  /// The coordinates of points whose centres are to be searched, and the places of their results.
  std::vector<In> waiting_;
  std::vector<Out*> places_;
};

}  // namespace kmeans
