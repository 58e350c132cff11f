// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/detail/image_stage.hpp"

#include <algorithm>
#include <array>

#include "tessera/operators/detail/arithmetic.hpp"
#include "tessera/pipeline/body/table.hpp"
#include "tessera/pipeline/kernel/stage_kernel.hpp"

namespace tessera::operators::detail {
namespace {

/// The kernel of a stage of images of (x, y, channel) that also takes images of (x, y). Such an image counts
/// as one with the single channel 0, so that the stride of channels does not matter. Kernels are thereby
/// compiled only once for grey images and images in colour.
class FlatStage final : public StageKernel {
 public:
  /// Wraps `stage`, a kernel for images with three dimensions and one output. `flat_inputs` tells for each
  /// input whether it is an image without channels, and `flat_output` whether the output is.
  FlatStage(std::shared_ptr<const StageKernel> stage, std::vector<bool> flat_inputs, bool flat_output)
      : stage_(std::move(stage)), flat_inputs_(std::move(flat_inputs)), flat_output_(flat_output) {}

  void required(const Box& box, Box* needs) const override {
    stage_->required(with_channel(box), needs);
    for (std::size_t i = 0; i < flat_inputs_.size(); ++i)
      if (flat_inputs_[i]) needs[i] = {needs[i][0], needs[i][1]};
  }
  void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
              AccessMonitor monitor) const override {
    stage_->region(inputs, outputs, with_channel(box), monitor);
  }
  bool swaps_rows() const override { return stage_->swaps_rows(); }
  bool could_transpose() const override { return stage_->could_transpose(); }
  const StageKernel& unwrapped() const override { return stage_->unwrapped(); }
  void launch(const ExecutionSpace& execution, const ArrayReference* inputs, const ArrayReference* outputs,
              const Box& box) const override {
    stage_->launch(execution, inputs, outputs, with_channel(box));
  }

 private:
  Box with_channel(const Box& box) const { return flat_output_ ? Box{box[0], box[1], {0, 1}} : box; }

  std::shared_ptr<const StageKernel> stage_;
  std::vector<bool> flat_inputs_;
  bool flat_output_;
};

/// A stage body that replaces each point of uint8 by an entry of a table.
struct ByteTable {
  Table<std::uint8_t, 256> table;
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    return table.deferred(tessera::cast<int>(in(x, y, c)));
  }
};

/// A stage body that copies a point.
struct Copy {
  template <class In, class Coord>
  KOKKOS_FUNCTION auto operator()(const In& in, Coord x, Coord y, Coord c) const {
    return in(x, y, c);
  }
};

BoundaryConditions border_conditions(const Image& image, Boundary border, double value) {
  BoundaryConditions conditions(border);
  if (border == Boundary::constant && value != 0)
    with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
      conditions.set_constant(static_cast<T>(rounded<T>(value)));
    });
  // Only x and y have borders.
  for (int d = 2; d < max_dimensions; ++d) conditions.side[d] = {};
  return conditions;
}

/// Returns true if the array has these values beyond the borders of the image.
bool has_border(const ArrayDeclaration& array, const Image& image, const BoundaryConditions& conditions) {
  if (!array.ends_at_domain() || !(array.domain == image.domain)) return false;
  for (std::size_t d = 0; d < 2; ++d)
    if (array.boundary.side[d] != conditions.side[d]) return false;
  return array.boundary.constant == conditions.constant;
}

}  // namespace

Image add_kernel(const NewStage& stage, ElementType type, const Box& domain,
                 const std::vector<ArrayId>& inputs, const std::vector<bool>& is_image,
                 std::shared_ptr<const StageKernel> kernel) {
  std::vector<bool> flat(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    flat[i] = is_image[i] && stage.pipeline[inputs[i]].dimensions == 2;
  const bool flat_output = domain.dimensions == 2;
  if (flat_output || std::find(flat.begin(), flat.end(), true) != flat.end())
    kernel = std::make_shared<FlatStage>(std::move(kernel), flat, flat_output);
  const ArrayId id =
      stage.pipeline.stage_of_kernel(stage.name, type, domain.dimensions, inputs, std::move(kernel));
  return {id, type, domain};
}

Box with_extents(const Image& image, std::int64_t width, std::int64_t height) {
  Box domain = image.domain;
  domain[0] = {0, width};
  domain[1] = {0, height};
  return domain;
}

Image add_copy(const NewStage& stage, const Image& image) {
  return with_image_type(image.type, [&]<class T>(std::type_identity<T>) {
    return add_stage<T>(stage, Copy{}, image.domain, typed<T>(image));
  });
}

Image add_byte_function(const NewStage& stage, const Image& image,
                        const std::function<double(double)>& function) {
  std::array<std::uint8_t, 256> table;
  for (std::size_t value = 0; value < table.size(); ++value)
    table[value] = static_cast<std::uint8_t>(rounded<std::uint8_t>(function(static_cast<double>(value))));
  return add_stage<std::uint8_t>(stage, ByteTable{Table<std::uint8_t, 256>(table)}, image.domain,
                                 typed<std::uint8_t>(image));
}

Image with_border(const NewStage& stage, const Image& image, Boundary border, double value) {
  const BoundaryConditions conditions = border_conditions(image, border, value);
  const ArrayDeclaration& array = stage.pipeline[image.id];
  if (has_border(array, image, conditions)) return image;
  // The array has other values there already, or cannot be bounded without the other outputs of its stage.
  if (array.ends_at_domain() || array.output_count != 1) {
    const Image copy = add_copy(stage + "_border", image);
    stage.pipeline.bound(copy.id, image.domain, conditions);
    return copy;
  }
  stage.pipeline.bound(image.id, image.domain, conditions);
  return image;
}

}  // namespace tessera::operators::detail
