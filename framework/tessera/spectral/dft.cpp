// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/spectral/dft.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "tessera/domain/error.hpp"

namespace tessera::spectral {
namespace detail {

int transformed_points(std::string_view name, const Box& domain, int dimension) {
  const Range& points = domain[dimension];
  if (points.begin != 0 || points.empty() || points.end > std::numeric_limits<int>::max())
    throw InternalError(
        fmt::format("the Fourier transform '{}' takes points from 0 on, not {}", name, to_string(domain)));
  return static_cast<int>(points.end);
}

void check_transformed(std::string_view name, const Box& domain, int dimensions, int transformed) {
  if (domain.dimensions != dimensions || transformed < 1 || transformed > dimensions)
    throw InternalError(
        fmt::format("the Fourier transform '{}' of {} dimensions does not fit {} in {} dimensions", name,
                    transformed, to_string(domain), dimensions));
}

std::string stage_name(std::string_view name, int dimension, int last) {
  constexpr std::string_view axes[] = {"x", "y", "z", "w"};
  return dimension == last ? std::string(name) : fmt::format("{}_{}", name, axes[dimension]);
}

}  // namespace detail

Box half_spectrum(Box domain) {
  domain[0].end = domain[0].begin + domain[0].size() / 2 + 1;
  return domain;
}

int good_points(int points) {
  if (points < 1 || points > 1 << 30)
    throw InternalError(fmt::format("there is no good number of points for {}", points));
  for (int candidate = points;; ++candidate) {
    int rest = candidate;
    for (const int factor : {2, 3, 5, 7})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return candidate;
  }
}

}  // namespace tessera::spectral

namespace tessera::spectral::detail {

int folding_width(int points) {
  if (points < 1)
    throw InternalError(fmt::format("a Fourier transform of {} points: at least 1 is needed", points));
  int width = static_cast<int>(std::sqrt(static_cast<double>(points)));
  while (points % width != 0) --width;
  return width;
}

Twiddles::Twiddles(int points, Direction direction) {
  const double step = (direction == Direction::forward ? -2 : 2) * std::numbers::pi / points;
  const auto factor = [step](std::int64_t product) {
    const double angle = step * static_cast<double>(product);
    return Kokkos::complex<double>(std::cos(angle), std::sin(angle));
  };
  // `size` is a power of two, about the square root of `points`.
  std::int64_t size = 1;
  while (size * size < points) size *= 2;
  for (std::int64_t i = 0; i < size; ++i) fine_.push_back(factor(i));
  for (std::int64_t i = 0; i * size < points; ++i) coarse_.push_back(factor(i * size));
}

template <class T>
void Twiddles::multiply(const LibraryBlock<Kokkos::complex<T>>& block) const {
  const std::size_t size = fine_.size();
  for (std::int64_t y = block.box[1].begin; y < block.box[1].end; ++y) {
    Kokkos::complex<T>* const row = block.data + (y - block.box[1].begin) * block.strides[1];
    for (std::int64_t x = block.box[0].begin; x < block.box[0].end; ++x) {
      const auto product = static_cast<std::size_t>(x * y);
      const Kokkos::complex<double> a = fine_[product % size], b = coarse_[product / size];
      const double re = a.real() * b.real() - a.imag() * b.imag();
      const double im = a.real() * b.imag() + a.imag() * b.real();
      Kokkos::complex<T>& value = row[x - block.box[0].begin];
      const double left = value.real(), right = value.imag();
      value =
          Kokkos::complex<T>(static_cast<T>(left * re - right * im), static_cast<T>(left * im + right * re));
    }
  }
}

template void Twiddles::multiply<float>(const LibraryBlock<Kokkos::complex<float>>&) const;
template void Twiddles::multiply<double>(const LibraryBlock<Kokkos::complex<double>>&) const;

}  // namespace tessera::spectral::detail
