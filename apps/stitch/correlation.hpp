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
  /// Returns the number of frequencies that the transform of a tile has. The other half of all frequencies
  /// follows from these by symmetry.
  std::size_t frequencies() const {
    return static_cast<std::size_t>(width / 2 + 1) * static_cast<std::size_t>(height);
  }
  /// Returns the number of a pixel, row by row.
  std::size_t index(std::int64_t x, std::int64_t y) const { return static_cast<std::size_t>(y * width + x); }
};

/// The offset of the second tile of a pair from the first one, in pixels.
struct Shift {
  int x = 0, y = 0;
  friend bool operator==(const Shift&, const Shift&) = default;
  friend Shift operator+(Shift a, Shift b) { return {a.x + b.x, a.y + b.y}; }
};

/// Returns the larger one of the differences of two shifts along x and along y.
inline int distance(Shift a, Shift b) { return std::max(std::abs(a.x - b.x), std::abs(a.y - b.y)); }

/// Climbs from `shift` to the neighbour of the eight with the largest `value`, again and again. Returns the
/// shift where no neighbour has a larger value.
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
/// Returns `no_correlation` if they have no pixels in common, or if these pixels of one tile are all alike.
/// The function adds integers, so the result has the same bits in any order of the pixels.
double correlation(const Pixels& first, const Pixels& second, Shift shift);

/// Returns how surely two tiles show the same texture at `shift`: the correlation of the differences of
/// neighbouring pixels, times the square root of the number of pixels. Tiles that have nothing in common have
/// about 1 at most. Lighting does not count as a texture. Returns 0 where there is nothing to compare.
double evidence(const Pixels& first, const Pixels& second, Shift shift);

/// Climbs from `shift` to a hilltop of the evidence, as the peak of noisy tiles is often one pixel off.
Shift refined(const Pixels& first, const Pixels& second, Shift shift);

/// The differences of neighbouring pixels of a tile. Large ones are cut off at twice the median of their
/// absolute values. A single straight edge looks the same all along it. After the cut it counts no more than
/// the faint texture beside it, and this texture tells where along the edge a tile lies.
class ClippedDifferences {
 public:
  /// Takes the median of the differences in these columns and rows of the tile.
  ClippedDifferences(const Pixels& tile, tessera::Range columns, tessera::Range rows);
  /// The bytes of the counts of differences by size, which the constructor needs to find the median.
  static constexpr std::int64_t bytes_of_sizes = 65536 * sizeof(std::int64_t);

  /// Returns what `evidence` returns, but from clipped differences. Both tiles must have the same extent.
  static double evidence(const ClippedDifferences& first, const ClippedDifferences& second, Shift shift);

 private:
  Extent extent_;
  /// For each pixel, how much larger its right neighbour is, and how much larger its lower one; 0 if it has
  /// no such neighbour.
  std::vector<std::int16_t> right_, down_;
};

/// Returns the pixels of a tile without what varies slowly, such as lighting, and with less noise: the mean
/// of 3 x 3 pixels less the mean of 17 x 17 pixels, times a scale, plus 32768. Values beyond 16 bits are cut
/// off. The squares are smaller at the borders of the tile.
std::vector<std::uint16_t> flattened(const Pixels& pixels);

/// Stores the normalised cross-power spectrum of two tiles in `result` (C. D. Kuglin and D. C. Hines, 1975):
/// the transform of the first tile times the conjugate transform of the second one, each product divided by
/// its absolute value. Products that are 0 stay 0.
template <class T>
void cross_power(std::span<const std::complex<T>> first, std::span<const std::complex<T>> second,
                 std::span<std::complex<T>> result);

/// Returns the indices of the `count` largest values, or of all values if there are fewer. Larger values come
/// first; equal values are in the order of their indices.
template <class T>
std::vector<std::size_t> highest(std::span<const T> values, int count);

/// Returns the shifts that a peak at `index` of the inverse of a cross-power spectrum may stand for.
/// Correlations by Fourier transforms are periodic, so a coordinate c may also stand for c less the extent.
/// Shifts by a whole extent are left out, as the tiles then have no pixel in common.
std::vector<Shift> readings(std::size_t index, Extent extent);

}  // namespace stitch
