// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "nearest.hpp"

namespace kmeans {

template <class T>
CentreTable<T>::CentreTable(const T* centres, int count, int dimensions, int exponent)
    : dimensions(dimensions),
      groups((count + centres_together - 1) / centres_together),
      scale(std::ldexp(T(1), -exponent)),
      shift(static_cast<std::size_t>(dimensions)),
      numbers_(static_cast<std::size_t>(groups * group_size())) {
  choose_shift(centres, count);
  double least_norm = std::numeric_limits<double>::infinity();
  for (int k = 0; k < count; ++k)
    least_norm = std::min(least_norm, add(centres + std::int64_t(k) * dimensions, k));
  for (int k = count; k < groups * centres_together; ++k)
    numbers_[static_cast<std::size_t>((groups - 1) * group_size() + k % centres_together)] =
        std::numeric_limits<T>::infinity();
  choose_margin(least_norm);
}

/// Takes medians of the coordinates of the centres, or of some of them if there are many: few centres that
/// are far from all others do not take digits from the rest. Each tile of points makes its table, so that
/// this is to take little time.
template <class T>
void CentreTable<T>::choose_shift(const T* centres, int count) {
  constexpr int most = 16;
  const int taken = std::min(count, most);
  T numbers[most];
  for (int j = 0; j < dimensions; ++j) {
    for (int i = 0; i < taken; ++i) numbers[i] = centres[std::int64_t(i) * count / taken * dimensions + j];
    std::nth_element(numbers, numbers + (taken - 1) / 2, numbers + taken);
    shift[static_cast<std::size_t>(j)] = numbers[(taken - 1) / 2];
  }
}

/// Adds centre k, and returns its norm after shift and scaling.
template <class T>
double CentreTable<T>::add(const T* centre, int k) {
  const std::int64_t group = k / centres_together;
  T* const place = numbers_.data() + group * group_size() + k % centres_together;
  double square = 0;
  for (int j = 0; j < dimensions; ++j) {
    const double moved =
        (static_cast<double>(centre[j]) - static_cast<double>(shift[static_cast<std::size_t>(j)])) *
        static_cast<double>(scale);
    const T rounded = static_cast<T>(moved);
    square += static_cast<double>(rounded) * static_cast<double>(rounded);
    place[std::int64_t(j + 1) * centres_together] = -rounded;
  }
  // No point is near to a centre that is so far away. Products with its coordinates might overflow.
  constexpr double far = 0x1p40;
  if (!(square <= far * far)) {
    square = std::numeric_limits<double>::infinity();
    for (int j = 0; j < dimensions; ++j) place[std::int64_t(j + 1) * centres_together] = 0;
  }
  place[0] = static_cast<T>(square / 2);
  return std::sqrt(square);
}

/// Let u be the greatest relative error of a rounding, D the number of coordinates, and m the least norm of a
/// centre. The value of a centre c is wrong by at most g (|c|^2 / 2 + |x| |c|) with g = (D + 8) u, as points
/// and centres are rounded once after the shift, and as each of the D products and sums and the squared norm
/// are rounded. The nearest centre has |c| <= 2 |x| + m, so that the error of its value is at most
/// e = g (4 |x|^2 + 3 |x| m + m^2 / 2) <= g (5.5 |x|^2 + 2 m^2). The values of centres that are farther from
/// 0 are greater than the smallest by more than their errors exceed e. A centre whose value is less than all
/// others by 2 e is therefore the nearest. The factor 6 is for what is rounded in the margin itself, and when
/// it is added to a value.
template <class T>
void CentreTable<T>::choose_margin(double least_norm) {
  const double error = (dimensions + 8) * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  // With such errors, or when all centres are far, the above does not hold, and all points are doubtful. So
  // they are when 0 has been moved far away from the points, to where half of the centres are: then a centre
  // that is far away from 0 may be near to them.
  const bool is_near =
      std::ranges::all_of(shift, [this](T number) { return std::abs(number) * scale < T(0x1p20); });
  const bool has_bound = error < 0x1p-6 && least_norm < 0x1p30 && is_near;
  margin_factor = static_cast<T>(2 * 6 * error);
  // Parts below the least normal number may be lost.
  margin_rest =
      has_bound ? static_cast<T>(2 * 2.5 * error * least_norm * least_norm +
                                 (dimensions + 8.0) * 8 * static_cast<double>(std::numeric_limits<T>::min()))
                : std::numeric_limits<T>::infinity();
}

template class CentreTable<float>;
template class CentreTable<double>;

}  // namespace kmeans
