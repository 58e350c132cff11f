// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tessera/pipeline/kernel/stage_kernel.hpp"
#include "tessera/pipeline/schedule/rounds.hpp"

namespace tessera::detail {

/// The kernel of a value that says whether a loop should have ended during a round. The value is 1 if a
/// condition of a turn of the round is not zero or if a residual is not finite, otherwise 0.
class EndOfRound final : public StageKernel {
 public:
  /// Makes the kernel from the types of its inputs. The inputs are first all conditions, then all residuals.
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
