// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace tessera::spectral {

/// The discrete Fourier transform of whole planes of real numbers by FFTW. One thread transforms a plane. T
/// is float or double. The plan is chosen by rules and not by measurements, so that the bits of results do
/// not depend on how busy the machine is. Copies share the plans, and all threads may call them at the same
/// time.
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
  struct Plans;
  std::shared_ptr<const Plans> plans_;
};

/// Allocates memory with the alignment that planes need. New elements without a value are not initialised.
template <class T>
struct PlaneAllocator {
  /// The type of the elements.
  using value_type = T;
  /// The alignment of the memory.
  static constexpr std::align_val_t alignment{PlaneTransform<float>::alignment};
  /// Returns memory for `count` elements.
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), alignment)); }
  /// Gives memory back that allocate has returned.
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, alignment); }
  /// Leaves an element without a value as it is.
  template <class U>
  void construct(U*) noexcept {}
  /// Gives an element its value.
  template <class U, class... Values>
  void construct(U* element, Values&&... values) {
    ::new (static_cast<void*>(element)) U(std::forward<Values>(values)...);
  }
  friend bool operator==(const PlaneAllocator&, const PlaneAllocator&) { return true; }
};

/// The numbers of a plane or of a half spectrum.
template <class T>
using Plane = std::vector<T, PlaneAllocator<T>>;

}  // namespace tessera::spectral
