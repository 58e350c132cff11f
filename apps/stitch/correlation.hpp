// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "tessera/domain/box.hpp"

// How much two tiles are alike where they lie on each other.
namespace stitch {

/// The width and the height of a tile in pixels.
struct Extent {
  int width = 0, height = 0;
  /// Returns the number of pixels.
  std::size_t pixels() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }
  /// Returns the number of frequencies in the transform of a tile: the other half follows from them.
  std::size_t frequencies() const {
    return static_cast<std::size_t>(width / 2 + 1) * static_cast<std::size_t>(height);
  }
  /// Returns the number of a pixel, row by row.
  std::size_t index(std::int64_t x, std::int64_t y) const { return static_cast<std::size_t>(y * width + x); }
};

/// Where the second tile of a pair lies, in pixels from the first one.
struct Shift {
  int x = 0, y = 0;
  friend bool operator==(const Shift&, const Shift&) = default;
  friend Shift operator+(Shift a, Shift b) { return {a.x + b.x, a.y + b.y}; }
};

/// Returns the larger one of the differences of two shifts along x and along y.
inline int distance(Shift a, Shift b) { return std::max(std::abs(a.x - b.x), std::abs(a.y - b.y)); }

/// Returns the hilltop of `value` that is reached from `shift` by steps to the best of eight neighbours.
template <class Value>
Shift hilltop(Shift shift, const Value& value) {
  for (double most = value(shift);;) {
    const Shift centre = shift;
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        const Shift next = centre + Shift{x, y};
        const double found = next == centre ? most : value(next);
        if (found > most) {
          most = found;
          shift = next;
        }
      }
    if (shift == centre) return shift;
  }
}

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
/// the correlation of the differences of neighbouring pixels, times the square root of their number. It does
/// not take lighting for a texture. Noise gives about 1 at most. Returns 0 where there is nothing to compare.
double evidence(const Pixels& first, const Pixels& second, Shift shift);

/// Returns the hilltop of the evidence near `shift`: the peak of noisy tiles is often one pixel off.
Shift refined(const Pixels& first, const Pixels& second, Shift shift);

/// The differences of neighbouring pixels of a tile. Large ones are cut off at twice the median of their
/// absolute values. A single straight edge, which looks the same all along, then counts
/// no more than the faint texture beside it, which tells where along the edge a tile lies.
class ClippedDifferences {
 public:
  /// The median is that of the part of the tile in these columns and rows.
  ClippedDifferences(const Pixels& tile, tessera::Range columns, tessera::Range rows);
  /// The bytes that the constructor has for the sizes of differences.
  static constexpr std::int64_t bytes_of_sizes = 65536 * sizeof(std::int64_t);

  /// Returns what `evidence` returns, but from clipped differences. Both tiles must have the same extent.
  static double evidence(const ClippedDifferences& first, const ClippedDifferences& second, Shift shift);

 private:
  Extent extent_;
  /// The difference between a pixel and its right neighbour, and that between it and its lower one; 0 where
  /// it has none.
  std::vector<std::int16_t> right_, down_;
};

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

/// Returns the indices of the `count` largest values, the largest first, and of equal values the first one
/// first. Returns fewer if there are fewer values.
template <class T>
std::vector<std::size_t> highest(std::span<const T> values, int count);

/// Returns the shifts that a peak at `index` of the inverse of a cross-power spectrum stands for.
/// Correlations by Fourier transforms are periodic, so that each coordinate c may also stand for c less the
/// extent. The tiles have no pixel in common where the coordinate is 0 less the extent, which is left out.
std::vector<Shift> readings(std::size_t index, Extent extent);

}  // namespace stitch
