// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "gemm_finder.hpp"
#include "nearest.hpp"
#include "points.hpp"
#include "row_finder.hpp"
#include "turned.hpp"

namespace kmeans {

/// The ways to compute distances: by find_nearest, or by a GemmFinder, which needs can_use_gemm().
enum class Distances { fused, gemm };
/// Whether a LabelFinder also finds lower bounds of the distances from all centres but the nearest one. This
/// needs Distances::fused.
enum class Others { left_out, found };

/// Finds the numbers of the nearest centres of points.
template <class T>
class LabelFinder {
 public:
  /// Makes a finder for `clusters` centres with `dimensions` coordinates each, one centre after the other.
  /// All coordinates of points are less than 2^exponent.
  LabelFinder(const T* centres, int clusters, int dimensions, int exponent, Distances distances,
              Others others = Others::left_out)
      : table_(centres, clusters, dimensions, exponent),
        by_gemm_(distances == Distances::gemm ? GemmFinder<T>::make(table_) : nullptr),
        block_(dimensions, block_points(dimensions, distances)),
        labels_(static_cast<std::size_t>(block_.size())),
        others_(others == Others::found ? labels_.size() : 0),
        point_(static_cast<std::size_t>(dimensions)),
        leaves_rows_(by_rows(clusters, distances, others)) {}

  /// The bytes of a finder, but for small parts. `has_rows` says whether the coordinates of points lie beside
  /// each other.
  static std::int64_t bytes(int clusters, int dimensions, Distances distances, Others others, bool has_rows) {
    const std::int64_t centres = clusters + 2 * centres_together;
    const std::int64_t numbers = std::int64_t(dimensions) * block_points(dimensions, distances) +
                                 centres * (dimensions + 2) * (distances == Distances::gemm ? 3 : 2) +
                                 dimensions;
    const std::int64_t products =
        distances == Distances::gemm ? std::min<std::int64_t>(centres, gemm_centres) * gemm_points : 0;
    return (numbers + products) * static_cast<std::int64_t>(sizeof(double)) +
           (has_rows && by_rows(clusters, distances, others) ? RowFinder<T>::size(dimensions) : 0);
  }

  /// The number of points that are searched together.
  int block_size() const { return block_.size(); }
  /// The number of points that are searched together in so many dimensions.
  static int block_points(int dimensions, Distances distances) {
    return distances == Distances::gemm ? gemm_points : TurnedBlock<T>::cached_points(dimensions);
  }
  /// The power of two by which distances are multiplied.
  double scale() const { return static_cast<double>(table_.scale()); }
  /// Returns a lower bound of the scaled distances of a point from all centres but that of its label, while
  /// `for_each` calls use(begin, count, labels) with this point as number begin + i. The finder was made with
  /// Others::found.
  double other_distance(int i) const {
    // Centres that are farther away than this are not looked at.
    constexpr double greatest = 0x1p39;
    const double square = std::max(0.0, static_cast<double>(others_[static_cast<std::size_t>(i)]));
    const double factor = 1 + static_cast<double>(table_.margin_factor()) / 3;
    return std::min(std::sqrt(square / factor) * (1 - 0x1p-20), greatest);
  }

  /// Calls use(begin, count, labels) for each part of a row: labels[i] is the number of the centre that is
  /// nearest to the point begin + i of the row.
  template <class In, class Use>
  void for_each(const PointRow<In>& row, const Use& use) {
    const int size = finds_rows(row) ? RowFinder<T>::points : block_.size();
    int count = 0;
    for (std::int64_t begin = 0; begin < row.count; begin += count) {
      // In products, the place of a point follows from its number, so that its label does not depend on
      // tiles.
      const int place = by_gemm_ ? static_cast<int>((row.number + begin) % size) : 0;
      count = static_cast<int>(std::min<std::int64_t>(size - place, row.count - begin));
      if (find(row, begin, count, place)) decide(row, begin, count, labels_.data() + place);
      use(begin, count, labels_.data() + place);
    }
  }

 private:
  /// Whether points in rows are left as they are, and not turned. Only find_nearest finds distances from
  /// other centres.
  static bool by_rows(int clusters, Distances distances, Others others) {
    return distances == Distances::fused && others == Others::left_out && RowFinder<T>::suits(clusters);
  }
  template <class In>
  bool finds_rows(const PointRow<In>& row) const {
    return leaves_rows_ && row.coordinate_stride == 1;
  }
  /// Finds the labels of points of a row, which get the places from `place` on. Returns whether there is a
  /// doubtful one.
  template <class In>
  bool find(const PointRow<In>& row, std::int64_t begin, int count, int place) {
    if (finds_rows(row)) {
      if (!rows_) rows_.emplace(table_);
      rows_->take(row, begin, count);
      return rows_->find(labels_.data());
    }
    block_.take(row, begin, count, place, table_);
    return by_gemm_ ? by_gemm_->find(block_.data(), labels_.data())
                    : find_nearest(table_, block_.data(), block_.size(), labels_.data(),
                                   others_.empty() ? nullptr : others_.data());
  }
  /// Gives doubtful ones of `count` points of a row, from point `begin` on, their labels.
  template <class In>
  void decide(const PointRow<In>& row, std::int64_t begin, int count, std::int32_t* labels) {
    for (int i = 0; i < count; ++i) {
      if (labels[i] != doubtful) continue;
      const In* const point = row.point(begin + i);
      for (std::size_t j = 0; j < point_.size(); ++j)
        point_[j] = static_cast<double>(point[static_cast<std::int64_t>(j) * row.coordinate_stride]);
      labels[i] = table_.nearest_by_squares(point_.data());
      if (!others_.empty()) others_[static_cast<std::size_t>(i)] = 0;
    }
  }

  CentreTable<T> table_;
  std::unique_ptr<GemmFinder<T>> by_gemm_;
  /// It is made for the first points that are left as they are.
  std::optional<RowFinder<T>> rows_;
  TurnedBlock<T> block_;
  std::vector<std::int32_t> labels_;
  /// The result of find_nearest for the distances from other centres, if that is asked for.
  std::vector<T> others_;
  /// A point whose label is to be decided.
  std::vector<double> point_;
  bool leaves_rows_;
};

}  // namespace kmeans
