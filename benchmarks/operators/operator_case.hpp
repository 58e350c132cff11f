// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "tessera/operators/geometry.hpp"
#include "tessera/operators/image.hpp"

namespace bench {

/// Work that Tessera and a peer, OpenCV or libvips, both do, and how far their results may differ.
struct OperatorCase {
  std::string name;
  tessera::ElementType type = tessera::ElementType::uint8;
  int channels = 1;
  /// Adds the work to a pipeline.
  std::function<tessera::operators::Image(tessera::Pipeline&, const tessera::operators::Image&)> build;
  /// Does the work by functions of the peer in sequence. Images between them keep their memory.
  std::function<void(const cv::Mat& image, cv::Mat& result)> peer;
  /// The greatest difference of two points that counts as rounding.
  double tolerance = 0;
  /// The share of the points that may differ by more: points near a threshold, for instance.
  double share = 0;
  /// The number of rows and columns at the borders that are not compared.
  int margin = 0;
};

/// The types of elements that are measured.
inline constexpr tessera::ElementType all_types[] = {
    tessera::ElementType::uint8, tessera::ElementType::uint16, tessera::ElementType::float32};
/// Returns the number that stands for white in images of a type.
inline double white(tessera::ElementType type) {
  if (type == tessera::ElementType::float32) return 1;
  return type == tessera::ElementType::uint8 ? 255 : 65535;
}

/// Returns how many points an extent of `points` has after it was resized by `factor`.
inline int resized(double factor, std::int64_t points) {
  return static_cast<int>(factor * static_cast<double>(points) + 0.5);
}
/// Returns work that resizes images by `factor`.
inline auto resize_by(double factor, tessera::operators::Interpolation method) {
  return [=](tessera::Pipeline& pipeline, const tessera::operators::Image& image) {
    const tessera::Box& domain = image.domain;
    return tessera::operators::resize(
        pipeline, image,
        {.size = {resized(factor, domain[0].size()), resized(factor, domain[1].size())}, .method = method});
  };
}

/// Returns single operators.
std::vector<OperatorCase> single_operators();
/// Returns ten chains of 3 to 8 operators.
std::vector<OperatorCase> operator_chains();

}  // namespace bench
