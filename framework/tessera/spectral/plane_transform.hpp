// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstddef>
#include <memory>

namespace tessera::spectral {

/// The discrete Fourier transform of whole planes of real numbers, each of which one thread transforms, by
/// FFTW. T is float or double. The plan is chosen by rules and not by measurements, so that the bits of
/// results do not depend on how busy the machine is. Copies share the plans, and all threads may call them at
/// the same time.
///
/// Planes lie row by row without gaps, and begin at multiples of `alignment` bytes. A half spectrum has
/// width / 2 + 1 frequencies in each row.
template <class T>
class PlaneTransform {
 public:
  /// The alignment of planes in memory, in bytes.
  static constexpr std::size_t alignment = 64;

  /// Plans the transforms of planes of this width and height. Throws InternalError if there are no points, or
  /// if FFTW makes no plan.
  PlaneTransform(int width, int height);

  /// Computes the half spectrum of a plane (see Direction::forward).
  void forward(const T* plane, std::complex<T>* half) const;
  /// Computes the plane of a half spectrum, multiplied by the number of points. The half spectrum is lost.
  void inverse(std::complex<T>* half, T* plane) const;

 private:
  class Plans;
  std::shared_ptr<const Plans> plans_;
};

}  // namespace tessera::spectral
