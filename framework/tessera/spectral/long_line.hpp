// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/spectral/dft.hpp"

// The discrete Fourier transform of one line that is divided among ranks, in six steps after D. H. Bailey:
// FFTs in External or Hierarchical Memory, Journal of Supercomputing 4, 1990. The line is folded into rows,
// so that it is transformed by lines along y, by factors for each point, and by lines along x.
namespace tessera::spectral {

namespace detail {

/// Returns the greatest divisor of `points` that is not greater than its square root.
int folding_width(int points);

/// The factors exp(-+2 pi i x y / n) between the two transforms of a line of n points that is folded into
/// rows.
class Twiddles {
 public:
  /// Makes the tables for the transform in this direction.
  Twiddles(int points, Direction direction);
  /// Multiplies each point (x, y) of a block by its factor.
  template <class T>
  void multiply(const LibraryBlock<Kokkos::complex<T>>& block) const;

 private:
  /// Entry i is the factor of x y = i, and that of x y = i * fine_.size().
  std::vector<Kokkos::complex<double>> fine_, coarse_;
};

/// The call of a library stage that transforms the columns of a folded line, and multiplies by the factors.
template <class T>
struct FoldedColumnsCall {
  using Complex = Kokkos::complex<T>;
  LineCall<Complex, Complex> lines;
  std::shared_ptr<const Twiddles> twiddles;

  Box footprint(int input, const Box& box) const { return lines.footprint(input, box); }
  void operator()(const LibraryBlock<const Complex>& input, const LibraryBlock<Complex>& output) const {
    lines(input, output);
    twiddles->multiply(output);
  }
  std::int64_t scratch_bytes(const Box& box) const { return lines.scratch_bytes(box); }
};

/// The body of a stage that folds a line into rows of `width` points.
struct Folded {
  int width;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y) const {
    return in(x + y * width);
  }
};

/// The body of a stage whose points are those of columns of `height` points, one column after the other.
struct Unfolded {
  int height;

  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord k) const {
    return in(k / height, k % height);
  }
};

}  // namespace detail

/// Adds the transform of one line of `points` points, from 0 on, that no rank needs to hold as a whole. The
/// stages are `<name>_folded`, `<name>_y`, `<name>_x` and `name`. The last and the first are divided among
/// ranks like any array of one dimension. The line is folded into rows of w points, w being the greatest
/// divisor of `points` up to its square root. In `<name>_y` a rank has at least one column, which is
/// points / w of the points, so that `points` should have a divisor near its root. If `points` is a prime
/// number, or 1, the only stage is `name`, which one rank computes. Throws InternalError if `points` is less
/// than 1.
template <class T>
Array<Kokkos::complex<T>, 1> dft_of_long_line(Pipeline& pipeline, std::string_view name,
                                              Array<Kokkos::complex<T>, 1> input, int points,
                                              Direction direction) {
  using Complex = Kokkos::complex<T>;
  const int width = detail::folding_width(points);
  if (width == 1) return dft_lines<T, 1>(pipeline, name, input, 0, points, direction);
  const int height = points / width;
  const std::string prefix(name);
  const auto folded = pipeline.stage<Complex, 2>(prefix + "_folded", detail::Folded{width}, input);
  const LineTransform<Complex, Complex> transform(height, direction);
  const auto twiddles = std::make_shared<const detail::Twiddles>(points, direction);
  const detail::FoldedColumnsCall<T> columns{{transform, 1}, twiddles};
  const auto along_y =
      pipeline.library_stage<Complex, 2>(prefix + "_y", columns, {{1, height}}, Array<Complex, 2>(folded));
  const auto along_x = dft_lines<T, 2>(pipeline, prefix + "_x", along_y, 0, width, direction);
  return pipeline.stage<Complex, 1>(name, detail::Unfolded{height}, along_x);
}

}  // namespace tessera::spectral
