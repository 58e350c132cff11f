// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstddef>
#include <limits>

#include "nearest.hpp"

namespace kmeans {

template <class T>
CentreTable<T>::CentreTable(const T* centres, int count, int dimensions, int exponent)
    : dimensions_(dimensions),
      groups_((count + centres_together - 1) / centres_together),
      scale_(std::ldexp(T(1), -exponent)),
      shift_(static_cast<std::size_t>(dimensions)),
      numbers_(static_cast<std::size_t>(groups_) * static_cast<std::size_t>(group_size())) {
  for (int j = 0; j < dimensions; ++j) {
    double sum = 0;
    for (int k = 0; k < count; ++k)
      sum += static_cast<double>(centres[std::int64_t(k) * dimensions + j]) / count;
    shift_[static_cast<std::size_t>(j)] = static_cast<T>(sum);
  }
  for (int k = 0; k < groups_ * centres_together; ++k) {
    T* const place =
        numbers_.data() + std::int64_t(k / centres_together) * group_size() + k % centres_together;
    double square = 0;
    for (int j = 0; j < dimensions && k < count; ++j) {
      const double moved = (static_cast<double>(centres[std::int64_t(k) * dimensions + j]) -
                            static_cast<double>(shift_[static_cast<std::size_t>(j)])) *
                           static_cast<double>(scale_);
      const T rounded = static_cast<T>(moved);
      square += static_cast<double>(rounded) * static_cast<double>(rounded);
      place[(j + 1) * centres_together] = -rounded;
    }
    place[0] = k < count ? static_cast<T>(square / 2) : std::numeric_limits<T>::infinity();
  }
}

template class CentreTable<float>;
template class CentreTable<double>;

}  // namespace kmeans
