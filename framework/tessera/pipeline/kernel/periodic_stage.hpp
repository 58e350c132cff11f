// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "tessera/domain/boundary.hpp"
#include "tessera/pipeline/kernel/stage_kernel.hpp"

namespace tessera {

/// The kernel of a bounded stage with periodic sides, which can also compute points beyond these sides. Such
/// a point has the value of the point of the domain that it repeats, and the body gets the coordinates of
/// that point. A rank can thus compute ghosts beyond periodic sides for itself. All inputs must be arrays
/// that every rank has, or have the same period in these dimensions (see reason_against_ghosts).
class PeriodicStage final : public StageKernel {
 public:
  /// The facts about an input or an output that a kernel needs.
  struct Operand {
    /// The bytes of one element.
    std::int64_t element_bytes = 0;
    /// Whether every rank has all points of the array, so that it has no points beyond its domain.
    bool is_everywhere = false;
  };

  /// Makes the kernel from the kernel of a stage that ends at `domain`. `inputs` and `outputs` have the order
  /// of those of the stage.
  PeriodicStage(std::shared_ptr<const StageKernel> stage, const Box& domain,
                const BoundaryConditions& boundary, std::vector<Operand> inputs,
                std::vector<Operand> outputs);

  void required(const Box& box, Box* needs) const override;
  void region(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
              AccessMonitor monitor) const override;
  bool swaps_rows() const override { return stage_->swaps_rows(); }
  bool could_transpose() const override { return stage_->could_transpose(); }
  const StageKernel& unwrapped() const override { return stage_->unwrapped(); }
  std::int64_t library_bytes(const Box& box) const override { return stage_->library_bytes(box); }
  bool needs_host() const override { return stage_->needs_host(); }
  void launch(const ExecutionSpace& execution, const ArrayReference* inputs, const ArrayReference* outputs,
              const Box& box) const override;

 private:
  /// Calls compute(inputs, outputs, box) for each part of `box` that repeats a part of the domain. The box
  /// that is passed lies in the domain, and the arrays are shifted so that its points lie where those of the
  /// part are.
  template <class Compute>
  void for_pieces(const ArrayReference* inputs, const ArrayReference* outputs, const Box& box,
                  const Compute& compute) const;

  std::shared_ptr<const StageKernel> stage_;
  Box domain_;
  BoundaryConditions boundary_;
  std::vector<Operand> inputs_;
  std::vector<Operand> outputs_;
};

}  // namespace tessera
