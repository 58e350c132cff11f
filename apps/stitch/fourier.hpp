// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include "tessera/graph/transfer.hpp"
#include "tessera/spectral/plane_transform.hpp"

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

/// Memory with the alignment that transforms of planes expect. It can be moved, and is not initialised.
template <class T>
class Aligned {
 public:
  Aligned() = default;
  explicit Aligned(std::size_t size)
      : data_(static_cast<T*>(::operator new(size * sizeof(T), alignment))), size_(size) {}
  T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  std::span<T> all() const { return {data(), size_}; }

 private:
  static constexpr std::align_val_t alignment{tessera::spectral::PlaneTransform<float>::alignment};
  struct Free {
    void operator()(T* data) const { ::operator delete(data, alignment); }
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

/// The transforms of tiles of one size, in float or double. All threads may call the functions of one object
/// at the same time.
template <class T>
class Fourier {
 public:
  using Complex = std::complex<T>;

  explicit Fourier(Extent extent) : extent_(extent), transform_(extent.width, extent.height) {}

  Extent extent() const { return extent_; }

  /// Transforms the pixels of a tile, row by row. Each row of the result has width / 2 + 1 frequencies.
  void forward(const Aligned<T>& pixels, const Aligned<Complex>& frequencies) const {
    transform_.forward(pixels.data(), frequencies.data());
  }
  /// Transforms back, without the division by the number of pixels. The frequencies are lost.
  void backward(const Aligned<Complex>& frequencies, const Aligned<T>& pixels) const {
    transform_.inverse(frequencies.data(), pixels.data());
  }

 private:
  Extent extent_;
  tessera::spectral::PlaneTransform<T> transform_;
};

}  // namespace stitch
