// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "fourier.hpp"

namespace stitch {

/// Where the second tile of a pair lies, in pixels from the first one.
struct Shift {
  int x = 0;
  int y = 0;
  friend bool operator==(const Shift&, const Shift&) = default;
};

/// Returns the larger one of the differences of two shifts along x and along y.
inline int distance(Shift a, Shift b) { return std::max(std::abs(a.x - b.x), std::abs(a.y - b.y)); }

/// The pixels of a tile, row by row.
struct Pixels {
  Extent extent;
  std::span<const std::uint16_t> values;
};

/// The function `correlation` returns this value where there is nothing to correlate.
inline constexpr double no_correlation = -2;

/// Returns Pearson's correlation of the pixels that two tiles have in common if `second` lies at `shift`.
/// Returns `no_correlation` if they have none in common, or if those of one tile are all alike. The sums are
/// sums of integers, so that the result has the same bits in whichever order they are added.
double correlation(const Pixels& first, const Pixels& second, Shift shift);

/// Returns by how much more two tiles are alike at `shift` than tiles would be that have nothing in common:
/// the correlation of the differences of neighbouring pixels, times the square root of their number. Unlike
/// the correlation of pixels, it does not take lighting for a texture. Tiles that show nothing but
/// noise give values of about 1 at most. Returns 0 where there is nothing to compare.
double evidence(const Pixels& first, const Pixels& second, Shift shift);

/// Returns the neighbour of `shift`, or `shift` itself, from which no step to one of eight neighbours leads
/// to more evidence. A peak of a phase correlation of noisy tiles is often one pixel off.
Shift refined(const Pixels& first, const Pixels& second, Shift shift);

/// Returns the pixels of a tile without what varies slowly, such as lighting, and with less noise: the mean
/// of 3 x 3 pixels less that of 17 x 17, from 32768 on. Values that differ too much from it are cut off.
/// At borders the squares are smaller.
std::vector<std::uint16_t> flattened(const Pixels& pixels);

/// Multiplies the transform of one tile with the conjugate of that of another, and divides each product by
/// its absolute value: the normalised cross-power spectrum (C. D. Kuglin and D. C. Hines, 1975). Products
/// that are 0 stay 0.
template <class T>
void cross_power(std::span<const std::complex<T>> first, std::span<const std::complex<T>> second,
                 std::span<std::complex<T>> result);

/// Returns the places of the `count` largest values, the largest first, and of equal values the first one
/// first. Returns fewer if there are fewer values.
template <class T>
std::vector<std::size_t> highest(std::span<const T> values, int count);

/// Returns the shifts that a peak at `place` of the inverse of a cross-power spectrum stands for.
/// Correlations by Fourier transforms are periodic, so that each coordinate c may also stand for c less the
/// extent. The tiles have no pixel in common where the coordinate is 0 less the extent, which is left out.
std::vector<Shift> readings(std::size_t place, Extent extent);

}  // namespace stitch
