// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "tessera/operators/detail/image_stage.hpp"
#include "tessera/operators/detail/plane.hpp"
#include "tessera/pipeline/kernel/point_stage.hpp"
#include "tessera/view/instruction_sets.hpp"

#ifdef TESSERA_GUARDS_PLANES
#include "tessera/operators/detail/guarded_plane.hpp"
#endif

namespace tessera::operators::detail {

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
    [[maybe_unused]] Box needs;
#ifdef TESSERA_GUARDS_PLANES
    footprint_.required(box, &needs);
#endif
    for (std::int64_t c = box[2].begin; c < box[2].end; ++c)
      compute_plane(Plane<const In>::of(inputs[0], c), Plane<Out>::of(outputs[0], c), box, needs);
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
#ifdef TESSERA_COMPUTES_PLANES
  void compute_plane(const Plane<const In>& in, const Plane<Out>& out, const Box& box,
                     [[maybe_unused]] const Box& needs) const {
#ifdef TESSERA_GUARDS_PLANES
    GuardedPlane<In> from(in, needs);
    GuardedPlane<Out> to({out.origin, out.stride}, box);
    const auto copy = from.plane();
    body_.plane(Plane<const In>{copy.origin, copy.stride}, to.plane(), box[0], box[1]);
    to.copy_to(out);
#else
    tessera::detail::call_flat_for_processor([&] { body_.plane(in, out, box[0], box[1]); });
#endif
  }
#endif

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
