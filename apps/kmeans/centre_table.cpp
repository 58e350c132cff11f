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
  // A missing centre has an infinite value, so that it is never the nearest.
  for (int k = count; k < groups * centres_together; ++k)
    numbers_[static_cast<std::size_t>((groups - 1) * group_size() + k % centres_together)] =
        std::numeric_limits<T>::infinity();
  choose_margin(least_norm);
}

/// Sets the shift: each coordinate is a median over the centres. A median ignores a few centres that are far
/// from all others, which would otherwise take digits from the rest. If there are many centres, it is the
/// median of a sample, as each tile of points makes a table, which must take little time.
template <class T>
void CentreTable<T>::choose_shift(const T* centres, int count) {
  constexpr int largest_sample = 16;
  const int size = std::min(count, largest_sample);
  T sample[largest_sample];
  for (int j = 0; j < dimensions; ++j) {
    for (int i = 0; i < size; ++i) sample[i] = centres[std::int64_t(i) * count / size * dimensions + j];
    std::nth_element(sample, sample + (size - 1) / 2, sample + size);
    shift[static_cast<std::size_t>(j)] = sample[(size - 1) / 2];
  }
}

/// Writes centre number k to the table, shifted and scaled. Returns its norm, or infinity if it is far from
/// 0.
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
  // A centre beyond this norm is never the nearest. Its coordinates become 0, as their products might
  // overflow.
  constexpr double far = 0x1p40;
  if (!(square <= far * far)) {
    square = std::numeric_limits<double>::infinity();
    for (int j = 0; j < dimensions; ++j) place[std::int64_t(j + 1) * centres_together] = 0;
  }
  place[0] = static_cast<T>(square / 2);
  return std::sqrt(square);
}

/// Sets the margin of a point x to 2 e, where e is a bound of the error of the least value of x.
///
/// Let u be the greatest relative error of a rounding, D the number of coordinates, and m the least norm of a
/// centre. The value of a centre c is wrong by at most g (|c|^2 / 2 + |x| |c|) with g = (D + 8) u, as points
/// and centres are rounded once after the shift, and as each of the D products and sums and the squared norm
/// are rounded. The nearest centre has |c| <= 2 |x| + m. The error of its value is therefore at most e = g (4
/// |x|^2 + 3 |x| m + m^2 / 2) <= g (5.5 |x|^2 + 2 m^2). A centre that is farther from 0 may have a greater
/// error, but its value exceeds the smallest value by more than its error exceeds e. So a centre is the
/// nearest if its value is less than all other values by 2 e. The code has 6 instead of 5.5, and 2.5 instead
/// of 2, to cover the roundings of the margin itself, and of its sum with a value.
template <class T>
void CentreTable<T>::choose_margin(double least_norm) {
  const double relative_error = (dimensions + 8) * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  // The bound above holds only for small errors and if a centre is near to 0. The shift must be near to the
  // points, too: if half of the centres are far away, it lies among them, and a centre that is far from 0 may
  // be near to a point. Otherwise the margin is infinite, and all points are doubtful.
  const bool is_shift_near =
      std::ranges::all_of(shift, [this](T number) { return std::abs(number) * scale < T(0x1p20); });
  const bool has_bound = relative_error < 0x1p-6 && least_norm < 0x1p30 && is_shift_near;
  margin_factor = static_cast<T>(2 * 6 * relative_error);
  // The last term covers parts of numbers that are lost, as they are below the least normal number.
  margin_rest =
      has_bound ? static_cast<T>(2 * 2.5 * relative_error * least_norm * least_norm +
                                 (dimensions + 8.0) * 8 * static_cast<double>(std::numeric_limits<T>::min()))
                : std::numeric_limits<T>::infinity();
}

template class CentreTable<float>;
template class CentreTable<double>;

}  // namespace kmeans
