// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace kmeans {

/// The number of points that `find_nearest` takes together at least. Blocks have multiples of it.
inline constexpr int points_together = 48;
/// The number of centres that lie beside each other in a CentreTable.
inline constexpr int centres_together = 8;

/// The label of points whose nearest centre may depend on roundings.
inline constexpr std::int32_t doubtful = -1;

/// Centres as `find_nearest` reads them. Points and centres are shifted and scaled before distances are
/// computed: a point amid the centres becomes 0, which keeps digits when all points are far from 0, and no
/// coordinate of points far exceeds 2, so that no square overflows. A point x is nearest to the centre c with
/// the least value |c|^2 / 2 - x c. Where the least two values are too close to each other, LabelFinder
/// computes the distances again.
template <class T>
class CentreTable {
 public:
  /// Makes the table of `count` centres with `dimensions` coordinates each, one centre after the other. All
  /// coordinates of points are less than 2^exponent.
  CentreTable(const T* centres, int count, int dimensions, int exponent);

  /// The number of coordinates.
  const int dimensions;
  /// The number of groups of `centres_together` centres. Centres that are missing in the last group are never
  /// the nearest.
  const int groups;
  /// The factor of the coordinates, a power of two. They are shifted first, and then multiplied.
  const T scale;
  /// The numbers that are subtracted from the coordinates.
  std::vector<T> shift;
  /// The factor of the margin of a point x, which is margin_factor * |x|^2 + margin_rest. If the least two
  /// values of x differ by more than the margin, roundings cannot change which centre is the nearest.
  T margin_factor = 0;
  T margin_rest = 0;

  /// Returns a group: half the squared norms of its centres, then their first coordinates with the opposite
  /// sign, their second coordinates, and so on.
  const T* group(int g) const { return numbers_.data() + std::int64_t(g) * group_size(); }

 private:
  std::int64_t group_size() const { return std::int64_t(dimensions + 1) * centres_together; }
  void choose_shift(const T* centres, int count);
  double add(const T* centre, int k);
  void choose_margin(double least_norm);

  std::vector<T> numbers_;
};

/// Finds the nearest centre of each of `points` points, a multiple of `points_together`. `turned` holds the
/// shifted and scaled points, dimension by dimension: coordinate j of point i is turned[j * points + i],
/// which is aligned to 64 bytes. `labels` gets the number of the nearest centre of each point, or `doubtful`
/// if roundings may decide about it. A label depends on its point and the centres only. Returns whether there
/// is a doubtful point.
///
/// If `others` is not null, it gets a bound for each point: if point i is not doubtful, the squared distances
/// of all centres except the nearest one are at least others[i] / (1 + margin_factor / 3), or at least 2^78.
/// The second limit is there as centres that are farther than 2^40 from 0 have the value infinity.
template <class T>
bool find_nearest(const CentreTable<T>& centres, const T* turned, int points, std::int32_t* labels,
                  T* others = nullptr);

}  // namespace kmeans
