// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "image_size.hpp"
#include "synthetic_image.hpp"
#include "tessera/pipeline/algorithm/pipeline.hpp"
#include "tessera/view/block_io.hpp"

namespace bench {

/// A pipeline on a synthetic image, as the Halide and OpenCV peers run it: same input, same result.
struct PipelineCase {
  /// As the peers call them.
  std::string benchmark;
  std::string type;
  /// Whose decks serve: a folder of inputs/.
  std::string application;
  tessera::Pipeline pipeline;
  /// Fills a block of the input.
  std::function<void(const tessera::HostBlock&)> fill;
  /// Fill blocks of the other inputs, by their names.
  std::map<std::string, std::function<void(const tessera::HostBlock&)>> fill_further = {};

  /// The number of turns. Times are divided by it, as the peers do.
  int turns = 1;

  /// The only result.
  const tessera::ArrayDeclaration& output() const;
  /// The bytes of the input and the output, each once.
  double bytes() const;
};

using Cases = std::vector<PipelineCase>;

/// A benchmark: one case per element type.
struct Benchmark {
  std::string name;
  std::function<Cases(Size)> cases;
};

/// All of them. An image that is too small throws InputError.
const std::vector<Benchmark>& all_benchmarks();

Cases bilateral_grid_cases(Size size);
Cases blur_cases(Size size);
Cases box3_cases(Size size);
Cases camera_pipe_cases(Size size);
Cases equalize_cases(Size size);
Cases interpolate_cases(Size size);
Cases local_laplacian_cases(Size size);
Cases local_laplacian10_cases(Size size);
Cases resize_cases(Size size);
Cases sobel_cases(Size size);
Cases stereo_cases(Size size);
Cases stereo4_cases(Size size);
Cases transpose_cases(Size size);
Cases wavelet_cases(Size size);

/// The case of k-means, which is none of images: `size` is the number of points x their coordinates.
Cases kmeans_cases(Size size);

/// The peers' name of an element type.
template <class T>
constexpr const char* short_name() {
  return std::is_same_v<T, std::uint8_t> ? "u8" : std::is_same_v<T, std::uint16_t> ? "u16" : "f32";
}

/// The synthetic image as T: floats of 0 to 1, the upper half of the bits for bytes.
template <class T>
T synthetic(int x, int y, int c = 0) {
  const std::uint16_t sample = synthetic_sample(x, y, c);
  if constexpr (std::is_same_v<T, float>)
    return static_cast<float>(sample) / 65535.0f;
  else
    return static_cast<T>(sizeof(T) == 1 ? sample >> 8 : sample);
}

/// Fills blocks of two or three dimensions with value(x, y, c).
template <class T, class Value>
std::function<void(const tessera::HostBlock&)> filled(const Value& value) {
  return [value](const tessera::HostBlock& block) {
    const bool planes = block.box.dimensions == 3;
    const tessera::Range channels = planes ? block.box[2] : tessera::Range{0, 1};
    T* plane = reinterpret_cast<T*>(block.data);
    for (auto c = channels.begin; c < channels.end; ++c, plane += planes ? block.strides[2] : 0) {
      T* row = plane;
      for (auto y = block.box[1].begin; y < block.box[1].end; ++y, row += block.strides[1])
        for (auto x = block.box[0].begin; x < block.box[0].end; ++x)
          row[x - block.box[0].begin] = value(static_cast<int>(x), static_cast<int>(y), static_cast<int>(c));
    }
  };
}

/// A case of T, whose input is value(x, y, c), with the decks of the application of the same name.
template <class T, class Value>
PipelineCase simple_case(const char* benchmark, tessera::Pipeline pipeline, const Value& value) {
  return {benchmark, short_name<T>(), benchmark, std::move(pipeline), filled<T>(value)};
}

/// The points of an image, and of `planes` of them.
inline tessera::Box box_of(Size size) { return {{0, size.width}, {0, size.height}}; }
inline tessera::Box box_of(Size size, int planes) { return {{0, size.width}, {0, size.height}, {0, planes}}; }

}  // namespace bench
