// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/kernel/stage_kernel.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"

namespace tessera::detail {

/// The value that says whether a loop should have ended in a round: 1 if one of its conditions is not zero or
/// one of its residuals is not finite, else 0.
class EndOfRound final : public StageKernel {
 public:
  /// Takes the types of its inputs, which are first the conditions, then the residuals.
  EndOfRound(std::vector<ElementType> conditions, std::vector<ElementType> residuals);

  void required(const Box& box, Box* needs) const override;
  void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
              AccessMonitor monitor) const override;
  void launch(const ExecutionSpace& execution, const ArrayReference* inputs, const ArrayReference* outputs,
              const Box& box) const override;

 private:
  std::vector<ElementType> types_;
  std::size_t conditions_;
};

}  // namespace tessera::detail
