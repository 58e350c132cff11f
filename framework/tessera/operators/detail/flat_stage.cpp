// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/operators/detail/flat_stage.hpp"

namespace tessera::operators::detail {

// The reference of an array of two dimensions serves as it is: the channel is 0, so that its stride does not
// matter.

FlatStage::FlatStage(std::shared_ptr<const StageKernel> stage, std::vector<bool> flat_inputs,
                     bool flat_output)
    : stage_(std::move(stage)), flat_inputs_(std::move(flat_inputs)), flat_output_(flat_output) {}

void FlatStage::required(const Box& box, Box* needs) const {
  stage_->required(with_channel(box), needs);
  for (std::size_t i = 0; i < flat_inputs_.size(); ++i)
    if (flat_inputs_[i]) {
      needs[i].dimensions = 2;
      needs[i][2] = {};
    }
}

void FlatStage::region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
                       AccessMonitor monitor) const {
  stage_->region(inputs, outputs, with_channel(box), monitor);
}

void FlatStage::launch(const ExecutionSpace& execution, const ArrayReference* inputs,
                       const ArrayReference* outputs, const Box& box) const {
  stage_->launch(execution, inputs, outputs, with_channel(box));
}

Box FlatStage::with_channel(const Box& box) const { return flat_output_ ? Box{box[0], box[1], {0, 1}} : box; }

}  // namespace tessera::operators::detail
