// SPDX-License-Identifier: BSD-3-Clause
#include "aligner.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace stitch {

bool is_possible(Shift shift, Direction direction, Extent extent, double overlap) {
  const bool is_right = direction == Direction::right;
  const int along = is_right ? shift.x : shift.y, across = is_right ? shift.y : shift.x;
  const int side = is_right ? extent.width : extent.height, other = is_right ? extent.height : extent.width;
  const double common = static_cast<double>(side - along);
  return along > 0 && common >= std::max(1.0, overlap / 4 * side) &&
         common <= std::max(0.75, (1 + overlap) / 2) * side && 2 * std::abs(across) <= other;
}

template <class T>
Aligner<T>::Aligner(Extent extent, int peaks, double overlap)
    : fourier_(std::make_shared<const Fourier<T>>(extent)),
      peaks_(peaks),
      overlap_(overlap),
      spectrum_(extent.frequencies()),
      surface_(extent.pixels()) {}

template <class T>
Aligner<T>::Aligner(const Aligner& other)
    : fourier_(other.fourier_),
      peaks_(other.peaks_),
      overlap_(other.overlap_),
      spectrum_(other.spectrum_.size()),
      surface_(other.surface_.size()) {}

template <class T>
void Aligner<T>::transform(Tile<T>& tile) {
  // Pixels below 1 keep squares of products of transforms in the range of float, and are exact.
  constexpr T scale = T(1) / T(65536);
  T* const to = surface_.data();
  const std::uint16_t* const from = tile.pixels.data();
  const std::size_t count = surface_.size();
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<T>(from[i]) * scale;
  fourier_->forward(surface_, tile.transform);
}

template <class T>
Translation Aligner<T>::align(const Tile<T>& first, const Tile<T>& second, Direction direction) {
  // The second tile shows at x what the first one shows at x plus the shift, so that the inverse of the
  // spectrum has its peak at the shift.
  cross_power<T>(first.transform.all(), second.transform.all(), spectrum_.all());
  fourier_->backward(spectrum_, surface_);
  const Extent extent = fourier_->extent();
  const Pixels a{extent, first.pixels}, b{extent, second.pixels};
  Translation best = best_reading(a, b, direction);
  if (best.correlation == no_correlation) return best;
  best.evidence = evidence(a, b, best.shift);
  // A peak that rises so far above the noise of the surface, whose deviation is 1, is not a pixel off.
  constexpr double little = 3, plenty = 25;
  if (best.evidence < little || best.peak * std::sqrt(static_cast<double>(extent.pixels())) > plenty)
    return best;
  best.shift = refined(a, b, best.shift);
  best.correlation = correlation(a, b, best.shift);
  best.evidence = evidence(a, b, best.shift);
  return best;
}

template <class T>
Translation Aligner<T>::best_reading(const Pixels& first, const Pixels& second, Direction direction) const {
  Translation best;
  std::vector<Shift> tried;
  // Lighting moves the greatest correlation by a pixel: of peaks side by side the highest one tells the
  // shift.
  const auto is_tried = [&](Shift shift) {
    return std::ranges::any_of(tried, [&](Shift other) { return distance(other, shift) <= 2; });
  };
  for (const std::size_t place : highest<T>(surface_.all(), peaks_))
    for (const Shift shift : readings(place, first.extent)) {
      if (!is_possible(shift, direction, first.extent, overlap_) || is_tried(shift)) continue;
      tried.push_back(shift);
      const double found = correlation(first, second, shift);
      const double height =
          static_cast<double>(surface_.data()[place]) / static_cast<double>(surface_.size());
      if (found > best.correlation) best = {.shift = shift, .correlation = found, .peak = height};
    }
  return best;
}

template class Aligner<float>;
template class Aligner<double>;

}  // namespace stitch
