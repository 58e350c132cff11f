// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tessera/operators/image.hpp"
#include "tessera/pipeline/kernel/point_stage.hpp"

namespace tessera::operators::detail {

/// A stage that is added to a pipeline.
struct NewStage {
  /// The pipeline.
  Pipeline& pipeline;
  /// The name of the stage.
  std::string name;

  /// Returns a stage of the same pipeline whose name is longer by `ending`.
  NewStage operator+(const std::string& ending) const { return {pipeline, name + ending}; }
};

/// The handle of an image of T for `add_stage`. The image may have channels or not.
template <class T>
Array<T, 3> typed(const Image& image) {
  return {image.id};
}

/// Adds a stage to a pipeline, and returns its output as an image of the points `domain`. `kernel` computes
/// images of (x, y, channel). `is_image` tells for each input whether it is an image, which then may also
/// have the dimensions (x, y).
Image add_kernel(const NewStage& stage, ElementType type, const Box& domain,
                 const std::vector<ArrayId>& inputs, const std::vector<bool>& is_image,
                 std::shared_ptr<const StageKernel> kernel);

/// Adds a stage whose body computes points of (x, y, channel), and returns its output as an image of the
/// points `domain`. Inputs of three dimensions are images, with or without channels. Other inputs have the
/// number of dimensions that their type says. A call of the body computes X points along x (see
/// Pipeline::phases).
template <class T, int X = 1, class Body, class... In, int... InN>
Image add_stage(const NewStage& stage, const Body& body, const Box& domain, Array<In, InN>... inputs) {
  using Kernel = PointStage<Body, 3, TypeList<T>, TypeList<ArrayType<In, InN>...>, Unit<X, 1>>;
  return add_kernel(stage, element_type_of<T>(), domain, {inputs.id...}, {(InN == 3)...},
                    std::make_shared<Kernel>(body));
}

/// Returns the image with the given values beyond its borders. If the image has other values there already,
/// this is a copy, which is made by a stage whose name begins with that of `stage`. Channels have no borders.
/// `value` is the value beyond borders that are constant.
Image with_border(const NewStage& stage, const Image& image, Boundary border, double value = 0);

/// Returns the points of an image after its extents along x and y have changed. The first one is (0, 0).
Box with_extents(const Image& image, std::int64_t width, std::int64_t height);

/// Adds a stage that copies an image.
Image add_copy(const NewStage& stage, const Image& image);

/// Calls use(std::type_identity<T>()) for the element type T of an image, which the registry has checked to
/// be uint8, uint16 or float32, and returns the result.
template <class Use>
auto with_image_type(ElementType type, const Use& use) {
  if (type == ElementType::uint8) return use(std::type_identity<std::uint8_t>());
  if (type == ElementType::uint16) return use(std::type_identity<std::uint16_t>());
  if (type == ElementType::float32) return use(std::type_identity<float>());
  throw InternalError("an operator lets images of this type pass");
}

/// Adds a stage that replaces each point v of an image of uint8 by function(v), rounded as by `rounded`.
/// Processors look up bytes faster than they compute most functions.
Image add_byte_function(const NewStage& stage, const Image& image,
                        const std::function<double(double)>& function);

}  // namespace tessera::operators::detail
