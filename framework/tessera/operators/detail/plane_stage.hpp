// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/operators/detail/image_stage.hpp"
#include "tessera/pipeline/kernel/point_stage.hpp"
#include "tessera/view/block_layout.hpp"
#include "tessera/view/instruction_sets.hpp"

// AddressSanitizer sees what the code for planes reads and writes (see GuardedPlane).
#if defined(__SANITIZE_ADDRESS__)
#define TESSERA_GUARDS_PLANES
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TESSERA_GUARDS_PLANES
#endif
#endif

#ifdef TESSERA_GUARDS_PLANES
#include <sanitizer/asan_interface.h>
#endif

// Hosts compute whole planes where bodies have algorithms for them that take several rows or points together.
// Devices compute such bodies point by point, and so do builds with TESSERA_CHECKS, unless AddressSanitizer
// checks each access. Bodies use vectors of compilers, which compilers for devices do not have.
#if defined(__GNUC__) && (!defined(TESSERA_CHECKS) || defined(TESSERA_GUARDS_PLANES)) && \
    !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
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

/// Returns the least number of elements of T that fill vectors of 64 bytes and are not less than `count`.
template <class T>
constexpr std::int64_t whole_vectors(std::int64_t count) {
  constexpr std::int64_t lanes = 64 / sizeof(T);
  return (count + lanes - 1) / lanes * lanes;
}

/// Returns memory for elements of T, which the calling thread keeps for its next call. Each `Owner` has
/// separate memory. The values of the elements are undefined.
template <class Owner, class T>
T* scratch(std::int64_t elements) {
  const auto count = static_cast<std::size_t>(elements);
  static thread_local std::vector<T> memory;
#ifdef TESSERA_GUARDS_PLANES
  memory = std::vector<T>(count);  // no more than `count`, so that accesses beyond are seen
#endif
  if (memory.size() < count) memory.resize(count);
  return memory.data();
}

#ifdef TESSERA_GUARDS_PLANES
/// A copy of a plane that has exactly the points of a box. AddressSanitizer reports each access to other
/// points, as there is forbidden memory between rows.
template <class T>
class GuardedPlane {
 public:
  /// Copies the points of `box`, which `plane` has in memory.
  GuardedPlane(const Plane<const T>& plane, const Box& box)
      : x_(box[0]), y_(box[1]), stride_((x_.size() + gap - 1) / gap * gap + gap) {
    memory_.resize(static_cast<std::size_t>(stride_ * y_.size() + gap));
    __asan_poison_memory_region(memory_.data(), memory_.size() * sizeof(T));
    for (std::int64_t y = y_.begin; y < y_.end; ++y) {
      __asan_unpoison_memory_region(row(y), static_cast<std::size_t>(x_.size()) * sizeof(T));
      std::copy_n(plane.row(y) + x_.begin, x_.size(), row(y));
    }
  }
  ~GuardedPlane() { __asan_unpoison_memory_region(memory_.data(), memory_.size() * sizeof(T)); }
  GuardedPlane(const GuardedPlane&) = delete;
  GuardedPlane& operator=(const GuardedPlane&) = delete;

  /// Returns the copy.
  Plane<T> plane() { return {memory_.data() + gap - x_.begin - y_.begin * stride_, stride_}; }
  /// Copies the points to another plane.
  void copy_to(const Plane<T>& other) {
    for (std::int64_t y = y_.begin; y < y_.end; ++y) std::copy_n(row(y), x_.size(), other.row(y) + x_.begin);
  }

 private:
  /// The least number of forbidden elements on each side of a row.
  static constexpr std::int64_t gap = 128 / sizeof(T);

  T* row(std::int64_t y) { return plane().row(y) + x_.begin; }

  Range x_;
  Range y_;
  std::int64_t stride_;
  std::vector<T> memory_;
};
#endif

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
Image add_plane_stage(const NewStage& stage, const Body& body, const Image& image, const Box& domain) {
  return add_kernel(stage, element_type_of<Out>(), domain, {image.id}, {true},
                    std::make_shared<PlaneStage<Body, Out, In>>(body));
}
/// Adds a stage that computes planes, and returns its output, which has the points of its input.
template <class Out, class In, class Body>
Image add_plane_stage(const NewStage& stage, const Body& body, const Image& image) {
  return add_plane_stage<Out, In>(stage, body, image, image.domain);
}

}  // namespace tessera::operators::detail
