// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/spectral/long_line.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <numbers>

#include "tessera/domain/error.hpp"

namespace tessera::spectral::detail {

int folding_width(int points) {
  if (points < 1) throw InternalError(fmt::format("a Fourier transform of {} points", points));
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
