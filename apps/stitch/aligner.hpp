// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <memory>
#include <tuple>
#include <vector>

#include "correlation.hpp"
#include "grid.hpp"

namespace stitch {

/// How the second tile of a pair lies to the first one.
struct Translation {
  Shift shift;
  /// The correlation of what both tiles show. It is `no_correlation` if no shift is possible.
  double correlation = no_correlation;
  /// By how much more the tiles are alike at the shift than tiles that have nothing in common (see
  /// `evidence`).
  double evidence = 0;
  /// The value of the peak from which the shift was read, in 0 to 1.
  double peak = 0;
};

/// Returns whether the second tile of a pair can lie at `shift`: it follows the first one in the direction of
/// the pair, and is not moved aside by more than half a tile. The share of the tile that both then show along
/// the direction is a quarter of `overlap` at least, and at most 0.75, or half of 1 + `overlap` if that is
/// more.
bool is_possible(Shift shift, Direction direction, Extent extent, double overlap);

/// What a tile needs until its last pair is done: its number, its pixels, which are compared, and its
/// transform.
template <class T>
struct Tile {
  Tile() = default;
  explicit Tile(Extent extent) : pixels(extent.pixels()), transform(extent.frequencies()) {}
  int number = 0;
  std::vector<std::uint16_t> pixels;
  Aligned<std::complex<T>> transform;
  static auto members(auto& tile) { return std::tie(tile.number, tile.pixels, tile.transform); }
};

/// Transforms tiles and finds the translations of pairs: the phase correlation of C. D. Kuglin and D. C.
/// Hines (1975), whose highest peaks are read in all ways and compared by the correlation of what both tiles
/// then show, as J. Chalfoun et al. (MIST, 2017) do. Each copy has memory of its own, for one thread.
template <class T>
class Aligner {
 public:
  /// `peaks` is the number of the highest peaks that are tried, and `overlap` the share of a tile that its
  /// neighbour is expected to show, too.
  Aligner(Extent extent, int peaks, double overlap);
  Aligner(const Aligner& other);

  /// Computes the transform of a tile from its pixels.
  void transform(Tile<T>& tile);
  /// Returns the translation of two tiles that have their transforms.
  Translation align(const Tile<T>& first, const Tile<T>& second, Direction direction);

 private:
  Translation best_reading(const Pixels& first, const Pixels& second, Direction direction) const;

  std::shared_ptr<const Fourier<T>> fourier_;
  int peaks_;
  double overlap_;
  Aligned<std::complex<T>> spectrum_;
  Aligned<T> surface_;
};

}  // namespace stitch
