// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "tessera/operators/detail/image_stage.hpp"
#include "tessera/pipeline/kernel/point_stage.hpp"
#include "tessera/view/instruction_sets.hpp"

// Hosts compute whole planes where bodies have algorithms for them that take several rows or points together.
// Devices compute such bodies point by point, and so do builds with TESSERA_CHECKS. Bodies use vectors of
// compilers, which compilers for devices do not have.
#if defined(__GNUC__) && !defined(TESSERA_CHECKS) && !defined(KOKKOS_ENABLE_CUDA) && \
    !defined(KOKKOS_ENABLE_HIP)
#define TESSERA_COMPUTES_PLANES
#endif

namespace tessera::operators::detail {

/// A plane of an array in memory: all points that have the same channel.
template <class T>
struct Plane {
  /// The address at which the point (0, 0) would lie.
  T* origin;
  /// The distance between rows, in elements.
  std::ptrdiff_t stride;

  /// Returns the address at which the point (0, y) would lie.
  KOKKOS_FORCEINLINE_FUNCTION T* row(std::int64_t y) const { return origin + y * stride; }

  /// Returns the plane with the channel `c` of an array.
  static Plane of(const ArrayReference& array, std::int64_t c) {
    return {reinterpret_cast<T*>(array.origin) + c * array.strides[2], array.strides[1]};
  }
};

/// A stage of images of (x, y, channel) with one input of In and one output of Out, whose body declares its
/// footprint. On hosts, `body.plane(in, out, columns, rows)` computes the points of `columns` and `rows` of a
/// plane. It must give the same bits as the call operator of the body, which computes one point.
template <class Body, class Out, class In>
class PlaneStage final : public StageKernel {
 public:
  /// Copies the body.
  explicit PlaneStage(const Body& body) : body_(body), footprint_(body) {}

  void required(const Box& box, Box* needs) const override { footprint_.required(box, needs); }

  void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
              [[maybe_unused]] AccessMonitor monitor) const override {
#ifdef TESSERA_COMPUTES_PLANES
    for (std::int64_t c = box[2].begin; c < box[2].end; ++c) {
      const auto in = Plane<const In>::of(inputs[0], c);
      const auto out = Plane<Out>::of(outputs[0], c);
      tessera::detail::call_flat_for_processor([&] { body_.plane(in, out, box[0], box[1]); });
    }
#else
    PointStage<Body, 3, TypeList<Out>, TypeList<ArrayType<In, 3>>>(body_).region(inputs, outputs, box,
                                                                                 monitor);
#endif
  }

  void launch(const ExecutionSpace& execution, const ArrayReference* inputs, const ArrayReference* outputs,
              const Box& box) const override {
    using Kernel =
        tessera::detail::PointKernel<Body, 3, TypeList<Out>, TypeList<ArrayType<In, 3>>, SinglePoint>;
    const Kernel kernel(body_, inputs, outputs, box);
    tessera::detail::launch_points(execution, kernel.units, kernel);
  }

 private:
  Body body_;
  Footprint<Body, 3, ArrayType<In, 3>> footprint_;
};

/// Adds a stage that computes planes (see PlaneStage), and returns its output as an image of the points
/// `domain`.
template <class Out, class In, class Body>
Image add_plane_stage(Pipeline& pipeline, const std::string& name, const Body& body, const Image& image,
                      const Box& domain) {
  return add_kernel(pipeline, name, element_type_of<Out>(), domain, {image.id}, {true},
                    std::make_shared<PlaneStage<Body, Out, In>>(body));
}
/// Adds a stage that computes planes, and returns its output, which has the points of its input.
template <class Out, class In, class Body>
Image add_plane_stage(Pipeline& pipeline, const std::string& name, const Body& body, const Image& image) {
  return add_plane_stage<Out, In>(pipeline, name, body, image, image.domain);
}

}  // namespace tessera::operators::detail
