// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fftw3.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "tessera/graph/transfer.hpp"
#include "tessera/spectral/planner_lock.hpp"

namespace stitch {

/// The width and the height of a tile in pixels.
struct Extent {
  int width = 0;
  int height = 0;
  /// Returns the number of pixels.
  std::size_t pixels() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }
  /// Returns the number of complex numbers of the transform of a real tile: the other half follows from them.
  std::size_t frequencies() const {
    return static_cast<std::size_t>(width / 2 + 1) * static_cast<std::size_t>(height);
  }
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// Memory with the alignment that plans of FFTW expect. It can be moved, and is not initialised.
template <class T>
class Aligned {
 public:
  Aligned() = default;
  explicit Aligned(std::size_t size) : data_(static_cast<T*>(fftw_malloc(size * sizeof(T)))), size_(size) {
    if (!data_ && size > 0) throw std::bad_alloc();
  }
  T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  std::span<T> all() const { return {data(), size_}; }

 private:
  struct Free {
    void operator()(T* data) const { fftw_free(data); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace stitch

/// Says how such memory is sent to other ranks: by its size and its elements.
template <class T>
struct tessera::graph::Transfer<stitch::Aligned<T>> {
  static void pack(const stitch::Aligned<T>& values, Bytes& bytes) {
    Transfer<std::size_t>::pack(values.size(), bytes);
    bytes.write(values.data(), values.size() * sizeof(T));
  }
  static stitch::Aligned<T> unpack(Bytes& bytes) {
    stitch::Aligned<T> values(Transfer<std::size_t>::unpack(bytes));
    bytes.read(values.data(), values.size() * sizeof(T));
    return values;
  }
};

namespace stitch {

/// The transforms of tiles of one size, in float or double, by FFTW. Plans are made by its rules alone, and
/// never by measurements, so that the bits of transforms do not depend on how busy the machine is. All
/// threads may call the functions of one object at the same time.
template <class T>
class Fourier {
 public:
  using Complex = std::complex<T>;

  explicit Fourier(Extent extent) : extent_(extent) {
    const Aligned<T> real(extent.pixels());
    const Aligned<Complex> complex(extent.frequencies());
    const auto lock = tessera::spectral::lock_planner();
    if constexpr (is_float) {
      forward_ = fftwf_plan_dft_r2c_2d(extent.height, extent.width, real.data(), of(complex), FFTW_ESTIMATE);
      backward_ = fftwf_plan_dft_c2r_2d(extent.height, extent.width, of(complex), real.data(), FFTW_ESTIMATE);
    } else {
      forward_ = fftw_plan_dft_r2c_2d(extent.height, extent.width, real.data(), of(complex), FFTW_ESTIMATE);
      backward_ = fftw_plan_dft_c2r_2d(extent.height, extent.width, of(complex), real.data(), FFTW_ESTIMATE);
    }
  }
  ~Fourier() {
    const auto lock = tessera::spectral::lock_planner();
    for (const Plan plan : {forward_, backward_}) {
      if constexpr (is_float)
        fftwf_destroy_plan(plan);
      else
        fftw_destroy_plan(plan);
    }
  }
  Fourier(const Fourier&) = delete;
  Fourier& operator=(const Fourier&) = delete;

  Extent extent() const { return extent_; }

  /// Transforms the pixels of a tile, row by row. Each row of the result has width / 2 + 1 frequencies.
  void forward(const Aligned<T>& pixels, const Aligned<Complex>& frequencies) const {
    if constexpr (is_float)
      fftwf_execute_dft_r2c(forward_, pixels.data(), of(frequencies));
    else
      fftw_execute_dft_r2c(forward_, pixels.data(), of(frequencies));
  }
  /// Transforms back, without the division by the number of pixels. The frequencies are lost.
  void backward(const Aligned<Complex>& frequencies, const Aligned<T>& pixels) const {
    if constexpr (is_float)
      fftwf_execute_dft_c2r(backward_, of(frequencies), pixels.data());
    else
      fftw_execute_dft_c2r(backward_, of(frequencies), pixels.data());
  }

 private:
  static constexpr bool is_float = std::is_same_v<T, float>;
  using Plan = std::conditional_t<is_float, fftwf_plan, fftw_plan>;
  using Number = std::conditional_t<is_float, fftwf_complex, fftw_complex>;

  static Number* of(const Aligned<Complex>& numbers) { return reinterpret_cast<Number*>(numbers.data()); }

  Extent extent_;
  Plan forward_ = nullptr;
  Plan backward_ = nullptr;
};

}  // namespace stitch
