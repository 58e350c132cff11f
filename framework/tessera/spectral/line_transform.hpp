// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "tessera/pipeline/kernel/library_stage.hpp"

namespace tessera::spectral {

/// The direction of a discrete Fourier transform of n points. `forward` computes X[k] = sum over j of
/// x[j] exp(-2 pi i j k / n), and `inverse` computes x[j] = 1/n sum over k of X[k] exp(2 pi i j k / n), as
/// numpy does.
enum class Direction : std::uint8_t { forward, inverse };

/// The discrete Fourier transform of single lines by FFTW, for any number of points. `In` and `Out` are the
/// element types, which say what is transformed: Kokkos::complex<T> to Kokkos::complex<T> in both directions;
/// T to Kokkos::complex<T> forward only, which gives the first n / 2 + 1 of n frequencies, as the others are
/// their conjugates; Kokkos::complex<T> to T inverse only, from these n / 2 + 1 frequencies. T is float or
/// double.
///
/// A line gets the same bits wherever it lies and whichever lines are transformed with it: all lines are
/// transformed by one plan for a single line, which is chosen by rules and not by measurements. FFTW would
/// choose other algorithms for other numbers of lines, other strides and other alignments. (The rules use
/// wisdom of FFTW if a program has loaded some, or has made some by other planning.) Copies share the plan,
/// and all threads may call them at the same time.
template <class In, class Out>
class LineTransform {
 public:
  /// Plans the transform of lines of `points` points in space. Throws InternalError if `points` is less than
  /// 1, or if FFTW makes no plan.
  LineTransform(int points, Direction direction);

  /// The number of points of a line that is transformed.
  int input_points() const;
  /// The number of points of a line of the result.
  int output_points() const;

  /// Transforms all lines of `input` along `dimension` into those of `output`. The boxes of both blocks are
  /// the same in the other dimensions, and [0, input_points()) and [0, output_points()) in this one.
  void operator()(const LibraryBlock<const In>& input, const LibraryBlock<Out>& output, int dimension) const;

  /// Returns the bytes of memory that a call allocates for the lines of `output` along `dimension`. Memory
  /// that FFTW itself may allocate is not counted.
  std::int64_t scratch_bytes(const Box& output, int dimension) const;

 private:
  class Plan;
  std::shared_ptr<const Plan> plan_;
};

/// Returns a lock of the planner of FFTW, which makes and destroys one plan at a time, whatever the number
/// type. Hold this lock while you call such a function of FFTW. Plans are executed without it.
std::unique_lock<std::mutex> lock_planner();

}  // namespace tessera::spectral
