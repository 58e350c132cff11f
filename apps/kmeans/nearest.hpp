// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace kmeans {

/// The number of points that `find_nearest` takes together at least. Blocks have multiples of it.
inline constexpr int points_together = 48;
/// The number of centres that lie beside each other in a CentreTable.
inline constexpr int centres_together = 8;

/// Centres as `find_nearest` reads them. Points and centres are shifted and scaled before distances are
/// computed: the mean of the centres becomes 0, which keeps digits when all points are far from 0, and no
/// coordinate exceeds 2 by much, so that no square overflows. A point x is nearest to the centre c with the
/// least |c|^2 / 2 - x c.
template <class T>
class CentreTable {
 public:
  /// Makes the table of `count` centres with `dimensions` coordinates each, one centre after the other. All
  /// coordinates of points are less than 2^exponent.
  CentreTable(const T* centres, int count, int dimensions, int exponent);

  /// The number of coordinates.
  int dimensions() const { return dimensions_; }
  /// The number of groups of `centres_together` centres. Centres that are missing in the last group are never
  /// the nearest.
  int groups() const { return groups_; }
  /// Returns a group: half the squared norms of its centres, then their first coordinates with the opposite
  /// sign, their second coordinates, and so on.
  const T* group(int g) const {
    return numbers_.data() + static_cast<std::size_t>(g) * static_cast<std::size_t>(group_size());
  }
  /// What is subtracted from the coordinates.
  const T* shift() const { return shift_.data(); }
  /// The power of two by which the difference is multiplied.
  T scale() const { return scale_; }

 private:
  int group_size() const { return (dimensions_ + 1) * centres_together; }

  int dimensions_;
  int groups_;
  T scale_;
  std::vector<T> shift_;
  std::vector<T> numbers_;
};

/// Finds the nearest centre of each of `points` points, a multiple of `points_together`. `turned` holds the
/// shifted and scaled points, dimension by dimension: coordinate j of point i is turned[j * points + i],
/// which is aligned to 64 bytes. Of several equally near centres, the first one is taken. A label depends on
/// its point and the centres only.
template <class T>
void find_nearest(const CentreTable<T>& centres, const T* turned, int points, std::int32_t* labels);

}  // namespace kmeans
