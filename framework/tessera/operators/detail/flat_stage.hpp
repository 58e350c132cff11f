// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/pipeline/kernel/stage_kernel.hpp"

namespace tessera::operators::detail {

/// The kernel of a stage of images of (x, y, channel), for images some of which have only the dimensions
/// (x, y). Such an image counts as one with the single channel 0. Kernels are thereby compiled only once for
/// grey images and images in colour.
class FlatStage final : public StageKernel {
 public:
  /// Makes the kernel from one of images with three dimensions and one output. `flat_inputs` tells for each
  /// input whether it is an image without channels, and `flat_output` whether the output is.
  FlatStage(std::shared_ptr<const StageKernel> stage, std::vector<bool> flat_inputs, bool flat_output);

  void required(const Box& box, Box* needs) const override;
  void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
              AccessMonitor monitor) const override;
  bool swaps_rows() const override { return stage_->swaps_rows(); }
  bool could_transpose() const override { return stage_->could_transpose(); }
  const StageKernel& unwrapped() const override { return stage_->unwrapped(); }
  void launch(const ExecutionSpace& execution, const ArrayReference* inputs, const ArrayReference* outputs,
              const Box& box) const override;

 private:
  Box with_channel(const Box& box) const;

  std::shared_ptr<const StageKernel> stage_;
  std::vector<bool> flat_inputs_;
  bool flat_output_;
};

}  // namespace tessera::operators::detail
