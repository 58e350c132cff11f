// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernel.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/view/instruction_sets.hpp"

namespace spectrum {

/// The call of a library stage that convolves an image with weights by sums: the value of a point is the sum
/// over i and j of weights(i, j) image(x + width / 2 - i, y + height / 2 - j), in the order of the weights.
template <class T>
struct DirectConvolution {
  Kernel kernel;

  tessera::Box footprint(int input, tessera::Box box) const {
    if (input == 1) return kernel.box();
    box[0] = {box[0].begin - kernel.left(), box[0].end + kernel.width / 2};
    box[1] = {box[1].begin - kernel.above(), box[1].end + kernel.height / 2};
    return box;
  }

  void operator()(const tessera::LibraryBlock<const T>& image, const tessera::LibraryBlock<const T>& weights,
                  const tessera::LibraryBlock<T>& result) const {
    const bool has_channels = result.box.dimensions > 2;
    const std::int64_t channels = has_channels ? result.box[2].size() : 1;
    tessera::detail::call_flat_for_processor([&] {
      for (std::int64_t c = 0; c < channels; ++c)
        for (std::int64_t y = 0; y < result.box[1].size(); ++y)
          row(image.data + y * image.strides[1] + c * image.strides[2], image.strides[1], weights,
              result.data + y * result.strides[1] + c * result.strides[2], result.box[0].size());
    });
  }

 private:
  static constexpr std::int64_t lanes = 64 / sizeof(T);
  /// The number of points that are summed in registers.
  static constexpr std::int64_t block = 4 * lanes;
  typedef T Vector __attribute__((vector_size(lanes * sizeof(T))));

  /// Computes a row. The window of its first point begins at `in`.
  void row(const T* in, std::int64_t stride, const tessera::LibraryBlock<const T>& weights, T* out,
           std::int64_t width) const {
    std::int64_t x = 0;
    for (; x + block <= width; x += block) points<block / lanes>(in + x, stride, weights, out + x);
    for (; x + lanes <= width; x += lanes) points<1>(in + x, stride, weights, out + x);
    // The last points are computed together with some that are known already.
    if (x < width && width >= lanes)
      return points<1>(in + width - lanes, stride, weights, out + width - lanes);
    for (; x < width; ++x) point(in + x, stride, weights, out + x);
  }

  /// Calls add(weight, place), in the order of the weights, with the place of the element of a window that
  /// begins at `in`.
  template <class Add>
  void for_each_weight(const T* in, std::int64_t stride, const tessera::LibraryBlock<const T>& weights,
                       const Add& add) const {
    for (int j = 0; j < kernel.height; ++j) {
      const T* const last = in + (kernel.height - 1 - j) * stride + kernel.width - 1;
      for (int i = 0; i < kernel.width; ++i) add(weights.data[j * weights.strides[1] + i], last - i);
    }
  }

  /// Computes as many points as `Vectors` vectors hold.
  template <int Vectors>
  void points(const T* in, std::int64_t stride, const tessera::LibraryBlock<const T>& weights, T* out) const {
    Vector sums[Vectors] = {};
    for_each_weight(in, stride, weights, [&](T weight, const T* place) {
      for (int v = 0; v < Vectors; ++v) {
        Vector elements;
        __builtin_memcpy(&elements, place + v * lanes, sizeof elements);
        sums[v] = sums[v] + (weight - Vector{}) * elements;
      }
    });
    __builtin_memcpy(out, sums, sizeof sums);
  }

  /// Computes one point with the operations of a vector.
  void point(const T* in, std::int64_t stride, const tessera::LibraryBlock<const T>& weights, T* out) const {
    T sum = 0;
    for_each_weight(in, stride, weights, [&](T weight, const T* place) { sum = sum + weight * *place; });
    *out = sum;
  }
};

}  // namespace spectrum
