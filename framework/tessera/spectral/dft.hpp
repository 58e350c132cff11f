// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/spectral/line_transform.hpp"

namespace tessera::spectral {

// Distributed discrete Fourier transforms in one to four dimensions, as functions that add library stages to
// a pipeline: one stage for each dimension, which transforms whole lines along it. Where one stage needs
// lines along x and the next needs lines along y, the planner moves the array between the ranks, as
// `--explain` shows. Results have the same bits for every schedule and number of ranks. In builds for devices
// FFTW transforms on threads of the host.

namespace detail {

/// The call of a library stage that transforms lines along `dimension`.
template <class In, class Out>
struct LineCall {
  LineTransform<In, Out> transform;
  int dimension;

  Box footprint(int, Box box) const {
    box[dimension] = {0, transform.input_points()};
    return box;
  }
  void operator()(const LibraryBlock<const In>& input, const LibraryBlock<Out>& output) const {
    transform(input, output, dimension);
  }
  std::int64_t scratch_bytes(const Box& box) const { return transform.scratch_bytes(box, dimension); }
};

/// Returns the number of points of `domain` along `dimension`. Throws InternalError unless the points begin
/// at 0, and their number is from 1 to the greatest int.
int transformed_points(std::string_view name, const Box& domain, int dimension);
/// Throws InternalError unless the first `transformed` dimensions of an array of `dimensions` dimensions can
/// be transformed, and `domain` has that many dimensions.
void check_transformed(std::string_view name, const Box& domain, int dimensions, int transformed);
/// Returns the name of the stage that transforms lines along `dimension`: `name` for the last stage,
/// otherwise `name` with the name of the dimension.
std::string stage_name(std::string_view name, int dimension, int last);

template <class Out, class In, int N>
Array<Out, N> add_lines(Pipeline& pipeline, std::string_view name, Array<In, N> input, int dimension,
                        int points, Direction direction) {
  const LineTransform<In, Out> transform(points, direction);
  return pipeline.library_stage<Out, N>(name, LineCall<In, Out>{transform, dimension},
                                        {{dimension, transform.output_points()}}, input);
}
/// Adds the transform of all lines of `domain` along a dimension. The one of dimension `last` is called
/// `name`.
template <class Out, class In, int N>
Array<Out, N> add_dimension(Pipeline& pipeline, std::string_view name, Array<In, N> input, const Box& domain,
                            int dimension, int last, Direction direction) {
  return add_lines<Out>(pipeline, stage_name(name, dimension, last), input, dimension,
                        transformed_points(name, domain, dimension), direction);
}

}  // namespace detail

/// Returns the domain of the half spectrum of real numbers on `domain`: n / 2 + 1 frequencies along x.
Box half_spectrum(Box domain);

/// Adds the transform of the lines along one dimension of an array, which has the points 0 to points - 1
/// there.
template <class T, int N>
Array<Kokkos::complex<T>, N> dft_lines(Pipeline& pipeline, std::string_view name,
                                       Array<Kokkos::complex<T>, N> input, int dimension, int points,
                                       Direction direction) {
  return detail::add_lines<Kokkos::complex<T>>(pipeline, name, input, dimension, points, direction);
}

/// Adds the transform of a complex array on `domain` along its first `transformed` dimensions, such as 2 for
/// images (x, y, channel). All transformed dimensions begin at 0. The stages have the names `<name>_x`,
/// `<name>_y` and so on, but the last one is called `name`. Throws InternalError if the domain or
/// `transformed` does not fit.
template <class T, int N>
Array<Kokkos::complex<T>, N> dft(Pipeline& pipeline, std::string_view name,
                                 Array<Kokkos::complex<T>, N> input, const Box& domain, Direction direction,
                                 int transformed = N) {
  detail::check_transformed(name, domain, N, transformed);
  for (int d = 0; d < transformed; ++d)
    input = detail::add_dimension<Kokkos::complex<T>>(pipeline, name, input, domain, d, transformed - 1,
                                                      direction);
  return input;
}

/// Adds the forward transform of a real array on `domain` along its first `transformed` dimensions. The
/// result has the frequencies of half_spectrum(domain); the others are conjugates: X[-k] = conj(X[k]).
/// Otherwise as `dft`.
template <class T, int N>
Array<Kokkos::complex<T>, N> dft_of_real(Pipeline& pipeline, std::string_view name, Array<T, N> input,
                                         const Box& domain, int transformed = N) {
  detail::check_transformed(name, domain, N, transformed);
  using Complex = Kokkos::complex<T>;
  const int last = transformed - 1;
  auto result = detail::add_dimension<Complex>(pipeline, name, input, domain, 0, last, Direction::forward);
  for (int d = 1; d < transformed; ++d)
    result = detail::add_dimension<Complex>(pipeline, name, result, domain, d, last, Direction::forward);
  return result;
}

/// Adds the inverse of dft_of_real: from a half spectrum to the real array on `domain`. Frequencies along x
/// that are their own conjugates have no imaginary parts: those of the input are ignored. The lines along x
/// are transformed last; the stages before are `<name>_y` and so on.
template <class T, int N>
Array<T, N> inverse_dft_to_real(Pipeline& pipeline, std::string_view name, Array<Kokkos::complex<T>, N> input,
                                const Box& domain, int transformed = N) {
  detail::check_transformed(name, domain, N, transformed);
  for (int d = transformed - 1; d > 0; --d)
    input =
        detail::add_dimension<Kokkos::complex<T>>(pipeline, name, input, domain, d, 0, Direction::inverse);
  return detail::add_dimension<T>(pipeline, name, input, domain, 0, 0, Direction::inverse);
}

/// Returns the least number of points that is not less than `points` and has no prime factors but 2, 3, 5 and
/// 7. Fourier transforms of such numbers of points are the fastest. Throws InternalError if `points` is less
/// than 1 or greater than 2^30.
int good_points(int points);

// The discrete Fourier transform of one line that is divided among ranks, in six steps after D. H. Bailey:
// FFTs in External or Hierarchical Memory, Journal of Supercomputing 4, 1990. The line is folded into rows,
// so that it is transformed by lines along y, by factors for each point, and by lines along x.

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
  /// Entry i of fine_ is the factor of x y = i. Entry i of coarse_ is that of x y = i * fine_.size().
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
/// divisor of `points` up to its square root. In `<name>_y` a rank has at least one whole
/// column of points / w points. So `points` should have a divisor near its square root. If `points` is a
/// prime number, or 1, the only stage is `name`, which one rank computes. Throws InternalError if `points` is
/// less than 1.
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
